//! Who is there, and what is going on.

use crate::net::{self, Access, NetError, Note, Rooms, because};
use crate::wire::{self, Lease, Presence};
use async_nats::jetstream::kv::Store;
use futures_util::TryStreamExt;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::time::Duration;

/// How long all answers together may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// What is shown of a cluster.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Status {
    /// Tasks that wait.
    pub waiting: u64,
    /// Tasks that are under way.
    pub running: usize,
    /// Tasks that were given out more than once, and are under way.
    pub redelivered: usize,
    /// Workers that wait for work.
    pub idle: usize,
    /// The workers, by name.
    pub workers: Vec<Named<Presence>>,
    /// Workers and jobs of other versions, in words.
    pub others: Vec<String>,
    /// The jobs, by name.
    pub jobs: Vec<Named<Job>>,
}

/// A run of an asker.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Job {
    /// The machine.
    pub host: String,
    /// The model's name.
    pub model: String,
    /// How many properties were asked for.
    pub properties: usize,
    /// Those that are settled.
    pub settled: Vec<usize>,
}

impl From<Lease> for Job {
    fn from(Lease { host, model, properties, settled }: Lease) -> Job {
        Job { host, model, properties, settled: settled.iter().collect() }
    }
}

/// A value under a name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Named<T> {
    /// The name.
    pub name: String,
    /// The value.
    #[serde(flatten)]
    pub value: T,
}

/// Asks the server.
///
/// # Errors
/// If it does not answer.
pub fn status(access: &Access, note: &Note) -> Result<Status, NetError> {
    let look = async {
        let rooms = Rooms::open(access.connect(note).await?).await?;
        let info = rooms.queue.get_info().await.map_err(because("queue"))?;
        let mut others = Vec::new();
        let workers = all(&rooms.workers, &mut others).await?;
        let jobs: Vec<Named<Lease>> = all(&rooms.leases, &mut others).await?;
        let job = |Named { name, value }: Named<Lease>| Named { name, value: value.into() };
        Ok(Status {
            waiting: info.num_pending,
            running: info.num_ack_pending,
            redelivered: info.num_redelivered,
            idle: info.num_waiting,
            workers,
            others,
            jobs: jobs.into_iter().map(job).collect(),
        })
    };
    net::run(async {
        let silent = |_| NetError("the server does not answer".to_owned());
        tokio::time::timeout(PATIENCE, look).await.map_err(silent)?
    })
}

/// All values of a store, by name.
async fn all<T: DeserializeOwned>(
    store: &Store,
    others: &mut Vec<String>,
) -> Result<Vec<Named<T>>, NetError> {
    // Not `Store::keys`: it waits for as many messages as there were, and waits for ever if a key
    // is written again meanwhile, as presences and leases are every few seconds.
    let prefix = format!("$KV.{}.", store.name);
    let subjects = store.stream.info_with_subjects(format!("{prefix}>")).await;
    let subjects = subjects.map_err(because("keys"))?.try_collect::<Vec<(String, usize)>>();
    let mut subjects = subjects.await.map_err(because("keys"))?;
    subjects.sort_unstable();
    let mut found = Vec::new();
    for (subject, _) in subjects {
        let Some(name) = subject.strip_prefix(&prefix).map(str::to_owned) else { continue };
        // What was deleted, or has expired meanwhile, is gone.
        let Ok(Some(bytes)) = store.get(&name).await else { continue };
        match wire::decode(&bytes) {
            Ok(value) => found.push(Named { name, value }),
            Err(error) => others.push(format!("{name}: {error}")),
        }
    }
    Ok(found)
}
