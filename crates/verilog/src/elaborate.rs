//! From sources to a system whose properties and signals have the names of the source.

use crate::facts::{Clocking, Facts, PropertyCell};
use crate::folder::Folder;
use crate::names::{self, Kind};
use crate::place::{Place, Texts};
use crate::rtlil::{self, Changes, Flat, Port, is_property};
use crate::script::{self, Files, Request};
use crate::yosys::{Limits, Yosys};
use crate::{Error, bounds, dropped, edges};
use pedra_formats::btor2;
use pedra_model::bits::Name;
use pedra_model::system::{NamedTerm, System};
use pedra_model::term::{BinaryOp, Term, TermId, UnaryOp};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;

/// A property of a design.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// What it asks.
    pub kind: Kind,
    /// Its label with the path of instances, or its place.
    pub name: String,
    /// Where it is stated.
    pub place: Option<Place>,
    /// The condition under which it is stated, one bit of the system; absent if that is always.
    pub condition: Option<TermId>,
}

/// What a system says of the design that it was made from.
#[derive(Clone, Debug)]
pub struct About {
    /// What each bad is.
    pub properties: Vec<Property>,
    /// The top module.
    pub top: String,
    /// Its ports.
    pub ports: Vec<Port>,
    /// How time passes.
    pub clocking: Clocking,
    /// Its memories: for each the lowest address, and the number of words.
    pub memories: BTreeMap<String, (u64, u64)>,
    /// Parameters that it was given, `NAME=VALUE`.
    pub parameters: Vec<String>,
}

/// A design, ready to be decided.
#[derive(Debug)]
pub struct Design {
    /// The system in BTOR2: the text that [`Design::system`] was read from.
    pub btor2: Vec<u8>,
    /// The system. Its bads are the properties, in the order of the source.
    pub system: System,
    /// The numbers of its inputs and states in the text.
    pub nodes: btor2::Nodes,
    /// What it was made from.
    pub about: About,
    /// What Yosys warned of, in its words.
    pub warnings: Vec<String>,
}

/// Reads a design.
///
/// # Errors
/// What is wrong with it, in the words of Yosys where they are from there; or why there is no
/// answer.
pub fn elaborate(request: &Request, limits: &Limits<'_>) -> Result<Design, Error> {
    let unreadable = |path: &Path, error: io::Error| {
        Error::Design(format!("{}: cannot be read: {error}", path.display()))
    };
    for source in &request.sources {
        // Before Yosys is asked, which names the reason in its own way.
        fs::File::open(source).map_err(|error| unreadable(source, error))?;
    }
    let yosys = Yosys::find(request.yosys.as_deref())?;
    let own = match &request.script {
        Some(path) => Some(fs::read_to_string(path).map_err(|error| unreadable(path, error))?),
        None => None,
    };
    let folder = Folder::new()?;
    let named = |name: &str| folder.named(name);
    let files = Files {
        modules: named("modules.il")?,
        flat: named("flat.il")?,
        named: named("named.il")?,
        covers: named("covers.v")?,
        model: named("model.btor2")?,
    };
    let run = |name: &str, text: String| {
        fs::write(folder.file(name), text)?;
        yosys.run(&named(name)?, &folder.file("messages"), &named("log")?, limits)
    };
    let read = run("read.ys", script::reading(request, own.as_deref(), &files)?);
    let log = fs::read(folder.file("log")).unwrap_or_default();
    let log = String::from_utf8_lossy(&log);
    if own.is_none() {
        check_dropped(&log)?;
    }
    if let Ok(modules) = fs::read_to_string(folder.file("modules.il"))
        && own.is_none()
    {
        check_roots(request, &modules)?;
    }
    read?;
    let flat = fs::read_to_string(folder.file("flat.il")).map_err(|_| yosys.wrote_nothing())?;
    yosys.check_version(flat.lines().next().unwrap_or_default())?;
    if own.is_none() && !dropped::shows_all(&log, request.sources.len()) {
        let text = "Yosys' log does not show the sources one by one, so statements that it leaves \
                    out may be overlooked; does a source contain a line of that log?";
        return Err(Error::Design(format!("{}: {text}", source(request))));
    }
    let (check, log) = first_check(&dropped::without_sources(&log)).ok_or_else(|| {
        Error::Design(format!("{}: Yosys' log has no result of `check`", source(request)))
    })?;
    check_drivers(&check)?;
    let mut warnings = warnings_in(&log);
    let flat = Flat::read(&flat).ok_or_else(|| no_module(request))?;
    let facts = Facts::of(&flat)?;
    check_properties(request, &facts)?;
    let prefix = unused_prefix(&flat);
    fs::write(folder.file("named.il"), change(request, &flat, &facts, &prefix)?)?;
    fs::write(folder.file("covers.v"), script::COVER_MAP)?;
    let said = run("model.ys", script::modelling(&facts, request.memories, &files)?)?;
    warnings.extend(warnings_in(&said));
    let bytes = fs::read(folder.file("model.btor2")).map_err(|_| yosys.wrote_nothing())?;
    drop(folder);
    finish(&bytes, facts, prefix, request, warnings)
}

