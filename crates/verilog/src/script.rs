//! The two scripts that Yosys runs. The first reads the sources and makes one flat module of
//! them, as `prep -flatten` does. Its clocks and properties decide about the second, which makes
//! the formal model:
//!
//! | pass | why |
//! |---|---|
//! | `async2sync` | one clock: a step is its edge; asynchronous resets act at it |
//! | `clk2fflogic` | several clocks or edges, latches: a step is a moment, and clocks are inputs |
//! | `chformal -lower` | newer versions: checks become the cells that the model has |
//! | `memory_collect` | memories become arrays |
//! | `memory_map` | or flip-flops |
//! | `formalff` | values that are not initialised are free |
//! | `techmap` | a cover becomes an assertion that it never happens; see `COVER_MAP` |
//! | `setundef -undriven -anyseq` | what nobody drives is free in every step |
//!
//! Between the two, `edges` and `bounds` change the flat module. For them the
//! first script ends with forms that are few: `dffunmap` leaves flip-flops without enables and
//! synchronous resets, `memory_nordff` memories that are read without a clock, and `memory_unpack`
//! a cell for each port of a memory.

use crate::Error;
use crate::facts::{Clocking, Facts};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What memories become.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub enum Memories {
    /// Arrays.
    #[default]
    Arrays,
    /// Flip-flops, a word for each address.
    Words,
}

/// What is to be read, and how.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The sources, in the order in which they are read.
    pub sources: Vec<PathBuf>,
    /// The top module; the only one that no other uses, if absent.
    pub top: Option<String>,
    /// The program; found on the path if absent.
    pub yosys: Option<PathBuf>,
    /// Macros, `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// Folders for `include`.
    pub includes: Vec<PathBuf>,
    /// Parameters of the top module, `NAME=VALUE`.
    pub parameters: Vec<String>,
    /// Commands of Yosys that run in place of reading the sources.
    pub script: Option<PathBuf>,
    /// What memories become.
    pub memories: Memories,
}

/// The files of the scripts, by the names that Yosys is told.
pub(crate) struct Files {
    /// The modules as they were read.
    pub(crate) modules: PathBuf,
    /// The flat design.
    pub(crate) flat: PathBuf,
    /// The flat design with our names for properties.
    pub(crate) named: PathBuf,
    /// [`COVER_MAP`].
    pub(crate) covers: PathBuf,
    /// The model.
    pub(crate) model: PathBuf,
}

/// What is printed around the first `check`.
pub(crate) const CHECK_STARTS: &str = "pedra: check starts";
pub(crate) const CHECK_ENDS: &str = "pedra: check ends";

/// A cover statement asks for what a violated assertion shows: a run to a step where it is true.
/// The cell keeps its name.
pub(crate) const COVER_MAP: &str = "\
(* techmap_celltype = \"$cover\" *)
module _cover (A, EN);
    input A, EN;
    wire never = !A;
    \\$assert _TECHMAP_REPLACE_ (.A(never), .EN(EN));
endmodule
";

