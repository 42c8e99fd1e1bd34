//! `pedra cluster status`: who is there, and what is going on.

use super::{ClusterArgs, noter};
use crate::output::say;
use anyhow::Result;
use clap::{Args, Subcommand};
use pedra_cluster::status::{Job, Named, Status, status};
use pedra_cluster::wire::Presence;
use pedra_formats::text::printable;
use std::fmt::Write as _;

/// `pedra cluster`.
#[derive(Args, Debug, Clone)]
pub struct ClusterCommand {
    /// What to do.
    #[command(subcommand)]
    pub what: What,
}

/// The commands of `pedra cluster`.
#[derive(Subcommand, Debug, Clone)]
pub enum What {
    /// Show workers, the queue, and what is worked on
    Status(StatusArgs),
}

/// `pedra cluster status`.
#[derive(Args, Debug, Clone)]
pub struct StatusArgs {
    /// The server.
    #[command(flatten)]
    pub cluster: ClusterArgs,
    /// One JSON object instead of text (schema: docs/JSON.md)
    #[arg(long)]
    pub json: bool,
}

/// Runs the command; gives the exit code.
pub fn run(command: &ClusterCommand) -> Result<i32> {
    let What::Status(args) = &command.what;
    let found = status(&args.cluster.access_anyway()?, &noter(true))?;
    match args.json {
        true => say(&serde_json::to_string(&found)?),
        false => say(text(&found).trim_end()),
    }
    Ok(0)
}

fn text(status: &Status) -> String {
    let Status { waiting, running, redelivered, idle, workers, others, jobs } = status;
    let mut text = format!("queue: {waiting} waiting, {running} running");
    if *redelivered > 0 {
        let _ = write!(text, ", {redelivered} of them again");
    }
    let rate: u64 = workers.iter().map(|worker| worker.value.done_last_minute).sum();
    let _ = writeln!(
        text,
        "\nworkers: {}, {idle} of them idle; {rate} {} in the last minute",
        workers.len(),
        if rate == 1 { "task" } else { "tasks" }
    );
    workers.iter().for_each(|worker| worker_line(&mut text, worker));
    let _ = writeln!(text, "jobs: {}", jobs.len());
    jobs.iter().for_each(|job| job_line(&mut text, job));
    for other in others {
        let _ = writeln!(text, "  not understood: {}", printable(other));
    }
    text
}

fn worker_line(text: &mut String, Named { name, value }: &Named<Presence>) {
    let Presence { host, process, up_s, done, cpu_ms, .. } = value;
    let now = match &value.task {
        Some((job, task, engine, properties)) => {
            let shown = if *properties == 1 { "property" } else { "properties" };
            let time = value.task_s;
            format!("{engine} on {properties} {shown} of job {job}, task {task}, for {time} s")
        }
        None => "idle".to_owned(),
    };
    let line = format!(
        "  {name}  {host} process {process}, up {up_s} s, {done} tasks, {:.1} s of CPU: {now}",
        *cpu_ms as f64 / 1000.0
    );
    let _ = writeln!(text, "{}", printable(&line));
}

fn job_line(text: &mut String, Named { name, value }: &Named<Job>) {
    let Job { host, model, properties, settled } = value;
    let line = format!("  {name}  {model} from {host}: {} of {properties} settled", settled.len());
    let _ = writeln!(text, "{}", printable(&line));
}
