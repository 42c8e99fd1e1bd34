//! Long records: pages stay small, and counts stay true.

use pedra_explain::{Digest, Extras, page};
use serde_json::Value;
use std::fmt::Write as _;
use std::io::Cursor;

/// The record of a run that learns and pushes lemmas of `width` literals over `width` names.
fn record(events: usize, width: usize) -> String {
    let mut text = String::from(
        r#"{"schema":1,"event":"record","pedra":"0","model":"m","bytes":0,"hash":"","properties":[0],"engine":"pdr"}"#,
    );
    let latches: Vec<String> =
        (1..=width).map(|i| format!("[{i},\"top.word[{}]\"]", i - 1)).collect();
    let _ = write!(
        text,
        "\n{{\"event\":\"system\",\"seconds\":0.1,\"latches\":[{}]}}",
        latches.join(",")
    );
    let _ = write!(
        text,
        "\n{{\"event\":\"started\",\"seconds\":0.1,\"engine\":\"pdr\",\"id\":0,\"system\":0}}\n"
    );
    let mut line = |event: &str, seconds: f64, rest: &str| {
        let _ = writeln!(
            text,
            r#"{{"event":"{event}","seconds":{seconds:.6},"engine":"pdr","id":0,"direction":"forward",{rest}}}"#
        );
    };
    let clause = |seed: usize| -> String {
        let sign = |i: usize| if (seed * 2654435761) >> (i % 31) & 1 == 1 { "-" } else { "" };
        let lits: Vec<String> = (1..=width).map(|i| format!("{}{i}", sign(i))).collect();
        lits.join(",")
    };
    // Four events a lemma: raised, learned, blocked, pushed.
    for number in 0..events / 4 {
        let (time, level) = (number as f64 * 1e-5, 1 + number * 20 / (events / 4 + 1));
        if number % (events / 80 + 1) == 0 {
            line("frame", time, &format!("\"level\":{level}"));
        }
        let next = if number % 7 == 0 { "null".to_owned() } else { (number - 1).to_string() };
        let said = clause(number);
        line(
            "raised",
            time,
            &format!(
                "\"obligation\":{number},\"level\":{level},\"depth\":{},\"successor\":{next},\"clause\":[{said}]",
                number % 7
            ),
        );
        line("learned", time, &format!("\"lemma\":{number},\"level\":{level},\"clause\":[{said}]"));
        line("blocked", time, &format!("\"obligation\":{number},\"level\":{level}"));
        line("pushed", time, &format!("\"lemma\":{number},\"from\":{level},\"to\":{}", level + 1));
    }
    text + "{\"event\":\"end\",\"seconds\":9.0}\n"
}

fn data(text: &str) -> (usize, Value) {
    let digest = Digest::read(Cursor::new(text)).expect("a record");
    let page = page(&digest, Cursor::new(text), &Extras::default()).expect("a page");
    let (_, rest) = page.split_once("id=\"data\">").expect("data");
    let (data, _) = rest.split_once("</script>").expect("its end");
    (page.len(), serde_json::from_str(data).expect("JSON"))
}

#[test]
fn pages_stay_below_three_megabytes_and_counts_stay_true() {
    for (events, width) in [(1_000, 10), (100_000, 10), (100_000, 100), (200_000, 30)] {
        let (size, data) = data(&record(events, width));
        assert!(size < 3_000_000, "{size} bytes for {events} events of {width} literals");
        let tower = &data["towers"][0];
        let lemmas = events / 4;
        assert_eq!(tower["total"]["lemmas"], lemmas);
        assert_eq!(data["run"]["lemmas"][1], lemmas);
        let kept = tower["lemmas"]["born"].as_array().expect("a list").len();
        assert_eq!(data["run"]["lemmas"][0], kept);
        assert!(kept == lemmas || events > 1_000 && kept > 1_000, "{kept} of {lemmas}");
        // All are counted at the end, whether they are on the page or not.
        let last = tower["counts"].as_array().expect("a list").last().expect("one").clone();
        let pairs = last[1].as_array().expect("pairs");
        let sum: u64 = pairs.chunks(2).map(|pair| pair[1].as_u64().expect("a count")).sum();
        assert_eq!(sum, lemmas as u64);
        let counted: u64 = data["clock"]["counts"]
            .as_array()
            .expect("a list")
            .iter()
            .flat_map(|counts| counts.as_array().expect("five").iter().filter_map(Value::as_u64))
            .sum();
        assert_eq!(counted, 4 * lemmas as u64);
        assert_eq!(tower["patterns"][0], serde_json::json!([["top.word"], lemmas, lemmas]));
        // The forest has no gaps: successors of what is there are there.
        let obligations = &tower["obligations"];
        let (depth, next) =
            (&obligations["depth"], obligations["successor"].as_array().expect("a list"));
        for (index, next) in next.iter().enumerate() {
            assert_eq!(next == -1, depth[index] == 0, "obligation {index} leads nowhere");
        }
    }
}

/// What a lemma was learned for, and where it comes from, follows from the order of events.
#[test]
fn lemmas_belong_to_the_obligation_that_is_blocked_next() {
    let head = record(0, 3).replace("{\"event\":\"end\",\"seconds\":9.0}\n", "");
    let event = |event: &str, rest: &str| {
        format!(
            "{{\"event\":\"{event}\",\"seconds\":1.0,\"engine\":\"avy\",\"id\":0,\"direction\":\"forward\",{rest}}}\n"
        )
    };
    let learned = |n: u32| event("learned", &format!("\"lemma\":{n},\"level\":1,\"clause\":[1]"));
    let text = head
        + &event("raised", "\"obligation\":0,\"level\":1,\"depth\":0,\"successor\":null,\"clause\":[1]")
        + &learned(0)
        + &learned(1)
        + &event("blocked", "\"obligation\":0,\"level\":1")
        + &event("interpolated", "\"depth\":1,\"first\":0,\"level\":0")
        + &learned(2)
        + &event("frame", "\"level\":2")
        + &learned(3)
        // Numbers that come again are those of another tower.
        + &learned(3);
    let (_, data) = data(&text);
    let lemmas = &data["towers"][0]["lemmas"];
    assert_eq!(lemmas["origin"], "ooip");
    assert_eq!(lemmas["asked"], serde_json::json!([0, 0, -1, -1]));
    assert_eq!((&data["towers"][1]["epoch"], &data["run"]["whole"]), (&1.into(), &false.into()));
}

/// Damaged records give a page or an error, and nothing else.
#[test]
fn damaged_records_do_no_harm() {
    let good = record(400, 4).into_bytes();
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    let (mut pages, mut errors) = (0, 0);
    for _ in 0..400 {
        let mut bytes = good.clone();
        for _ in 0..=random(3) {
            let at = random(bytes.len());
            match random(3) {
                0 => bytes[at] = b"0123456789-,[]{}\":\nx"[random(20)],
                1 => bytes.truncate(at),
                _ => {
                    let end = (at + 1 + random(40)).min(bytes.len());
                    bytes.drain(at..end);
                }
            }
            if bytes.is_empty() {
                break;
            }
        }
        let made = Digest::read(Cursor::new(&bytes))
            .and_then(|digest| page(&digest, Cursor::new(&bytes), &Extras::default()));
        *(if made.is_ok() { &mut pages } else { &mut errors }) += 1;
    }
    assert!(pages > 20 && errors > 20, "{pages} pages, {errors} errors");
}