/// The script that makes one flat module of the sources; `own` are the commands of
/// [`Request::script`].
///
/// # Errors
/// If a name cannot be said in Yosys' language.
pub(crate) fn reading(
    request: &Request,
    own: Option<&str>,
    files: &Files,
) -> Result<String, Error> {
    let mut text = String::new();
    match own {
        Some(commands) => {
            if !request.defines.is_empty() || !request.includes.is_empty() {
                let text = "--define and --include are for our own reading: with --script they have \
                            no effect";
                return Err(Error::Word(text.to_owned()));
            }
            line(&mut text, commands);
        }
        None => read_sources(&mut text, request)?,
    }
    line(&mut text, &format!("write_rtlil {}", quoted(&files.modules)?));
    // `hierarchy -chparam` has no effect on a module that was read already.
    for parameter in &request.parameters {
        let (name, value) = parameter
            .split_once('=')
            .ok_or_else(|| Error::Word(format!("--param {parameter}: write it as NAME=VALUE")))?;
        let top = request.top.as_deref();
        let top = top.ok_or_else(|| Error::Word("--param needs --top".to_owned()))?;
        let (name, value) = (word("--param", name)?, parameter_value(value)?);
        line(&mut text, &format!("chparam -set {name} {value} {}", word("--top", top)?));
    }
    let top = match &request.top {
        Some(top) => format!(" -top {}", word("--top", top)?),
        // A script may have chosen one.
        None if own.is_some() => String::new(),
        None => " -auto-top".to_owned(),
    };
    line(&mut text, &format!("hierarchy -simcheck{top}"));
    // As `prep -flatten`, without its passes for memories, and without `opt_merge`, which older
    // versions apply to equal properties too, so that one of them would be gone. What is to keep
    // its hierarchy in synthesis is flattened, too.
    for command in [
        "proc -noopt",
        "setattr -mod -unset keep_hierarchy",
        "setattr -unset keep_hierarchy",
        "flatten",
        // *Required for soundness*: before a pass takes one of several drivers for the only one.
        &format!("log {CHECK_STARTS}"),
        "check",
        &format!("log {CHECK_ENDS}"),
        "opt_expr -keepdc",
        "opt_clean",
        "check",
        // It would cut addresses outside of a memory down to some inside.
        "wreduce -keepdc t:$mem* %n",
        "dffunmap",
        "memory_nordff",
        "memory_unpack",
        "opt_clean",
    ] {
        line(&mut text, command);
    }
    line(&mut text, &format!("write_rtlil {}", quoted(&files.flat)?));
    Ok(text)
}

fn read_sources(text: &mut String, request: &Request) -> Result<(), Error> {
    let mut options = String::new();
    for define in &request.defines {
        let _ = write!(options, " -D{}", word("--define", define)?);
    }
    for include in &request.includes {
        let folder = include.to_str().unwrap_or("\u{fffd}");
        let _ = write!(options, " -I{}", word("--include", folder)?);
    }
    for source in &request.sources {
        let is_system_verilog = source.extension().is_some_and(|ending| ending == "sv");
        let language = if is_system_verilog { " -sv" } else { "" };
        line(text, &format!("read_verilog -ppdump -formal{language}{options} {}", quoted(source)?));
    }
    Ok(())
}

/// The script that makes the formal model.
///
/// # Errors
/// If a path cannot be said in Yosys' language.
pub(crate) fn modelling(facts: &Facts, memories: Memories, files: &Files) -> Result<String, Error> {
    let mut text = String::new();
    let is_one_clock = !matches!(facts.clocking, Clocking::Many(_));
    let formal_ffs = "formalff -setundef -clk2ff -ff2anyinit";
    line(&mut text, &format!("read_rtlil {}", quoted(&files.named)?));
    for cell in ["$print", "$scopeinfo"] {
        if facts.has_cell(cell) {
            line(&mut text, &format!("delete t:{cell}"));
        }
    }
    line(&mut text, if is_one_clock { "async2sync" } else { "clk2fflogic" });
    if facts.has_cell("$check") {
        line(&mut text, "chformal -lower");
    }
    line(&mut text, "opt_clean");
    line(&mut text, "memory_collect");
    if memories == Memories::Words {
        line(&mut text, "memory_map -formal");
    }
    line(&mut text, formal_ffs);
    line(&mut text, &format!("techmap -map {}", quoted(&files.covers)?));
    for command in
        ["opt_clean", "setundef -undriven -anyseq", "opt_expr -keepdc", "dffunmap", "opt_clean"]
    {
        line(&mut text, command);
    }
    line(&mut text, &format!("write_btor {}", quoted(&files.model)?));
    Ok(text)
}

fn line(text: &mut String, command: &str) {
    text.push_str(command);
    text.push('\n');
}

/// A path in quotes; a name that starts like an option is one in the current folder. Yosys takes a
/// name for a pattern, even in quotes, and would read another file.
fn quoted(path: &Path) -> Result<String, Error> {
    let is_odd = |c: char| c.is_control() || "\"\\*?[]{}~".contains(c);
    let name = path.to_str().filter(|name| !name.contains(is_odd));
    let name = name.ok_or_else(|| {
        let name = path.display();
        Error::Word(format!("{name}: a file with such a name cannot be passed to Yosys"))
    })?;
    let here = if name.starts_with('-') { "./" } else { "" };
    Ok(format!("\"{here}{name}\""))
}

