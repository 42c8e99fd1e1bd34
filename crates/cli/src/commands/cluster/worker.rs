//! `pedra worker`: takes work from a queue, until it is stopped.

use super::{ClusterArgs, noter, reading, recipe};
use crate::args::{parse_duration, parse_size};
use crate::limits::{cpu_seconds, memory_in_use, signal_flag};
use anyhow::Result;
use clap::Args;
use pedra_cluster::{Ended, Limits, Worker};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// `pedra worker`.
#[derive(Args, Debug, Clone)]
pub struct WorkerArgs {
    /// The server.
    #[command(flatten)]
    pub cluster: ClusterArgs,
    /// Stop each task after this time, such as 90, 20s, 10m, even if the task allows more
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub timeout: Option<Duration>,
    /// Stop a task when the process uses this much memory, such as 500M, 4G
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub memory: Option<u64>,
    /// How many threads the engines of a task may use
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(1..=256)
    )]
    pub threads: u16,
    /// End after this time without work
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub idle: Option<Duration>,
    /// Errors only
    #[arg(long, short)]
    pub quiet: bool,
}

/// Runs the command; gives the exit code.
pub fn run(args: &WorkerArgs) -> Result<i32> {
    let (signal, threads) = (signal_flag(), args.threads);
    let worker = Worker {
        access: args.cluster.access_anyway()?,
        limits: Limits { timeout: args.timeout, memory: args.memory },
        idle: args.idle,
        note: noter(args.quiet),
        is_stopped: Box::new(move || signal.load(Ordering::Relaxed) != 0),
        plan_of: Box::new(move |wanted| recipe::plan(wanted, threads)),
        read: Arc::new(reading::read),
        memory: memory_in_use,
        cpu: cpu_seconds,
    };
    match worker.run()? {
        Ended::Stopped => Ok(0),
        Ended::Unfit(why) => {
            (worker.note)(&format!("{why}: this worker restarts"));
            let program = std::env::current_exe()?;
            // Comes back only if there is no new process.
            Err(Command::new(program).args(std::env::args_os().skip(1)).exec().into())
        }
    }
}
