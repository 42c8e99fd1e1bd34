//! Workers on other machines: `pedra worker`, `pedra cluster status`, and `pedra check --cluster`.

mod reading;
mod recipe;
pub mod status;
pub mod worker;

use crate::args::CheckArgs;
use crate::commands::language::ProgramSource;
use crate::load::{InputError, Loaded};
use crate::output::note;
use anyhow::Result;
use clap::Args;
use pedra_check::{
    Graphs, Observer, Plan, ProgramObserver, decide_elsewhere, decide_program_elsewhere,
};
use pedra_cluster::net::Note;
use pedra_cluster::{About, Access, Asked, Asker};
use pedra_formats::text::printable;
use pedra_model::Model;
use pedra_program::Program;
use pedra_solve::Interrupt;
use recipe::Level;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where the server is, if none is named.
const DEFAULT_ADDRESS: &str = "nats://127.0.0.1:4222";

/// How a server is reached.
#[derive(Args, Debug, Clone, Default)]
pub struct ClusterArgs {
    /// Have workers search, through the NATS server at this address: nats://HOST:PORT or
    /// tls://HOST:PORT, several with commas. Answers are checked here
    #[arg(long, value_name = "ADDRESS", help_heading = "Cluster", hide_short_help = true)]
    pub cluster: Option<String>,
    /// A NATS credentials file
    #[arg(long, value_name = "FILE", help_heading = "Cluster", hide_short_help = true)]
    pub cluster_creds: Option<PathBuf>,
    /// A file with an NKey (its seed)
    #[arg(long, value_name = "FILE", help_heading = "Cluster", hide_short_help = true)]
    pub cluster_nkey: Option<PathBuf>,
    /// Certificates to trust in addition to those of the system (PEM); enables TLS
    #[arg(long, value_name = "FILE", help_heading = "Cluster", hide_short_help = true)]
    pub cluster_ca: Option<PathBuf>,
    /// The client certificate (PEM), for servers that ask for one; enables TLS
    #[arg(
        long,
        value_name = "FILE",
        requires = "cluster_key",
        help_heading = "Cluster",
        hide_short_help = true
    )]
    pub cluster_cert: Option<PathBuf>,
    /// Its key (PEM)
    #[arg(
        long,
        value_name = "FILE",
        requires = "cluster_cert",
        help_heading = "Cluster",
        hide_short_help = true
    )]
    pub cluster_key: Option<PathBuf>,
}

impl ClusterArgs {
    /// The server of a command that cannot do without.
    fn access_anyway(&self) -> Result<Access, InputError> {
        let named = self.cluster.clone().or_else(|| variable("PEDRA_CLUSTER"));
        self.access(named.unwrap_or_else(|| DEFAULT_ADDRESS.to_owned()))
    }

    /// What the server wants to see. Secrets come from files and the environment only.
    fn access(&self, address: String) -> Result<Access, InputError> {
        let login = match (variable("PEDRA_CLUSTER_USER"), variable("PEDRA_CLUSTER_PASSWORD")) {
            (Some(user), Some(password)) => Some((user, password)),
            (None, None) => None,
            _ => {
                let text = "PEDRA_CLUSTER_USER and PEDRA_CLUSTER_PASSWORD belong together";
                return Err(InputError(text.to_owned()));
            }
        };
        Ok(Access {
            address,
            credentials: self.cluster_creds.clone(),
            nkey: self.cluster_nkey.clone(),
            login,
            token: variable("PEDRA_CLUSTER_TOKEN"),
            authorities: self.cluster_ca.clone(),
            certificate: self.cluster_cert.clone().zip(self.cluster_key.clone()),
        })
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Notes of the network, unless they are not wanted.
fn noter(is_quiet: bool) -> Note {
    Arc::new(move |text: &str| {
        if !is_quiet {
            note(&format!("cluster: {}", printable(text)));
        }
    })
}

/// Refuses what needs to see engines at work, or what workers cannot read.
///
/// # Errors
/// The first such option.
pub fn refuse(args: &CheckArgs) -> Result<(), InputError> {
    if args.cluster.cluster.is_none() {
        let others = [
            ("--cluster-creds", args.cluster.cluster_creds.is_some()),
            ("--cluster-nkey", args.cluster.cluster_nkey.is_some()),
            ("--cluster-ca", args.cluster.cluster_ca.is_some()),
            ("--cluster-cert", args.cluster.cluster_cert.is_some()),
        ];
        return match others.into_iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) => Err(InputError(format!("{option}: only with --cluster"))),
            None => Ok(()),
        };
    }
    let given = [
        ("--record", args.record.is_some()),
        ("--report", args.report.is_some()),
        ("--plot", args.plot.is_some()),
        ("--queries", args.queries.is_some()),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => {
            let text = format!("{option}: not with --cluster, since engines run on other machines");
            Err(InputError(text))
        }
        None => Ok(()),
    }
}