/// The value of a parameter; `chparam` does not know of negative numbers.
fn parameter_value(text: &str) -> Result<String, Error> {
    match text.parse::<i32>() {
        Ok(number) if number < 0 => Ok(format!("32'sh{number:x}")),
        _ => word("--param", text).map(str::to_owned),
    }
}

/// A word that Yosys takes as it is.
fn word<'a>(option: &str, text: &'a str) -> Result<&'a str, Error> {
    let is_odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, ';' | '#' | '\\');
    let has_quotes =
        text.contains('"') && !(text.len() > 1 && text.starts_with('"') && text.ends_with('"'));
    if text.is_empty() || text.contains(is_odd) || has_quotes || text.starts_with('-') {
        let text = format!("{option}: '{text}' cannot be passed to Yosys");
        return Err(Error::Word(text));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> Files {
        let file = |name: &str| PathBuf::from(name);
        Files {
            modules: file("modules.il"),
            flat: file("flat.il"),
            named: file("named.il"),
            covers: file("covers.v"),
            model: file("model.btor2"),
        }
    }

    #[test]
    fn sources_are_read_as_what_they_are() {
        let request = Request {
            sources: vec!["a b.v".into(), "-c.sv".into()],
            top: Some("top".into()),
            defines: vec!["WIDTH=4".into()],
            includes: vec!["inc".into()],
            parameters: vec!["N=3".into(), "M=-2".into()],
            ..Request::default()
        };
        let text = reading(&request, None, &files()).expect("a script");
        for line in [
            "read_verilog -ppdump -formal -DWIDTH=4 -Iinc \"a b.v\"\n",
            "read_verilog -ppdump -formal -sv -DWIDTH=4 -Iinc \"./-c.sv\"\n",
            "chparam -set N 3 top\nchparam -set M 32'shfffffffe top\nhierarchy -simcheck -top top\n",
        ] {
            assert!(text.contains(line), "{text}");
        }
    }

    #[test]
    fn a_script_takes_the_place_of_reading() {
        let commands = "read_verilog a.v\nprep -top a";
        let text = reading(&Request::default(), Some(commands), &files()).expect("a script");
        assert!(text.starts_with("read_verilog a.v\nprep -top a\nwrite_rtlil"), "{text}");
        assert!(text.contains("hierarchy -simcheck\n"), "{text}");
        let request = Request { defines: vec!["A".into()], ..Request::default() };
        assert!(reading(&request, Some(commands), &files()).is_err());
    }

    #[test]
    fn what_would_be_another_command_is_refused() {
        let bad = |request: Request| reading(&request, None, &files()).is_err();
        let base = Request { sources: vec!["a.v".into()], ..Request::default() };
        assert!(bad(Request { top: Some("a; shell ls".into()), ..base.clone() }));
        assert!(bad(Request { top: Some("-x".into()), ..base.clone() }));
        assert!(bad(Request { defines: vec!["A=\"b\" c".into()], ..base.clone() }));
        assert!(bad(Request { includes: vec!["a b".into()], ..base.clone() }));
        assert!(bad(Request { parameters: vec!["N=3".into()], ..base.clone() }));
        let base = Request { top: Some("top".into()), ..base };
        assert!(bad(Request { parameters: vec!["N".into()], ..base.clone() }));
        assert!(bad(Request { sources: vec!["a\"; shell ls.v".into()], ..base.clone() }));
        assert!(!bad(Request { parameters: vec!["N=\"text\"".into()], ..base.clone() }));
        assert!(bad(Request { parameters: vec!["N=-x".into()], ..base.clone() }));
        assert!(bad(Request { parameters: vec!["-N=1".into()], ..base.clone() }));
        for pattern in ["t[1].v", "*.v", "?.v", "{a,b}.v", "~/a.v"] {
            assert!(bad(Request { sources: vec![pattern.into()], ..base.clone() }), "{pattern}");
        }
        assert!(!bad(base));
    }
}
