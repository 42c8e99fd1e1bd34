//! Options of `check` on their way to a worker and back.

use crate::args::{CheckArgs, Cli, Command, ReductionName, SolverName};
use crate::commands::check::plan_of;
use clap::ValueEnum;
use pedra_check::lineup::{BESIDE, Row};
use pedra_check::{EngineName, Liveness, Plan};
use pedra_cluster::wire::Recipe;
use pedra_engines::settings::{engine_of, engines_read};
use pedra_program::Program;
use std::ffi::OsString;

/// How a value is typed.
pub(super) fn name<T: ValueEnum>(value: &T) -> String {
    let named = value.to_possible_value().expect("no value is skipped");
    named.get_name().to_owned()
}

/// What engines work on.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Level {
    /// Bits.
    Bits,
    /// Words.
    Words,
    /// A program without integers: its words, and itself.
    Program,
    /// A program with integers.
    Integers,
}

impl Level {
    /// That of a program.
    pub(super) fn of_program(program: &Program) -> Level {
        let terms = &program.terms;
        match terms.iter().any(|(id, _)| terms.sort(id).has_integers()) {
            true => Level::Integers,
            false => Level::Program,
        }
    }

    /// What further threads of `auto` run, in the same order.
    fn beside(self) -> Vec<Row> {
        let row = |engine| Row { engine, options: &[] };
        let on_words = BESIDE.iter().copied();
        match self {
            Level::Bits => on_words.filter(|row| row.engine != EngineName::Wpdr).collect(),
            Level::Words => on_words.collect(),
            Level::Program => std::iter::once(row(EngineName::Program)).chain(on_words).collect(),
            Level::Integers => {
                [EngineName::Kind, EngineName::Program, EngineName::Bmc].map(row).to_vec()
            }
        }
    }
}

/// The recipe that was asked for, and what may be tried beside it: for `auto`, what its threads
/// run.
pub(super) fn recipes(args: &CheckArgs, level: Level) -> Vec<Recipe> {
    let asked = Recipe {
        engine: args.engine.text().to_owned(),
        liveness: args.liveness.text().to_owned(),
        depth: args.depth,
        options: args.option.clone(),
        reduce: args.reduce.iter().map(name::<ReductionName>).collect(),
        solver: args.solver.as_ref().map(name::<SolverName>),
        array_bits: args.blast.array_bits,
        // There is a worker for each core.
        threads: args.run.threads.unwrap_or(1),
        seed: args.run.seed,
    };
    if args.engine != EngineName::Auto || args.liveness != Liveness::Auto {
        return vec![asked];
    }
    let beside = level.beside().into_iter().map(|row| {
        let read = engines_read(row.engine.text());
        let is_read = |option: &&String| engine_of(option).is_ok_and(|owner| read.contains(&owner));
        let of_user = args.option.iter().filter(is_read).cloned();
        let of_row = row.options.iter().map(|&option| option.to_owned());
        Recipe {
            engine: row.engine.text().to_owned(),
            options: of_user.chain(of_row).collect(),
            threads: 1,
            ..asked.clone()
        }
    });
    std::iter::once(asked.clone()).chain(beside).collect()
}

/// What a recipe means, with at most this many threads. It goes through the parser of the command
/// line: what `pedra check` would not take is refused. No field can become another option.
pub(super) fn plan(recipe: &Recipe, threads: u16) -> Result<Plan, String> {
    let mut words = vec![
        format!("--engine={}", recipe.engine),
        format!("--liveness={}", recipe.liveness),
        format!("--reduce={}", recipe.reduce.join(",")),
        format!("--array-bits={}", recipe.array_bits),
        format!("--threads={}", recipe.threads.min(threads)),
        format!("--seed={}", recipe.seed),
    ];
    words.extend(recipe.depth.map(|depth| format!("--depth={depth}")));
    words.extend(recipe.solver.as_ref().map(|solver| format!("--solver={solver}")));
    words.extend(recipe.options.iter().map(|option| format!("-o{option}")));
    let first = ["pedra", "check"].map(str::to_owned).into_iter();
    let last = ["--", "-"].map(str::to_owned);
    let words = first.chain(words).chain(last).map(OsString::from);
    match Cli::read(words) {
        Ok(Cli { command: Command::Check(args) }) => {
            args.refuse_unread().map_err(|error| error.to_string())?;
            Ok(plan_of(&args))
        }
        Ok(_) => Err("no recipe".to_owned()),
        Err(error) => Err(error.to_string().lines().next().unwrap_or_default().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(words: &[&str]) -> CheckArgs {
        let words = ["pedra", "check", "-"].iter().chain(words).map(OsString::from);
        match Cli::read(words) {
            Ok(Cli { command: Command::Check(args) }) => *args,
            other => panic!("{other:?}"),
        }
    }

    /// What a worker makes of a recipe is what the asker would do itself.
    #[test]
    fn plans_are_the_same_on_both_sides() {
        for words in [
            &[][..],
            &["--engine", "pdr", "-o", "pdr.ctg=1", "--solver", "cadical", "--seed", "7"],
            &["--engine", "kind", "-o", "kind.simple-path=on", "--depth", "9"],
            &["--reduce", "cone,sweep", "--array-bits", "77", "--threads", "3"],
            &["--liveness", "rlive"],
        ] {
            let args = args(words);
            let recipes = recipes(&args, Level::Bits);
            let plan = plan(&recipes[0], 8).expect("it was taken here");
            assert_eq!(format!("{plan:?}"), format!("{:?}", plan_of(&args)), "{words:?}");
        }
    }

    #[test]
    fn every_recipe_is_taken() {
        let options = ["bmc.window=3", "-o", "pdr.ctg=1", "-o", "pdr.abstract=off"];
        let args = args(&[&["--threads", "4", "-o"], &options[..]].concat());
        for (level, count) in [
            (Level::Words, BESIDE.len()),
            (Level::Bits, BESIDE.len() - 1),
            (Level::Program, BESIDE.len() + 1),
            (Level::Integers, 3),
        ] {
            let recipes = recipes(&args, level);
            assert_eq!(recipes.len(), 1 + count);
            for recipe in recipes {
                plan(&recipe, 8).unwrap_or_else(|text| panic!("{recipe:?}: {text}"));
            }
        }
    }

    #[test]
    fn a_recipe_cannot_smuggle_options() {
        let good = recipes(&args(&[]), Level::Bits).remove(0);
        let engine = |text: &str| Recipe { engine: text.to_owned(), ..good.clone() };
        let option = |text: &str| Recipe { options: vec![text.to_owned()], ..good.clone() };
        let bad = [
            engine("pdr --trace=x"),
            engine(""),
            engine("kind\n--trace=x"),
            option("--trace=x"),
            option(""),
            option("page.html"),
            Recipe { reduce: vec!["all,--trace".to_owned()], ..good.clone() },
            Recipe { solver: Some("z3".to_owned()), ..good.clone() },
        ];
        for recipe in bad {
            assert!(plan(&recipe, 1).is_err(), "{recipe:?}");
        }
    }
}
