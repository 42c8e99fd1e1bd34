//! The connection to the server, and what lies there.
//!
//! The one place that knows how to reach a server. The runtime has one thread: the
//! caller's ([`run`]).

use crate::objects::Objects;
use crate::wire::WIRE;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::kv::Store;
use async_nats::jetstream::stream::{DiscardPolicy, RetentionPolicy, Stream};
use async_nats::jetstream::{self, stream};
use async_nats::{Client, ConnectOptions, Event, ServerAddr};
use std::fmt;
use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// A task of which nothing is heard for this long is given to another worker.
pub const ACK_WAIT: Duration = Duration::from_secs(15);

/// How often a worker says that it is at work.
pub const PROGRESS_EVERY: Duration = Duration::from_secs(5);

/// How long a lease, and the presence of a worker, lasts.
pub const LEASE: Duration = Duration::from_secs(15);

/// How often an asker renews its lease.
pub const RENEW_EVERY: Duration = Duration::from_secs(3);

/// What is asked in passing, beside other work, may take this long.
pub(crate) const QUICK: Duration = Duration::from_secs(2);

/// How often we ask the server whether the link is alive. One that is not is given up after the
/// third time.
const PING_EVERY: Duration = Duration::from_secs(10);

/// How long an answer of the server may take.
const ANSWER: Duration = Duration::from_secs(5);

/// How often we try to find what lies on the server, a second apart.
const OPENS: usize = 4;

/// How many workers may wait for tasks, and how many tasks may be under way.
const MAX_WORKERS: i64 = 50_000;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

/// What goes wrong between here and the server.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("cluster: {0}")]
pub struct NetError(pub String);

/// For `map_err`: what went wrong, and why.
pub(crate) fn because<E: fmt::Display>(what: &str) -> impl Fn(E) -> NetError + '_ {
    move |error| NetError(format!("{what}: {error}"))
}

/// Hears what users should know.
pub type Note = Arc<dyn Fn(&str) + Send + Sync>;

/// Where the server is, and what it wants to see.
#[derive(Clone, Default)]
pub struct Access {
    /// Addresses, `nats://HOST` or `tls://HOST`; several with commas.
    pub address: String,
    /// A credentials file.
    pub credentials: Option<PathBuf>,
    /// A file with an NKey.
    pub nkey: Option<PathBuf>,
    /// User and password.
    pub login: Option<(String, String)>,
    /// A token.
    pub token: Option<String>,
    /// Certificates of authorities to trust, beside those of the system.
    pub authorities: Option<PathBuf>,
    /// Our own certificate and its key.
    pub certificate: Option<(PathBuf, PathBuf)>,
}

