//! Lemmas between workers: they travel, and those of a liar change nothing.

use crate::nats::{Connection, Server};
use crate::{Worker, finish, finish_child, model, pedra, send_signal, verdicts, wait_until};
use serde_json::{Value, json};
use std::process::Stdio;

/// The next message with lemmas that is not of this worker.
fn next_lemmas(connection: &mut Connection, not_by: &str) -> Value {
    loop {
        let message = connection.next();
        let Ok(message) = serde_json::from_slice::<Value>(&message.payload) else { continue };
        if message["body"]["lemmas"].is_array() && message["body"]["worker"] != not_by {
            return message;
        }
    }
}

/// A sum of words, as bits: PDR finds lemmas about it for ever.
fn endless(folder: &std::path::Path) -> String {
    std::fs::create_dir_all(folder).expect("a temporary folder");
    let bits = folder.join("bits.aig").to_string_lossy().into_owned();
    let output = finish(pedra(&["convert", &model("word/sim_inv_32.btor2"), &bits]));
    assert!(output.status.success(), "{output:?}");
    bits
}

#[test]
fn lemmas_travel_and_lies_change_nothing() {
    let Some(server) = Server::start("lemmas", &[]) else { return };
    let folder = std::env::temp_dir().join(format!("pedra-lemmas-{}", std::process::id()));
    let bits = endless(&folder);
    let _workers = [Worker::start(&server), Worker::start(&server)];
    wait_until(&server, |status| status["workers"].as_array().is_some_and(|w| w.len() == 2));
    let mut liar = Connection::open(&server);
    liar.subscribe("pedra.v3.lemmas.*");
    let address = server.address();
    let words = ["check", "--json", "--cluster", &address, "-o", "auto.exchange=on", &bits];
    let mut command = pedra(&words);
    let asker = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let heard = next_lemmas(&mut liar, "");
    let lemma = &heard["body"]["lemmas"][0][1];
    assert!(lemma.as_array().is_some_and(|cube| !cube.is_empty()), "{heard}");
    let hash = pedra_formats::sha256::sha256(&std::fs::read(&bits).expect("it is there"));
    let subject = format!("pedra.v3.lemmas.{hash}");
    // Every single latch, false and true, is excluded for ever: that would prove anything.
    let everything: Vec<Value> =
        (1..=32).flat_map(|v| [json!([null, [v]]), json!([null, [-v]])]).collect();
    let malformed = [
        json!([[0, [0]], [0, [2_147_483_647]], [0, [-2_147_483_648_i64]], [0, []], [0, [2, 1]]]),
        json!([[0, (1..=1_000).collect::<Vec<i32>>()], [4_294_967_295_u32, [1]]]),
        json!([[-1, [1]]]),
        json!("lemmas"),
    ];
    for lemmas in malformed.into_iter().chain([Value::Array(everything)]) {
        let mut lie = heard.clone();
        lie["body"]["worker"] = "liar".into();
        lie["body"]["lemmas"] = lemmas;
        liar.publish(&subject, lie.to_string().as_bytes());
    }
    liar.publish(&subject, br#"{"wire":9,"pedra":"7","body":{}}"#);
    liar.publish(&subject, &vec![b'['; 300_000]);
    // The worker of this system has what can be read, and both go on.
    wait_until(&server, |status| {
        let workers = status["workers"].as_array().expect("workers");
        let sum = |key: &str| workers.iter().filter_map(|w| w[key].as_u64()).sum::<u64>();
        sum("lemmas_received") >= 64 && sum("lemmas_sent") > 0 && workers.len() == 2
    });
    next_lemmas(&mut liar, "liar");
    send_signal("-INT", &asker);
    let output = finish_child(asker);
    assert_eq!(verdicts(&output)[&0], "unknown", "{output:?}");
    assert!(!String::from_utf8_lossy(&output.stderr).contains("panic"), "{output:?}");
    let _ = std::fs::remove_dir_all(&folder);
}