/// The start of our names for properties, which no name of the design has.
fn unused_prefix(flat: &Flat<'_>) -> String {
    let mut prefix = "pedra.property.".to_owned();
    while flat.lines.iter().any(|line| line.contains(&prefix)) {
        prefix.push('.');
    }
    prefix
}

/// The flat design as the second script reads it. Properties get names of ours, a prefix and a
/// number: the model has them as symbols, so each bad is known by the cell that it came from,
/// whatever the passes in between have done.
fn change(
    request: &Request,
    flat: &Flat<'_>,
    facts: &Facts,
    prefix: &str,
) -> Result<String, Error> {
    let mut changes = Changes::default();
    let cells = flat.cells.iter().filter(|cell| is_property(cell.kind));
    for (number, cell) in cells.enumerate() {
        changes.line(cell.line, format!("  cell {} \\{prefix}{number}", cell.kind));
    }
    edges::state_at_edges(flat, facts, &mut changes).map_err(|fault| {
        let property = fault.property.map(|property| &facts.properties[property]);
        let name = |cell| names::name(cell, Texts::default().place(cell).as_ref());
        let about = property.map(|cell| format!("property {}: ", name(cell))).unwrap_or_default();
        Error::Design(format!("{}: {about}{}", source(request), fault.what))
    })?;
    bounds::guard_memories(flat, request.memories, &mut changes)?;
    Ok(changes.apply(flat))
}

/// Refuses statements that Yosys would leave out.
fn check_dropped(log: &str) -> Result<(), Error> {
    let Some((file, line, keyword)) = dropped::find(log) else { return Ok(()) };
    let text = "is not supported: Yosys would leave out what it says";
    Err(Error::Design(format!("{file}:{line}: `{keyword}` {text}")))
}

/// Splits the log at the first `check`: what it says, and the log without it. It comes before
/// anything is cleaned up, and a second one repeats what is still true after that.
fn first_check(log: &str) -> Option<(String, String)> {
    let (before, rest) = log.split_once(script::CHECK_STARTS)?;
    let (check, after) = rest.split_once(script::CHECK_ENDS)?;
    Some((check.to_owned(), format!("{before}{after}")))
}

/// Refuses signals that several drivers disagree about.
fn check_drivers(check: &str) -> Result<(), Error> {
    let mut lines = check.lines();
    let Some(first) = lines.find(|line| line.contains("Warning: multiple conflicting drivers"))
    else {
        return Ok(());
    };
    // What drives it is below, and indented.
    let drivers = lines.take_while(|line| line.starts_with(' '));
    let text: Vec<&str> = std::iter::once(first).chain(drivers).collect();
    Err(Error::Design(text.join("\n").replacen("Warning: ", "", 1)))
}

/// Refuses sources without a module, and those where it is open which one is the top.
fn check_roots(request: &Request, modules: &str) -> Result<(), Error> {
    let roots = rtlil::roots(modules).ok_or_else(|| match modules.contains("\nmodule ") {
        true => Error::Design(format!(
            "{}: every module is empty or a black box: there is nothing to decide",
            source(request)
        )),
        false => no_module(request),
    })?;
    let what = match roots.len() {
        _ if request.top.is_some() => return Ok(()),
        1 => return Ok(()),
        0 => "every module is used by another one".to_owned(),
        _ => format!("several modules could be the top: {}", roots.join(", ")),
    };
    Err(Error::Design(format!("{}: {what}; choose one with --top", source(request))))
}

fn source(request: &Request) -> String {
    request.sources.first().map(|path| path.display().to_string()).unwrap_or_default()
}

fn no_module(request: &Request) -> Error {
    Error::Design(format!("{}: there is no module", source(request)))
}

/// Refuses what would be left out, and designs that ask nothing.
fn check_properties(request: &Request, facts: &Facts) -> Result<(), Error> {
    let live = facts.properties.iter().find(|p| matches!(&*p.flavor, "live" | "fair"));
    if let Some(cell) = live {
        let name = names::name(cell, Texts::default().place(cell).as_ref());
        let text = "is a liveness property (`eventually`), which is not supported";
        return Err(Error::Design(format!("{}: {name} {text}", source(request))));
    }
    if facts.properties.iter().any(|p| kind_of(p).is_some()) {
        return Ok(());
    }
    Err(Error::Design(format!(
        "{}: module {} has neither `assert` nor `cover`: there is nothing to decide\n\
         hint: the macro FORMAL is defined, and SYNTHESIS is not",
        source(request),
        facts.top
    )))
}

fn kind_of(cell: &PropertyCell) -> Option<Kind> {
    match &*cell.flavor {
        "assert" => Some(Kind::Assert),
        "cover" => Some(Kind::Cover),
        _ => None,
    }
}

/// The warnings among messages, each once.
fn warnings_in(messages: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in messages.lines().filter(|line| line.contains("Warning: ")) {
        if !found.iter().any(|other| other == line) {
            found.push(line.to_owned());
        }
    }
    found
}