/// Secrets are not shown.
impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Access").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Access {
    /// The addresses. One with a user or a password in it is refused, and not shown: a list of
    /// processes shows it to everyone.
    fn addresses(&self) -> Result<Vec<ServerAddr>, NetError> {
        if self.address.contains('@') {
            let text = "the address has a user or a password in it, which a list of processes \
                        shows; use PEDRA_CLUSTER_USER and PEDRA_CLUSTER_PASSWORD, or a \
                        credentials file";
            return Err(NetError(text.to_owned()));
        }
        let one = |text: &str| {
            text.trim().parse().map_err(because(&format!("'{}' is not an address", text.trim())))
        };
        self.address.split(',').map(one).collect()
    }

    async fn options(&self, note: &Note) -> Result<ConnectOptions, NetError> {
        let mut options = ConnectOptions::new()
            .name("pedra")
            .ping_interval(PING_EVERY)
            .request_timeout(Some(ANSWER));
        if let Some(path) = &self.credentials {
            let what = path.display().to_string();
            options = options.credentials_file(path).await.map_err(because(&what))?;
        }
        if let Some(path) = &self.nkey {
            let what = path.display().to_string();
            let text = std::fs::read_to_string(path).map_err(because(&what))?;
            options = options.nkey(text.trim().to_owned());
        }
        if let Some((user, password)) = &self.login {
            options = options.user_and_password(user.clone(), password.clone());
        }
        if let Some(token) = &self.token {
            options = options.token(token.clone());
        }
        if let Some(path) = &self.authorities {
            options = options.add_root_certificates(path.clone()).require_tls(true);
        }
        if let Some((certificate, key)) = &self.certificate {
            options =
                options.add_client_certificate(certificate.clone(), key.clone()).require_tls(true);
        }
        let note = note.clone();
        Ok(options.event_callback(move |event| {
            match event {
                Event::Disconnected => note("the server is gone; trying to reach it again"),
                Event::Connected => note("connected"),
                Event::ServerError(error) => note(&format!("the server says: {error}")),
                _ => {}
            }
            std::future::ready(())
        }))
    }

    /// Connects.
    ///
    /// # Errors
    /// If that does not work.
    pub async fn connect(&self, note: &Note) -> Result<Client, NetError> {
        self.connect_with(self.options(note).await?).await
    }

    /// Connects for what may be lost: of each subject only this many messages wait here, and more
    /// are dropped.
    pub(crate) async fn connect_lightly(&self, waiting: usize) -> Result<Client, NetError> {
        let silent: Note = Arc::new(|_| ());
        let options = self.options(&silent).await?;
        self.connect_with(options.subscription_capacity(waiting)).await
    }

    async fn connect_with(&self, options: ConnectOptions) -> Result<Client, NetError> {
        let addresses = self.addresses()?;
        options.connect(&addresses[..]).await.map_err(because(&self.address))
    }
}

/// Runs network code on this thread until it ends.
///
/// # Errors
/// If there is no runtime, or what the code says.
pub fn run<T>(code: impl Future<Output = Result<T, NetError>>) -> Result<T, NetError> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().build().map_err(because("the network"))?.block_on(code)
}

fn named(what: &str) -> String {
    format!("pedra_v{WIRE}_{what}")
}

/// The subject of a task: one for each, so that an asker sees which of its tasks are in the queue.
pub(crate) fn work_subject(job: &str, id: impl fmt::Display) -> String {
    format!("pedra.v{WIRE}.work.{job}.{id}")
}

/// The subject of a job's results.
pub(crate) fn result_subject(job: &str) -> String {
    format!("pedra.v{WIRE}.result.{job}")
}

/// The subject of the lemmas about a model.
pub(crate) fn lemmas_subject(model: &str) -> String {
    format!("pedra.v{WIRE}.lemmas.{model}")
}

/// What lies on the server.
#[derive(Clone)]
pub(crate) struct Rooms {
    pub(crate) jetstream: jetstream::Context,
    pub(crate) work: Stream,
    pub(crate) queue: PullConsumer,
    pub(crate) results: Stream,
    pub(crate) models: Objects,
    pub(crate) evidence: Objects,
    pub(crate) leases: Store,
    pub(crate) workers: Store,
}

