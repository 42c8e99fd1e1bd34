//! Opens pages of runs in a real browser and uses them as a person would: clicks a lemma, drags the
//! time line, presses keys, searches, asks why.
//!
//! In each of Chromium and Firefox that is installed; a machine without says so.

mod chromium;
mod driver;
mod firefox;
mod pages;

use driver::{Browser, Kind};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Which pages are made, and how.
struct Case {
    name: &'static str,
    arguments: &'static [&'static str],
    /// What the verdicts on the page must be.
    verdicts: &'static [&'static str],
    test: fn(&mut Browser) -> Result<(), String>,
}

const CASES: &[Case] = &[
    Case {
        name: "proof",
        arguments: &["models/fifo_data.btor2", "-e", "pdr"],
        verdicts: &["proved", "proved"],
        test: pages::proof,
    },
    Case {
        name: "violation",
        arguments: &["models/lock.btor2", "-e", "fbpdr", "-o", "fbpdr.slice=5000"],
        verdicts: &["violated", "proved"],
        test: pages::violation,
    },
    Case {
        name: "interpolants",
        arguments: &["models/fifo_data.btor2", "-e", "avy", "-o", "avy.turns=off"],
        verdicts: &["proved", "proved"],
        test: pages::interpolants,
    },
    Case {
        name: "words",
        arguments: &[
            "models/word/gen_di_small_16.btor2",
            "-e",
            "wpdr",
            "-o",
            "wpdr.templates=off",
            "-o",
            "wpdr.unit=polytopes",
            "--plot",
            "x,y",
            "--plots",
            "FOLDER/plot",
        ],
        verdicts: &["proved"],
        test: pages::words,
    },
    Case {
        name: "properties",
        arguments: &["models/fifo.btor2", "-e", "pdr"],
        verdicts: &["proved", "proved", "violated"],
        test: pages::properties,
    },
    Case {
        name: "stuck",
        arguments: &["models/word/sim_inv_32.btor2", "-e", "pdr", "--timeout", "4s"],
        verdicts: &["unknown"],
        test: pages::stuck,
    },
    Case {
        name: "program",
        arguments: &["models/programs/midpoint.c", "-e", "program"],
        verdicts: &["violated"],
        test: pages::program,
    },
    Case {
        name: "loops",
        arguments: &["models/programs/counter.c", "-e", "program"],
        verdicts: &["proved"],
        test: pages::loops,
    },
];

/// What became of the pages, or that there is no browser. Pictures of all views go to a folder, if
/// one is given.
///
/// # Errors
/// The first page that does not do what it should.
pub fn run(pictures: Option<&Path>) -> Result<String, String> {
    let found = Kind::ALL.into_iter().filter_map(|kind| Some((kind, kind.find()?)));
    let found: Vec<(Kind, PathBuf)> = found.collect();
    if found.is_empty() {
        return Ok("neither Chromium nor Firefox is installed: pages were not opened".to_owned());
    }
    crate::ci::cargo(&["build", "--quiet", "--locked", "--package", "pedra"], None)?;
    let folder = std::env::temp_dir().join(format!("pedra-pages-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let told = found.iter().map(|(kind, program)| {
        let place = pictures.map(|place| place.join(format!("{kind:?}").to_lowercase()));
        let told = run_all(*kind, program, &folder, place.as_deref());
        told.map_err(|error| format!("{kind:?}: {error}")).map(|told| format!("{kind:?}: {told}"))
    });
    let told: Result<Vec<String>, String> = told.collect();
    let _ = std::fs::remove_dir_all(&folder);
    Ok(told?.join("\n"))
}

/// How long pages take to open, and how long the slowest position of the time line does in each
/// view: a line for each page.
///
/// # Errors
/// No browser, or a page that cannot be opened.
pub fn times(pages: &[&Path]) -> Result<String, String> {
    let program = Kind::Chromium.find().ok_or("no Chromium is installed")?;
    let mut browser = Browser::start(Kind::Chromium, &program)?;
    browser.set_screen(1400, 900, "light")?;
    let mut lines = String::new();
    for page in pages {
        let named = |error: String| format!("{}: {error}", page.display());
        let page = page.canonicalize().map_err(|error| named(error.to_string()))?;
        let told = pages::times(&mut browser, &page).map_err(named)?;
        lines += &format!("{}: {told}\n", page.display());
    }
    Ok(lines)
}

fn run_all(
    kind: Kind,
    program: &Path,
    folder: &Path,
    pictures: Option<&Path>,
) -> Result<String, String> {
    let mut browser = Browser::start(kind, program)?;
    let mut done = Vec::new();
    for case in CASES {
        let wrong = |error: String| format!("{}: {error}", case.name);
        let page = make(case, folder).map_err(wrong)?;
        browser.set_screen(1400, 900, "light").map_err(wrong)?;
        browser.open(&page, "").map_err(wrong)?;
        let verdicts = "[...document.querySelectorAll('.verdicts tbody .verdict')]\
                        .map((e) => e.textContent.slice(2))";
        let found = browser.value(verdicts).map_err(wrong)?;
        if found != serde_json::json!(case.verdicts) {
            return Err(wrong(format!("the verdicts are {found}")));
        }
        (case.test)(&mut browser).map_err(wrong)?;
        if let Some(place) = pictures {
            pages::take_pictures(&mut browser, &page, case.name, place).map_err(wrong)?;
        }
        done.push(case.name);
    }
    let slow = pages::hostile(&mut browser, folder)?;
    done.push("hostile names");
    Ok(format!("{} pages did what they should: {}{slow}", done.len(), done.join(", ")))
}

/// Makes the page of a case.
fn make(case: &Case, folder: &Path) -> Result<PathBuf, String> {
    let page = folder.join(format!("{}.html", case.name));
    let place = folder.to_str().ok_or("no text")?;
    let arguments: Vec<String> =
        case.arguments.iter().map(|argument| argument.replace("FOLDER", place)).collect();
    explain(&arguments.iter().map(String::as_str).collect::<Vec<_>>(), &page)?;
    Ok(page)
}

/// Runs `pedra explain`, which ends with any of the codes of a run.
fn explain(arguments: &[&str], page: &Path) -> Result<(), String> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or("target".into(), PathBuf::from);
    let root = crate::tidy::root();
    let output = Command::new(root.join(target).join("debug/pedra"))
        .arg("explain")
        .args(arguments)
        .arg("--report")
        .arg(page)
        .current_dir(root)
        .output()
        .map_err(|error| error.to_string())?;
    match output.status.code() {
        Some(0 | 1 | 3) => Ok(()),
        _ => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}