/// The properties by the names of the source, in its order.
struct Stated {
    /// The start of our names for them.
    prefix: String,
    cells: Vec<PropertyCell>,
    /// Where each of them is stated.
    places: Vec<Option<Place>>,
    /// The name of each cell.
    names: Vec<String>,
    /// The cells in the order of the source.
    order: Vec<usize>,
}

impl Stated {
    fn new(cells: Vec<PropertyCell>, prefix: String) -> Stated {
        let mut texts = Texts::default();
        let places: Vec<_> = cells.iter().map(|cell| texts.place(cell)).collect();
        let name = |n: usize| names::name(&cells[n], places[n].as_ref());
        let mut order: Vec<usize> = (0..cells.len()).collect();
        order.sort_by_cached_key(|&n| (places[n].clone(), name(n)));
        let mut sorted: Vec<String> = order.iter().map(|&n| name(n)).collect();
        names::make_unique(&mut sorted);
        let mut names = vec![String::new(); cells.len()];
        for (name, &n) in sorted.into_iter().zip(&order) {
            names[n] = name;
        }
        Stated { prefix, cells, places, names, order }
    }

    /// The cell that a symbol of the model stands for.
    fn cell(&self, symbol: &Name) -> Option<usize> {
        let number = symbol.as_deref()?.strip_prefix(&*self.prefix)?.parse().ok();
        number.filter(|&n| n < self.cells.len())
    }

    /// Names bads and constraints, and puts the bads in the order of the source. Gives the cell of
    /// each bad.
    fn rename(&self, system: &mut System) -> Result<Vec<usize>, Error> {
        let mut bads: BTreeMap<usize, NamedTerm> = BTreeMap::new();
        for bad in system.bads.drain(..) {
            let cell = self.cell(&bad.name).filter(|&n| kind_of(&self.cells[n]).is_some());
            let cell = cell.ok_or_else(|| broken("a property that was not stated"))?;
            bads.insert(cell, NamedTerm { name: Some(self.names[cell].clone().into()), ..bad });
        }
        let mut found = Vec::new();
        for &cell in &self.order {
            match bads.remove(&cell) {
                Some(bad) => {
                    system.bads.push(bad);
                    found.push(cell);
                }
                // *Required for soundness*: every property that was stated is decided.
                None if kind_of(&self.cells[cell]).is_some() => {
                    return Err(broken(&format!("property {} is missing", self.names[cell])));
                }
                None => {}
            }
        }
        for constraint in &mut system.constraints {
            constraint.name = self.cell(&constraint.name).map(|n| self.names[n].clone().into());
        }
        // Newer versions have a wire for the condition of each labelled property.
        let labels: BTreeSet<&str> = self.names.iter().map(String::as_str).collect();
        let is_condition =
            |name: &str| name.strip_suffix("_EN").is_some_and(|label| labels.contains(label));
        system.names.retain(|(_, name)| !is_condition(name) && !name.starts_with(&*self.prefix));
        Ok(found)
    }
}

fn broken(what: &str) -> Error {
    Error::Broken(format!("the model that Yosys wrote: {what}"))
}

/// The design of a model that Yosys wrote.
fn finish(
    bytes: &[u8],
    facts: Facts,
    prefix: String,
    request: &Request,
    warnings: Vec<String>,
) -> Result<Design, Error> {
    let Facts { top, ports, clocking, memories, properties: cells, .. } = facts;
    let stated = Stated::new(cells, prefix);
    let mut system = btor2::read(bytes).map_err(|error| broken(&error.to_string()))?;
    let found = stated.rename(&mut system)?;
    // The first line says which Yosys it was.
    system.comments.truncate(1);

    // What is decided is what can be written: `pedra convert` gives the same text.
    let btor2 = btor2::write(&system).map_err(|error| broken(&error.to_string()))?;
    let read = btor2::read_with_ids(&btor2).map_err(|error| broken(&error.to_string()))?;
    let mut system = read.system;
    let mut properties = Vec::new();
    for (index, cell) in found.into_iter().enumerate() {
        let (name, term) = (stated.names[cell].clone(), system.bads[index].term);
        // Symbols of BTOR2 have no spaces, names may.
        system.bads[index].name = Some(name.clone().into());
        let kind = kind_of(&stated.cells[cell]).expect("only assertions and covers are bads");
        let (place, condition) = (stated.places[cell].clone(), condition(&system, term));
        properties.push(Property { kind, name, place, condition });
    }
    let parameters = request.parameters.clone();
    let about = About { properties, top, ports, clocking, memories, parameters };
    Ok(Design { btor2, system, nodes: read.nodes, about, warnings })
}

/// The bad of a property that states `a` under the condition `en` is `en ∧ ¬a`, in this order.
fn condition(system: &System, bad: TermId) -> Option<TermId> {
    let Term::Binary(BinaryOp::And, condition, negated) = *system.terms.get(bad) else {
        return None;
    };
    let is_negation = matches!(system.terms.get(negated), Term::Unary(UnaryOp::Not, _));
    let is_constant = matches!(system.terms.get(condition), Term::Const(bits) if !bits.is_zero());
    (is_negation && !is_constant).then_some(condition)
}