impl Rooms {
    /// Finds what is there, and makes what is not. Others may be making it at this moment, and the
    /// server may be busy or about to start again: it has several tries.
    pub(crate) async fn open(client: Client) -> Result<Rooms, NetError> {
        let mut opened = Rooms::try_open(client.clone()).await;
        for _ in 1..OPENS {
            if opened.is_ok() {
                break;
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
            opened = Rooms::try_open(client.clone()).await;
        }
        opened
    }

    async fn try_open(client: Client) -> Result<Rooms, NetError> {
        let jetstream = jetstream::new(client);
        let work = stream::Config {
            name: named("work"),
            subjects: vec![work_subject("*", "*")],
            retention: RetentionPolicy::WorkQueue,
            max_age: DAY,
            ..stream::Config::default()
        };
        let failed = because::<jetstream::context::CreateStreamError>;
        let work = jetstream.get_or_create_stream(work).await.map_err(failed("queue"))?;
        let queue = pull::Config {
            durable_name: Some(named("workers")),
            ack_policy: AckPolicy::Explicit,
            ack_wait: ACK_WAIT,
            max_waiting: MAX_WORKERS,
            max_ack_pending: MAX_WORKERS,
            ..pull::Config::default()
        };
        let queue = work.get_or_create_consumer(&named("workers"), queue).await;
        let results = stream::Config {
            name: named("results"),
            subjects: vec![result_subject("*")],
            max_age: HOUR,
            ..stream::Config::default()
        };
        Ok(Rooms {
            work,
            queue: queue.map_err(because("queue"))?,
            results: jetstream.get_or_create_stream(results).await.map_err(failed("results"))?,
            models: Objects::open(&jetstream, named("models"), 7 * DAY).await?,
            evidence: Objects::open(&jetstream, named("evidence"), HOUR).await?,
            leases: keys(&jetstream, "leases").await?,
            workers: keys(&jetstream, "workers").await?,
            jetstream,
        })
    }

    /// A consumer of the results of a job.
    pub(crate) async fn results_of(&self, job: &str) -> Result<PullConsumer, NetError> {
        let config = pull::Config {
            durable_name: Some(job.to_owned()),
            filter_subject: result_subject(job),
            ack_policy: AckPolicy::Explicit,
            ack_wait: ACK_WAIT,
            inactive_threshold: 5 * MINUTE,
            ..pull::Config::default()
        };
        self.results.get_or_create_consumer(job, config).await.map_err(because("results"))
    }
}

async fn keys(jetstream: &jetstream::Context, what: &str) -> Result<Store, NetError> {
    let bucket = named(what);
    if let Ok(store) = jetstream.get_key_value(&bucket).await {
        return Ok(store);
    }
    // As the client would make it. That one first asks the server about our account, and does not
    // understand the answer of server 2.9, which Debian has.
    let config = stream::Config {
        name: format!("KV_{bucket}"),
        subjects: vec![format!("$KV.{bucket}.>")],
        max_messages_per_subject: 1,
        max_age: LEASE,
        duplicate_window: LEASE,
        discard: DiscardPolicy::New,
        allow_rollup: true,
        deny_delete: true,
        allow_direct: true,
        num_replicas: 1,
        ..stream::Config::default()
    };
    jetstream.get_or_create_stream(config).await.map_err(because(what))?;
    jetstream.get_key_value(&bucket).await.map_err(because(what))
}

/// The name of this machine.
pub fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname");
    let name = name.ok().or_else(|| std::env::var("HOSTNAME").ok()).unwrap_or_default();
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || "-._".contains(*c);
    let name: String = name.trim().chars().filter(is_plain).take(64).collect();
    if name.is_empty() { "unknown".to_owned() } else { name }
}

/// A name that no other process has: by time, process and machine.
pub fn unique_name() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let nanos = now.map_or(0, |now| now.as_nanos());
    static COUNT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    let count = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let text = format!("{nanos} {} {} {count}", std::process::id(), host());
    pedra_formats::sha256::sha256(text.as_bytes())[..20].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_shown() {
        let access = Access {
            address: "nats://anna:geheim@host".to_owned(),
            login: Some(("anna".to_owned(), "geheim".to_owned())),
            ..Access::default()
        };
        let error = access.addresses().expect_err("it has a password").to_string();
        assert!(!error.contains("geheim") && error.contains("PEDRA_CLUSTER_PASSWORD"), "{error}");
        let plain = Access { address: "nats://host".to_owned(), ..access };
        assert!(!format!("{plain:?}").contains("geheim"));
        assert_eq!(plain.addresses().map(|a| a.len()), Ok(1));
        let several = Access { address: "nats://a, tls://b:1".to_owned(), ..plain };
        assert_eq!(several.addresses().map(|a| a.len()), Ok(2));
    }
}
