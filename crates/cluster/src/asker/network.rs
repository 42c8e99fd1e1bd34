//! The asker's side of the network, on a thread of its own.

use super::Asked;
use crate::net::{
    self, Access, NetError, Note, QUICK, RENEW_EVERY, Rooms, because, result_subject, work_subject,
};
use crate::wire::{self, Lease, MAX_OBJECT, Marks, Report, Task, What};
use async_nats::jetstream::Message;
use async_nats::jetstream::message::PublishMessage;
use futures_util::{StreamExt, TryStreamExt};
use pedra_solve::Interrupt;
use std::cell::Cell;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::time::timeout;

/// How often workers are counted.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// If there is no worker at this many looks, the user is told.
const LONELY_LOOKS: u32 = 8;

/// How often we look which of our tasks are in the queue.
const COUNT_EVERY: Duration = Duration::from_secs(5);

/// How many bytes of results may wait for their check.
const WAITING_BYTES: usize = MAX_OBJECT;

/// What a result weighs at least, however short it is.
const MIN_WEIGHT: usize = 1 << 10;

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
    /// These tasks of ours are in the queue, or under way.
    Queued(BTreeSet<u64>),
}

/// Something that comes in, and what it weighs while it waits.
struct Parcel(usize, Incoming);

/// The thread of the network.
pub(super) struct Network {
    orders: UnboundedSender<Order>,
    incoming: mpsc::Receiver<Parcel>,
    /// Bytes of reports that wait.
    waiting: Arc<AtomicUsize>,
    /// Dropped when nothing is wanted any more.
    wanted: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<Result<(), NetError>>>,
}

impl Network {
    /// Connects. When this returns the model is in the store and the lease is written.
    pub(super) fn start<A>(
        access: Access,
        asked: &Asked<'_, A>,
        hash: &str,
        job: &str,
        note: Note,
        interrupt: &Interrupt,
    ) -> Result<Network, NetError> {
        if asked.bytes.len() > MAX_OBJECT {
            return Err(NetError(format!("the model has more than {MAX_OBJECT} bytes")));
        }
        let (orders, orders_in) = unbounded_channel();
        let (sender, incoming) = mpsc::channel();
        let (ready, is_ready) = mpsc::channel();
        let (wanted, unwanted) = oneshot::channel();
        let waiting: Arc<AtomicUsize> = Arc::default();
        let lease = Lease {
            host: net::host(),
            model: asked.name.clone(),
            properties: asked.properties.len(),
            settled: Marks::default(),
        };
        let (bytes, hash, job) = (asked.bytes.to_vec(), hash.to_owned(), job.to_owned());
        let (shared, address) = (waiting.clone(), access.address.clone());
        let serve = async move || {
            let open = async move {
                let rooms = Rooms::open(access.connect(&note).await?).await?;
                let desk = Desk { rooms, job, hash, bytes, sender, waiting: shared, note, address };
                if !desk.rooms.models.has(&desk.hash, desk.bytes.len()).await {
                    desk.upload().await?;
                }
                desk.renew(&lease).await?;
                Ok((desk, lease))
            };
            tokio::pin!(unwanted);
            let opened = tokio::select! {
                opened = open => opened,
                _ = &mut unwanted => return Ok(()),
            };
            match opened {
                Ok((desk, lease)) => {
                    let _ = ready.send(Ok(()));
                    // Whatever the server does or does not, the end comes when it is wanted. A
                    // panic of either side ends the thread, which the asker notices.
                    tokio::select! {
                        _ = unwanted => {}
                        () = desk.give_out(orders_in, lease) => {}
                        () = desk.receive() => {}
                    }
                    desk.end().await
                }
                Err(error) => {
                    let _ = ready.send(Err(error));
                    Ok(())
                }
            }
        };
        let body = move || net::run(serve());
        let thread = std::thread::Builder::new().spawn(body).map_err(because("no thread"))?;
        loop {
            match is_ready.recv_timeout(LOOK_EVERY / 5) {
                Ok(is_open) => break is_open?,
                Err(RecvTimeoutError::Timeout) if interrupt.is_raised() => {
                    return Err(NetError("stopped before the server had the model".to_owned()));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(NetError("the network has failed".to_owned()));
                }
            }
        }
        Ok(Network { orders, incoming, waiting, wanted: Some(wanted), thread: Some(thread) })
    }

