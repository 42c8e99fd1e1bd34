//! Servers that want to see something: each way of access, with what is right and what is wrong.
//! No secret is shown, neither in what is printed nor in the list of processes.

use crate::nats::{Server, base64};
use crate::{check, finish, model, pedra, verdicts};
use nkeys::{KeyPair, KeyPairType};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder for keys and configurations, which goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("pedra-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a temporary folder");
        Folder(folder)
    }

    /// Writes a file; its path.
    fn write(&self, name: &str, text: &str) -> String {
        std::fs::write(self.0.join(name), text).expect("it is written");
        self.path(name)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("text").to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Options and variables by which a server is reached.
#[derive(Clone, Default)]
struct Key<'a> {
    options: Vec<&'a str>,
    variables: &'a [(&'a str, &'a str)],
    /// What must not be seen.
    secrets: &'a [&'a str],
}

impl Key<'_> {
    fn run(&self, words: &[&str]) -> Output {
        let output = finish(self.command(words));
        let text = [&output.stdout[..], &output.stderr[..]].concat();
        self.look(&String::from_utf8_lossy(&text));
        output
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = pedra(words);
        command.args(&self.options).envs(self.variables.iter().copied());
        command
    }

    fn look(&self, text: &str) {
        for secret in self.secrets {
            assert!(!text.contains(secret), "a secret is shown: {text}");
        }
    }
}

