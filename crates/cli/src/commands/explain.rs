//! `pedra explain`: a run, or the record of one, as a page.

use crate::args::{CheckArgs, ExplainArgs};
use crate::commands::check;
use crate::commands::language::Language;
use crate::evidence::{overwrites_model, refuse_unwritable};
use crate::limits::exit_on_signal;
use crate::load::{InputError, load, read_bytes};
use crate::options::is_page;
use crate::output::{note, same_file, write_file};
use crate::playback::{Live, Subject, make};
use anyhow::{Context, Result};
use pedra_formats::text::printable;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Runs the command; gives the exit code.
pub fn run(args: &ExplainArgs) -> Result<i32> {
    let mut check = args.check.clone();
    let page = page_of(&mut check)?;
    let Some(record) = &args.from else {
        check.report = Some(page);
        return check::run_live(&check, args.live);
    };
    if let Some(option) = check.option.first() {
        return Err(InputError(format!("-o {option}: nothing runs with --from")).into());
    }
    exit_on_signal();
    of_record(record, &check.model, &page)?;
    Ok(0)
}

/// The page that is asked for: `--report FILE` or `-o FILE.html`, or the model's name with another
/// ending, in the working directory.
fn page_of(args: &mut CheckArgs) -> Result<PathBuf, InputError> {
    let (mut pages, options): (Vec<String>, Vec<String>) =
        args.option.drain(..).partition(|option| is_page(option));
    args.option = options;
    pages.extend(args.report.take().map(|path| path.to_string_lossy().into_owned()));
    if let [first, second, ..] = &pages[..] {
        return Err(InputError(format!("one page is made, not two: {first} and {second}")));
    }
    Ok(match pages.pop() {
        Some(page) => PathBuf::from(page),
        None => Path::new(args.model.file_stem().unwrap_or("run".as_ref())).with_extension("html"),
    })
}

/// Makes the page of a record.
fn of_record(record: &Path, model: &Path, page: &Path) -> Result<()> {
    refuse_unwritable(page)?;
    if same_file(page, model) {
        return Err(overwrites_model(page).into());
    }
    if same_file(page, record) {
        let text = "this is the record itself; choose another name";
        return Err(InputError(format!("{}: {text}", page.display())).into());
    }
    let about = || record.display().to_string();
    let file = File::open(record).with_context(about)?;
    let content = match Language::of(model) {
        Some(_) => {
            let bytes = read_bytes(model)?;
            make(&file, Subject::Program(&bytes), Vec::new(), Live::Before)
        }
        None => make(&file, Subject::Model(&load(model)?), Vec::new(), Live::Before),
    };
    write_file(page, content.with_context(about)?.as_bytes())?;
    note(&printable(&format!("page written to {}", page.display())));
    Ok(())
}