    pub(super) fn order(&self, order: Order) {
        // If the thread has ended, the next look at what comes in says so.
        let _ = self.orders.send(order);
    }

    /// Waits for what comes in.
    pub(super) fn next(&self, wait: Duration) -> Result<Incoming, RecvTimeoutError> {
        let Parcel(weight, incoming) = self.incoming.recv_timeout(wait)?;
        self.waiting.fetch_sub(weight, Ordering::Relaxed);
        Ok(incoming)
    }

    /// Ends the job. Whether the server was told.
    pub(super) fn finish(mut self) -> bool {
        self.end()
    }

    fn end(&mut self) -> bool {
        self.wanted = None;
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
struct Desk {
    rooms: Rooms,
    job: String,
    hash: String,
    bytes: Vec<u8>,
    sender: mpsc::Sender<Parcel>,
    waiting: Arc<AtomicUsize>,
    note: Note,
    /// Where the server is, for users.
    address: String,
}

impl Desk {
    /// Puts the model into the store.
    async fn upload(&self) -> Result<(), NetError> {
        self.rooms.models.put(&self.hash, &self.bytes).await
    }

    async fn renew(&self, lease: &Lease) -> Result<(), NetError> {
        let value = wire::encode(lease);
        self.rooms.leases.put(&self.job, value.into()).await.map(|_| ()).map_err(because("lease"))
    }

    /// Gives out what is ordered, renews the lease and looks at the queue, until nothing can be
    /// ordered any more. Nothing here waits for long: what the server does not take now is tried
    /// again, and the lease is renewed meanwhile.
    async fn give_out(&self, mut orders: UnboundedReceiver<Order>, mut lease: Lease) {
        let mut unsent: VecDeque<(String, Box<Task>)> = VecDeque::new();
        let (mut published, mut lonely, is_refused) = (0_u64, 0, Cell::new(false));
        let (mut renewed, mut looked, mut counted) = (Instant::now(), None, Instant::now());
        let mut is_dirty = false;
        loop {
            if looked.is_none_or(|at: Instant| at.elapsed() >= LOOK_EVERY) {
                let _ = timeout(QUICK, self.look(&mut lonely)).await;
                looked = Some(Instant::now());
            }
            if counted.elapsed() >= COUNT_EVERY {
                let queued = unsent.iter().map(|(_, task)| task.id).collect();
                let _ = timeout(QUICK, self.count(queued)).await;
                counted = Instant::now();
            }
            if is_dirty || renewed.elapsed() >= RENEW_EVERY {
                // If this fails it is tried again soon; workers wait for as long as a lease lasts.
                let told = timeout(QUICK, self.renew(&lease)).await;
                is_dirty = !matches!(told, Ok(Ok(())));
                renewed = Instant::now();
            }
            let has_failed = match unsent.front() {
                Some((name, task)) if self.publish(name, task, &is_refused).await => {
                    unsent.pop_front();
                    false
                }
                first => first.is_some(),
            };
            let wait = match (has_failed || is_dirty, unsent.is_empty()) {
                (true, _) => LOOK_EVERY / 10,
                (false, true) => LOOK_EVERY,
                (false, false) => Duration::ZERO,
            };
            tokio::select! {
                order = orders.recv() => match order {
                    None => return,
                    Some(Order::Publish(task)) => {
                        // A name of its own each time: the server drops what it has seen, but a
                        // task that was lost must come through.
                        published += 1;
                        unsent.push_back((format!("{}-{}-{published}", self.job, task.id), task));
                    }
                    Some(Order::Settled(properties)) => {
                        properties.into_iter().for_each(|one| lease.settled.insert(one));
                        is_dirty = true;
                    }
                    Some(Order::Upload) => {
                        let _ = self.upload().await;
                    }
                },
                () = tokio::time::sleep(wait) => {}
            }
        }
    }

    /// Ends the job.
    async fn end(&self) -> Result<(), NetError> {
        let end = async {
            let gone = self.rooms.leases.delete(&self.job).await.map_err(because("lease"));
            // What is left of the job is forgotten; if not, it is too old within the hour. Not the
            // tasks: if some are purged, the consumer of server 2.9 skips those of all other jobs.
            // Workers that come to them drop them.
            let _ = self.rooms.results.delete_consumer(&self.job).await;
            let _ = self.rooms.results.purge().filter(result_subject(&self.job)).await;
            gone
        };
        match timeout(LAST_WORDS, end).await {
            Ok(gone) => gone,
            Err(_) => Err(NetError("the server does not answer".to_owned())),
        }
    }

    /// Gives out a task. Whether the server has it; the first time that it has not, users hear why.
    async fn publish(&self, name: &str, task: &Task, is_refused: &Cell<bool>) -> bool {
        let publish = async {
            let payload = wire::encode(task);
            let message = PublishMessage::build().payload(payload.into()).message_id(name);
            let subject = work_subject(&self.job, task.id);
            let sent = self.rooms.jetstream.send_publish(subject, message).await;
            sent.map_err(because("a task"))?.await.map_err(because("a task"))
        };
        match timeout(QUICK, publish).await {
            Ok(Ok(_)) => return true,
            Ok(Err(NetError(text))) if !is_refused.replace(true) => {
                (self.note)(&format!("the server does not take {text}; trying again"));
            }
            Ok(Err(_)) | Err(_) => {}
        }
        false
    }

    /// Counts workers: those that wait for work, and those that have some.
    async fn look(&self, lonely: &mut u32) {
        let Ok(info) = self.rooms.queue.get_info().await else { return };
        let workers = info.num_waiting + info.num_ack_pending;
        *lonely = if workers == 0 { lonely.saturating_add(1) } else { 0 };
        if *lonely == LONELY_LOOKS {
            let address = &self.address;
            let text = "there is no worker; waiting for one. Start it with";
            (self.note)(&format!("{text}: pedra worker --cluster {address}"));
        }
        let _ = self.sender.send(Parcel(0, Incoming::Workers(workers)));
    }

    /// Tells which of our tasks are in the queue or under way, beside those that wait here.
    async fn count(&self, mut queued: BTreeSet<u64>) {
        let subjects = self.rooms.work.info_with_subjects(work_subject(&self.job, "*")).await;
        let Ok(subjects) = subjects else { return };
        let Ok(subjects) = subjects.try_collect::<Vec<(String, usize)>>().await else { return };
        let id = |(subject, _): &(String, usize)| subject.rsplit('.').next()?.parse::<u64>().ok();
        queued.extend(subjects.iter().filter_map(id));
        let _ = self.sender.send(Parcel(0, Incoming::Queued(queued)));
    }

    /// Takes results until it is stopped.
    async fn receive(&self) {
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
        let body = match &incoming {
            Incoming::Report(_, body) => body.len(),
            _ => 0,
        };
        let weight = body.max(message.payload.len()).max(MIN_WEIGHT);
        while self.waiting.load(Ordering::Relaxed) > WAITING_BYTES {
            tokio::time::sleep(LOOK_EVERY / 50).await;
        }
        self.waiting.fetch_add(weight, Ordering::Relaxed);
        if self.sender.send(Parcel(weight, incoming)).is_ok() {
            let _ = timeout(QUICK, message.ack()).await;
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
        // What is read is deleted, so it must be ours.
        if !name.starts_with(&format!("{}-", self.job)) {
            return Incoming::Unreadable("evidence of another job".to_owned());
        }
        match self.rooms.evidence.get(name).await {
            Ok(Some(bytes)) => {
                let _ = timeout(QUICK, self.rooms.evidence.delete(name)).await;
                Incoming::Report(report, bytes)
            }
            Ok(None) => Incoming::Unreadable("evidence that is not there".to_owned()),
            Err(error) => Incoming::Unreadable(error.to_string()),
        }
    }
}
