//! Objects on the server: models, and evidence that does not fit into a message.
//!
//! The client's object store writes them. We read them ourselves: the client's reader waits for
//! ever for a part that is not there, follows links in circles, and panics if the server goes
//! away meanwhile. What lies on the server may be anyone's.

use crate::net::{NetError, because};
use crate::wire::MAX_OBJECT;
use async_nats::jetstream;
use async_nats::jetstream::object_store::{self, InfoErrorKind, ObjectInfo, ObjectStore};
use async_nats::jetstream::stream::{DirectGetErrorKind, Stream};
use std::time::Duration;

/// The least bytes of each part but the last. The client makes them of 64 KiB and more; a lower
/// bound keeps a hostile object from costing a request for each byte.
const MIN_PART: usize = 1 << 10;

/// How often an object is asked for while the server does not answer, a second apart.
const TRIES: usize = 3;

/// A store of objects.
#[derive(Clone)]
pub(crate) struct Objects {
    store: ObjectStore,
    /// The stream below it.
    parts: Stream<()>,
    bucket: String,
}

/// What is known of an object before it is read.
struct Plan {
    subject: String,
    size: usize,
    parts: usize,
}

impl Objects {
    /// Finds a store, or makes it.
    pub(crate) async fn open(
        jetstream: &jetstream::Context,
        bucket: String,
        max_age: Duration,
    ) -> Result<Objects, NetError> {
        let store = match jetstream.get_object_store(&bucket).await {
            Ok(store) => store,
            Err(_) => {
                let config = object_store::Config {
                    bucket: bucket.clone(),
                    max_age,
                    ..object_store::Config::default()
                };
                jetstream.create_object_store(config).await.map_err(because("objects"))?
            }
        };
        let parts = jetstream.get_stream_no_info(format!("OBJ_{bucket}")).await;
        Ok(Objects { store, parts: parts.map_err(because("objects"))?, bucket })
    }

    /// Whether an object of this name and size seems to be there.
    pub(crate) async fn has(&self, name: &str, size: usize) -> bool {
        let info = self.store.info(name).await;
        info.is_ok_and(|info| info.size == size && !info.deleted)
    }

    /// Writes an object.
    pub(crate) async fn put(&self, name: &str, mut bytes: &[u8]) -> Result<(), NetError> {
        self.store.put(name, &mut bytes).await.map(|_| ()).map_err(because(name))
    }

    /// Forgets an object.
    pub(crate) async fn delete(&self, name: &str) -> Result<(), NetError> {
        self.store.delete(name).await.map_err(because(name))
    }

    /// Reads an object. `None` if it is not there, or not whole.
    ///
    /// # Errors
    /// If the server does not answer.
    pub(crate) async fn get(&self, name: &str) -> Result<Option<Vec<u8>>, NetError> {
        let mut last = Ok(None);
        for _ in 0..TRIES {
            last = self.try_get(name).await;
            if last.is_ok() {
                break;
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        last
    }

    async fn try_get(&self, name: &str) -> Result<Option<Vec<u8>>, NetError> {
        let info = match self.store.info(name).await {
            Ok(info) => info,
            Err(error) if error.kind() == InfoErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(because(name)(error)),
        };
        let Some(Plan { subject, size, parts }) = plan(&self.bucket, &info) else {
            return Ok(None);
        };
        // Grows with what comes: what the store tells of the size may be a lie.
        let (mut bytes, mut sequence) = (Vec::new(), 1);
        for part in 1..=parts {
            let message = self.parts.direct_get_next_for_subject(&subject, Some(sequence)).await;
            let message = match message {
                Ok(message) => message,
                Err(error) if error.kind() == DirectGetErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(because(name)(error)),
            };
            bytes.extend_from_slice(&message.payload);
            let is_small = message.payload.len() < MIN_PART && part < parts;
            if is_small || bytes.len() > size {
                return Ok(None);
            }
            sequence = message.sequence + 1;
        }
        Ok(Some(bytes).filter(|bytes| bytes.len() == size))
    }
}

/// How an object is read. `None` if it cannot be one of ours: deleted, too large, a link, or with
/// a subject that is a pattern.
fn plan(bucket: &str, info: &ObjectInfo) -> Option<Plan> {
    let is_link = info.options.as_ref().is_some_and(|options| options.link.is_some());
    let is_plain = !info.nuid.is_empty() && info.nuid.bytes().all(|b| b.is_ascii_alphanumeric());
    let is_possible = info.size <= MAX_OBJECT && info.chunks <= info.size / MIN_PART + 1;
    let is_ours = !info.deleted && !is_link && is_plain && is_possible;
    is_ours.then(|| Plan {
        subject: format!("$O.{bucket}.C.{}", info.nuid),
        size: info.size,
        parts: info.chunks,
    })
}
