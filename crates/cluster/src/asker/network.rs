//! The asker's side of the network, on a thread of its own.

use super::Asked;
use crate::net::{
    self, Access, NetError, Note, RENEW_EVERY, Rooms, because, result_subject, work_subject,
};
use crate::wire::{self, Lease, MAX_OBJECT, Report, Task, What};
use async_nats::jetstream::Message;
use async_nats::jetstream::message::PublishMessage;
use futures_util::StreamExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// How often the queue is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// If the queue is empty for this long, and results are missing, they are lost.
const LOST_AFTER: Duration = Duration::from_secs(20);

/// How many bytes of results may wait for their check.
const WAITING_BYTES: usize = MAX_OBJECT;

/// How many results one pull takes, and how long it waits.
const PULL: usize = 32;
const PULL_WAITS: Duration = Duration::from_secs(5);

/// How long the end may take.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// What is asked of the network.
pub(super) enum Order {
    /// To give out a task.
    Publish(Box<Task>),
    /// To tell workers that properties are settled.
    Settled(Vec<usize>),
    /// To put the model into the store once more.
    Upload,
}

/// What comes from the network.
pub(super) enum Incoming {
    /// This many workers are there.
    Workers(usize),
    /// A report with its evidence.
    Report(Report, Vec<u8>),
    /// A report that cannot be read.
    Unreadable(String),
    /// No task is in the queue or under way, for a while.
    QueueIsEmpty,
}

/// The thread of the network.
pub(super) struct Network {
    orders: Option<UnboundedSender<Order>>,
    incoming: mpsc::Receiver<Incoming>,
    /// Bytes of reports that wait.
    waiting: Arc<AtomicUsize>,
    /// Nothing is wanted any more.
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<(), NetError>>>,
}

impl Network {
    /// Connects. When this returns the model is in the store and the lease is written.
    pub(super) fn start(
        access: Access,
        asked: &Asked<'_>,
        hash: &str,
        job: &str,
        note: Note,
    ) -> Result<Network, NetError> {
        if asked.bytes.len() > MAX_OBJECT {
            return Err(NetError(format!("the model has more than {MAX_OBJECT} bytes")));
        }
        let (orders, orders_in) = unbounded_channel();
        let (sender, incoming) = mpsc::channel();
        let (ready, is_ready) = mpsc::channel();
        let waiting: Arc<AtomicUsize> = Arc::default();
        let is_over: Arc<AtomicBool> = Arc::default();
        let lease = Lease {
            host: net::host(),
            model: asked.name.clone(),
            properties: asked.properties.len(),
            settled: Vec::new(),
        };
        let (bytes, hash, job) = (asked.bytes.to_vec(), hash.to_owned(), job.to_owned());
        let (shared, over) = (waiting.clone(), is_over.clone());
        let body = move || {
            net::run(async move {
                let desk = async {
                    let rooms = Rooms::open(access.connect(&note).await?).await?;
                    let (waiting, is_over) = (shared, over);
                    let desk = Desk { rooms, job, hash, bytes, lease, sender, waiting, is_over };
                    desk.upload().await?;
                    desk.renew().await?;
                    Ok(desk)
                };
                match desk.await {
                    Ok(desk) => {
                        let _ = ready.send(Ok(()));
                        desk.serve(orders_in).await
                    }
                    Err(error) => {
                        let _ = ready.send(Err(error));
                        Ok(())
                    }
                }
            })
        };
        let thread = std::thread::Builder::new().spawn(body).map_err(because("no thread"))?;
        is_ready.recv().unwrap_or_else(|_| Err(NetError("the network has failed".to_owned())))?;
        Ok(Network { orders: Some(orders), incoming, waiting, is_over, thread: Some(thread) })
    }

    pub(super) fn order(&self, order: Order) {
        if let Some(orders) = &self.orders {
            // If the thread has ended, the next look at what comes in says so.
            let _ = orders.send(order);
        }
    }

    /// Waits for what comes in.
    pub(super) fn next(&self, wait: Duration) -> Result<Incoming, RecvTimeoutError> {
        let incoming = self.incoming.recv_timeout(wait)?;
        if let Incoming::Report(_, body) = &incoming {
            self.waiting.fetch_sub(body.len(), Ordering::Relaxed);
        }
        Ok(incoming)
    }

    /// Ends the job. Whether the server was told.
    pub(super) fn finish(mut self) -> bool {
        self.end()
    }

    fn end(&mut self) -> bool {
        // The thread ends when nothing can be ordered any more.
        self.orders = None;
        self.is_over.store(true, Ordering::Relaxed);
        self.thread.take().is_some_and(|thread| matches!(thread.join(), Ok(Ok(()))))
    }
}

/// An asker that fails frees its workers, too.
impl Drop for Network {
    fn drop(&mut self) {
        self.end();
    }
}

/// What the thread of the network has.
#[derive(Clone)]
struct Desk {
    rooms: Rooms,
    job: String,
    hash: String,
    bytes: Vec<u8>,
    lease: Lease,
    sender: mpsc::Sender<Incoming>,
    waiting: Arc<AtomicUsize>,
    is_over: Arc<AtomicBool>,
}

impl Desk {
    /// Puts the model into the store, unless it is there.
    async fn upload(&self) -> Result<(), NetError> {
        let known = self.rooms.models.info(&self.hash).await;
        if known.is_ok_and(|info| info.size == self.bytes.len() && !info.deleted) {
            return Ok(());
        }
        net::store(&self.rooms.models, &self.hash, &self.bytes).await
    }