/// A server lets in who has the right key, and nobody else. A worker and an asker with it work.
fn try_keys(address: &str, right: Key<'_>, wrong: &[Key<'_>]) {
    let status = ["cluster", "status", "--cluster", address];
    for key in wrong {
        let output = key.run(&status);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains("cluster: "), "{error}");
    }
    let output = right.run(&status);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let mut worker = right.command(&["worker", "--cluster", address, "--idle", "4"]);
    let worker = worker.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let worker = worker.expect("the program starts");
    let listed = std::fs::read(format!("/proc/{}/cmdline", worker.id())).unwrap_or_default();
    right.look(&String::from_utf8_lossy(&listed));
    let output = right.run(&["check", "--json", &model("arbiter.aag"), "--cluster", address]);
    assert_eq!(verdicts(&output), verdicts(&check(None, &[&model("arbiter.aag")])));
    let output = crate::finish_child(worker);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    right.look(&String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_password_in_the_address_is_refused() {
    let secrets = &["geheim"];
    let output =
        Key { secrets, ..Key::default() }.run(&["worker", "--cluster", "nats://a:geheim@h:1"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && text.contains("PEDRA_CLUSTER_PASSWORD"), "{text}");
}

#[test]
fn user_and_password() {
    let login = ["--user", "anna", "--pass", "geheim"];
    let Some(server) = Server::start("password", &login) else { return };
    let (user, secrets) = (("PEDRA_CLUSTER_USER", "anna"), &["geheim", "falsch"]);
    let (right, wrong) =
        ([user, ("PEDRA_CLUSTER_PASSWORD", "geheim")], ("PEDRA_CLUSTER_PASSWORD", "falsch"));
    let right = Key { variables: &right, secrets, ..Key::default() };
    let wrong = Key { variables: &[user, wrong], secrets, ..Key::default() };
    let half = Key { variables: &[user], secrets, ..Key::default() };
    let output = half.run(&["cluster", "status", "--cluster", &server.address()]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("belong together"), "{output:?}");
    try_keys(&server.address(), right, &[wrong, Key::default()]);
}

#[test]
fn a_token() {
    let Some(server) = Server::start("token", &["--auth", "geheim"]) else { return };
    let secrets = &["geheim", "falsch"];
    let right = Key { variables: &[("PEDRA_CLUSTER_TOKEN", "geheim")], secrets, ..Key::default() };
    let wrong = Key { variables: &[("PEDRA_CLUSTER_TOKEN", "falsch")], secrets, ..Key::default() };
    try_keys(&server.address(), right, &[wrong, Key::default()]);
}

/// A key pair that is the same in each run.
fn pair(kind: KeyPairType, number: u8) -> KeyPair {
    KeyPair::new_from_raw(kind, [number; 32]).expect("a key pair")
}

#[test]
fn an_nkey() {
    let folder = Folder::new("nkey");
    let (user, other) = (pair(KeyPairType::User, 1), pair(KeyPairType::User, 2));
    let users = format!("authorization {{ users = [{{ nkey: {} }}] }}", user.public_key());
    let config = folder.write("server.conf", &users);
    let Some(server) = Server::start("nkey-server", &["--config", &config]) else { return };
    let seeds = [user, other].map(|pair| pair.seed().expect("a seed"));
    let good = folder.write("good.nk", &format!("{}\n", seeds[0]));
    let bad = folder.write("bad.nk", &seeds[1]);
    let broken = folder.write("broken.nk", &seeds[0][..40]);
    let secrets = &[&seeds[0][..30], &seeds[1][..30]];
    let key = |options| Key { options, secrets, ..Key::default() };
    let wrong = [
        key(vec!["--cluster-nkey", &bad]),
        key(vec!["--cluster-nkey", &broken]),
        key(vec!["--cluster-nkey", "nowhere.nk"]),
        Key::default(),
    ];
    try_keys(&server.address(), key(vec!["--cluster-nkey", &good]), &wrong);
}

/// A token of NATS: claims, signed by a key pair.
fn jwt(signer: &KeyPair, subject: &str, name: &str, nats: Value) -> String {
    let plain = |bytes: &[u8]| base64(bytes).trim_end_matches('=').to_owned();
    let header = json!({ "typ": "JWT", "alg": "ed25519-nkey" }).to_string();
    let claims = json!({ "jti": name, "iat": 1_700_000_000, "iss": signer.public_key(),
        "name": name, "sub": subject, "nats": nats })
    .to_string();
    let text = format!("{}.{}", plain(header.as_bytes()), plain(claims.as_bytes()));
    let signature = signer.sign(text.as_bytes()).expect("it is signed");
    format!("{text}.{}", plain(&signature))
}

/// Operator, accounts and users, as `nsc` would make them.
#[test]
fn a_credentials_file() {
    let folder = Folder::new("creds");
    let operator = pair(KeyPairType::Operator, 1);
    let [account, system] = [2, 3].map(|number| pair(KeyPairType::Account, number));
    let [user, other] = [4, 5].map(|number| pair(KeyPairType::User, number));
    let limits = |storage: i64| {
        json!({ "type": "account", "version": 2, "limits": { "subs": -1, "data": -1,
            "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1,
            "leaf": -1, "mem_storage": storage, "disk_storage": storage, "streams": -1,
            "consumer": -1 } })
    };
    let operator_key = operator.public_key();
    let about = json!({ "type": "operator", "version": 2, "system_account": system.public_key() });
    let (account_key, system_key) = (account.public_key(), system.public_key());
    let config = format!(
        "operator: {}\nresolver: MEMORY\nresolver_preload: {{\n{account_key}: {}\n{system_key}: {}\n}}\n",
        jwt(&operator, &operator_key, "o", about),
        jwt(&operator, &account_key, "a", limits(-1)),
        jwt(&operator, &system_key, "s", limits(0)),
    );
    let config = folder.write("server.conf", &config);
    let Some(server) = Server::start("creds-server", &["--config", &config]) else { return };
    let limits = json!({ "type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1 });
    let file = |signer: &KeyPair, user: &KeyPair| {
        let (key, seed) = (user.public_key(), user.seed().expect("a seed"));
        let token = jwt(signer, &key, "u", limits.clone());
        format!(
            "-----BEGIN NATS USER JWT-----\n{token}\n------END NATS USER JWT------\n\n\
             -----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
        )
    };
    let good = folder.write("good.creds", &file(&account, &user));
    // Signed by a key pair that is no account of the operator.
    let bad = folder.write("bad.creds", &file(&pair(KeyPairType::Account, 9), &other));
    let broken = folder.write("broken.creds", "nothing");
    let seeds = [user, other].map(|pair| pair.seed().expect("a seed"));
    let secrets = &[&seeds[0][..30], &seeds[1][..30]];
    let key = |options| Key { options, secrets, ..Key::default() };
    let wrong = [
        key(vec!["--cluster-creds", &bad]),
        key(vec!["--cluster-creds", &broken]),
        key(vec!["--cluster-creds", "nowhere.creds"]),
        Key::default(),
    ];
    try_keys(&server.address(), key(vec!["--cluster-creds", &good]), &wrong);
}

/// Makes a key and a certificate for it, signed by an authority or by itself.
fn certificate(folder: &Folder, name: &str, authority: Option<&str>) -> Option<(String, String)> {
    let (key, cert) = (folder.path(&format!("{name}.key")), folder.path(&format!("{name}.pem")));
    let request = folder.path(&format!("{name}.csr"));
    let openssl = |words: &[&str]| {
        let output = Command::new("openssl").args(words).output().ok()?;
        assert!(output.status.success(), "{words:?}: {output:?}");
        Some(())
    };
    let subject = format!("/CN={name}");
    let ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", &subject];
    match authority {
        None => {
            let own = ["req", "-x509", "-days", "2", "-keyout", &key, "-out", &cert];
            openssl(&[&own[..], &ec].concat())?;
        }
        Some(authority) => {
            let own = ["req", "-keyout", &key, "-out", &request];
            openssl(&[&own[..], &ec].concat())?;
            let (ca, ca_key) = (
                folder.path(&format!("{authority}.pem")),
                folder.path(&format!("{authority}.key")),
            );
            let names = folder.write("names.cnf", "subjectAltName=IP:127.0.0.1,DNS:localhost\n");
            let signed = [
                "x509",
                "-req",
                "-days",
                "2",
                "-in",
                &request,
                "-CA",
                &ca,
                "-CAkey",
                &ca_key,
                "-CAcreateserial",
                "-extfile",
                &names,
                "-out",
                &cert,
            ];
            openssl(&signed)?;
        }
    }
    assert!(Path::new(&cert).is_file());
    Some((cert, key))
}

/// TLS with an authority of our own, and then with certificates of clients, too.
#[test]
fn tls() {
    let folder = Folder::new("tls");
    let Some((ca, _)) = certificate(&folder, "ca", None) else {
        eprintln!("*** SKIPPED tls: no openssl");
        return;
    };
    let make = |name, authority| certificate(&folder, name, authority).expect("it was there");
    let (other_ca, _) = make("other", None);
    let (cert, key) = make("server", Some("ca"));
    let (client_cert, client_key) = make("client", Some("ca"));
    let (stranger_cert, stranger_key) = make("stranger", Some("other"));
    let files = format!("cert_file: \"{cert}\", key_file: \"{key}\", ca_file: \"{ca}\"");
    let config = folder.write("tls.conf", &format!("tls {{ {files} }}"));
    let key = |options| Key { options, ..Key::default() };
    let Some(server) = Server::start("tls-server", &["--config", &config]) else { return };
    let address = format!("tls://127.0.0.1:{}", server.port());
    let wrong =
        [key(vec!["--cluster-ca", &other_ca]), key(vec!["--cluster-ca", "nowhere"]), key(vec![])];
    try_keys(&address, key(vec!["--cluster-ca", &ca]), &wrong);
    drop(server);
    let config = folder.write("verify.conf", &format!("tls {{ {files}, verify: true }}"));
    let server = Server::start("verify-server", &["--config", &config]).expect("it was there");
    let address = format!("tls://127.0.0.1:{}", server.port());
    let ours = |cert, key| ["--cluster-ca", &ca, "--cluster-cert", cert, "--cluster-key", key];
    let right = ours(&client_cert, &client_key);
    let strange = ours(&stranger_cert, &stranger_key);
    let mixed = ours(&client_cert, &stranger_key);
    let wrong = [key(strange.to_vec()), key(mixed.to_vec()), key(vec!["--cluster-ca", &ca])];
    try_keys(&address, key(right.to_vec()), &wrong);
}