/// Has the properties decided by workers; `None` if that was not asked for.
///
/// # Errors
/// If the server cannot be reached, or what the observer could not do.
pub fn decide<O: Observer<Error = anyhow::Error>>(
    args: &CheckArgs,
    loaded: &Loaded,
    selected: &[usize],
    plan: &Plan,
    interrupt: &Interrupt,
    observer: &O,
) -> Option<Result<()>> {
    let address = args.cluster.cluster.clone()?;
    Some(decide_at(address, args, loaded, selected, plan, interrupt, observer))
}

fn decide_at<O: Observer<Error = anyhow::Error>>(
    address: String,
    args: &CheckArgs,
    loaded: &Loaded,
    selected: &[usize],
    plan: &Plan,
    interrupt: &Interrupt,
    observer: &O,
) -> Result<()> {
    if selected.is_empty() {
        return Ok(());
    }
    let model = &loaded.model;
    let level = match model {
        Model::Bits(_) => Level::Bits,
        Model::Words(_) => Level::Words,
    };
    let asked = Asked {
        about: model,
        bytes: &loaded.bytes,
        program: None,
        name: shown_name(&loaded.path),
        properties: selected,
        recipes: recipe::recipes(args, level),
        memory: args.limits.memory,
        exchange: plan.exchange,
    };
    let (access, noter) = (args.cluster.access(address)?, noter(args.output.quiet));
    let mut asker = Asker::start(access, asked, noter, interrupt)?;
    let decided = decide_elsewhere(model, selected, plan, interrupt, observer, &mut asker);
    finish(asker);
    decided
}

/// Has properties of a program decided by workers.
///
/// # Errors
/// If the server cannot be reached, or what the observer could not do.
pub fn decide_program<O: ProgramObserver<Error = anyhow::Error>>(
    address: &str,
    args: &CheckArgs,
    (source, program, selected): (&ProgramSource<'_>, &Program, &[usize]),
    plan: &Plan,
    interrupt: &Interrupt,
    observer: &O,
) -> Result<()> {
    let graphs = Graphs::new(program);
    let asked = Asked {
        about: &graphs,
        bytes: &source.text,
        program: Some(reading::reading(source, program, &args.property)),
        name: shown_name(&args.model),
        properties: selected,
        recipes: recipe::recipes(args, Level::of_program(program)),
        memory: args.limits.memory,
        exchange: plan.exchange,
    };
    let (access, noter) = (args.cluster.access(address.to_owned())?, noter(args.output.quiet));
    let mut asker = Asker::start(access, asked, noter, interrupt)?;
    let decided =
        decide_program_elsewhere(&graphs, selected, plan, interrupt, observer, &mut asker);
    finish(asker);
    decided
}

/// What a model is called, for `cluster status`.
fn shown_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    printable(&name).chars().take(100).collect()
}

fn finish<A: About>(asker: Asker<'_, A>) {
    if !asker.finish() {
        note(
            "cluster: the server could not be notified of the end; workers notice it within seconds",
        );
    }
}