    async fn renew(&self) -> Result<(), NetError> {
        let value = wire::encode(&self.lease);
        self.rooms.leases.put(&self.job, value.into()).await.map(|_| ()).map_err(because("lease"))
    }

    /// Serves until nothing can be ordered any more.
    async fn serve(mut self, mut orders: UnboundedReceiver<Order>) -> Result<(), NetError> {
        let results = tokio::spawn(self.clone().receive());
        let (mut renewed, mut looked, mut empty_since) = (Instant::now(), None, None);
        let mut is_dirty = false;
        loop {
            if looked.is_none_or(|at: Instant| at.elapsed() >= LOOK_EVERY) {
                self.look(&mut empty_since).await;
                looked = Some(Instant::now());
            }
            if is_dirty || renewed.elapsed() >= RENEW_EVERY {
                // If this fails it is tried again soon; workers wait for as long as a lease lasts.
                is_dirty = self.renew().await.is_err();
                renewed = Instant::now();
            }
            let wait = if is_dirty { LOOK_EVERY / 10 } else { LOOK_EVERY };
            tokio::select! {
                order = orders.recv() => match order {
                    None => break,
                    Some(Order::Publish(task)) => self.publish(&task).await,
                    Some(Order::Settled(properties)) => {
                        self.lease.settled.extend(properties);
                        is_dirty = true;
                    }
                    Some(Order::Upload) => {
                        let _ = self.upload().await;
                    }
                },
                () = tokio::time::sleep(wait) => {}
            }
        }
        results.abort();
        let end = async {
            let gone = self.rooms.leases.delete(&self.job).await.map_err(because("lease"));
            // What is left of the job is forgotten; if not, it is too old within the hour.
            let _ = self.rooms.results.delete_consumer(&self.job).await;
            let _ = self.rooms.results.purge().filter(result_subject(&self.job)).await;
            gone
        };
        match tokio::time::timeout(LAST_WORDS, end).await {
            Ok(gone) => gone,
            Err(_) => Err(NetError("the server does not answer".to_owned())),
        }
    }

    /// Gives out a task, for as long as it takes.
    async fn publish(&self, task: &Task) {
        let (name, payload) = (format!("{}-{}", self.job, task.id), wire::encode(task));
        loop {
            let message = PublishMessage::build().payload(payload.clone().into()).message_id(&name);
            let sent = self.rooms.jetstream.send_publish(work_subject(), message).await;
            if let Ok(sent) = sent
                && sent.await.is_ok()
            {
                return;
            }
            tokio::time::sleep(LOOK_EVERY).await;
            if self.is_over.load(Ordering::Relaxed) {
                return;
            }
        }
    }

    /// Counts workers: those that wait for work, and those that have some.
    async fn look(&self, empty_since: &mut Option<Instant>) {
        let Ok(info) = self.rooms.queue.get_info().await else { return };
        let workers = info.num_waiting + info.num_ack_pending;
        let _ = self.sender.send(Incoming::Workers(workers));
        if info.num_pending > 0 || info.num_ack_pending > 0 {
            *empty_since = None;
            return;
        }
        let since = *empty_since.get_or_insert_with(Instant::now);
        if since.elapsed() >= LOST_AFTER {
            *empty_since = None;
            let _ = self.sender.send(Incoming::QueueIsEmpty);
        }
    }

    /// Takes results until it is stopped.
    async fn receive(self) {
        loop {
            let consumer = match self.rooms.results_of(&self.job).await {
                Ok(consumer) => consumer,
                Err(_) => {
                    tokio::time::sleep(LOOK_EVERY).await;
                    continue;
                }
            };
            loop {
                let pull = consumer.batch().max_messages(PULL).expires(PULL_WAITS).messages().await;
                let Ok(mut pull) = pull else { break };
                let mut has_failed = false;
                while let Some(message) = pull.next().await {
                    match message {
                        Ok(message) => self.pass_on(&message).await,
                        Err(_) => has_failed = true,
                    }
                }
                if has_failed {
                    tokio::time::sleep(LOOK_EVERY).await;
                    break;
                }
            }
        }
    }

    /// Passes a result on, with its evidence, and acknowledges it. Waits while too much waits to
    /// be checked.
    async fn pass_on(&self, message: &Message) {
        let incoming = self.read(&message.payload).await;
        if let Incoming::Report(_, body) = &incoming {
            while self.waiting.load(Ordering::Relaxed) > WAITING_BYTES {
                tokio::time::sleep(LOOK_EVERY / 50).await;
            }
            self.waiting.fetch_add(body.len(), Ordering::Relaxed);
        }
        if self.sender.send(incoming).is_ok() {
            let _ = message.ack().await;
        }
    }

    async fn read(&self, payload: &[u8]) -> Incoming {
        let end = payload.iter().position(|&b| b == b'\n').unwrap_or(payload.len());
        let (head, body) = (&payload[..end], payload.get(end + 1..).unwrap_or_default());
        let report: Report = match wire::decode(head) {
            Ok(report) => report,
            Err(error) => return Incoming::Unreadable(error.to_string()),
        };
        let What::Claim { stored: Some(name), .. } = &report.what else {
            return Incoming::Report(report, body.to_vec());
        };
        match net::fetch(&self.rooms.evidence, name).await {
            Ok(Some(bytes)) => {
                let _ = self.rooms.evidence.delete(name).await;
                Incoming::Report(report, bytes)
            }
            Ok(None) => Incoming::Unreadable("evidence that is not there".to_owned()),
            Err(error) => Incoming::Unreadable(error.to_string()),
        }
    }
}
