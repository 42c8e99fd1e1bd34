//! A run as the data of its page: one JSON object, whose parts `docs/design/explain.md` lists.

use crate::choose::{Chosen, Hot, choose};
use crate::claims::{Detail, Details, Said, read_details};
use crate::digest::{Digest, EngineLog};
use crate::even::Even;
use crate::record::RecordError;
use crate::signals::{Pattern, Variables};
use crate::tower::{EVERYWHERE, NONE, Tick, Tower};
use rustc_hash::FxHashMap;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::io::BufRead;

/// How many groups of lemmas about the same signals a tower shows.
const PATTERNS: usize = 40;

/// An invariant with more conjuncts, or of more characters, is cut.
const CONJUNCTS: usize = 5_000;
const CONJUNCT_BYTES: usize = 500_000;

/// The longest name or text; the page shows less of it.
const MAX_TEXT: usize = 10_000;

/// The data of a page, as far as it comes from the record.
///
/// # Errors
/// If the record cannot be read again.
pub(crate) fn data(
    digest: &Digest,
    again: impl BufRead,
) -> Result<Map<String, Value>, RecordError> {
    let chosen = choose(digest);
    let details = read_details(again, digest, &chosen)?;
    let towers: Vec<Value> =
        chosen.iter().zip(&details).map(|(of, details)| tower(digest, of, details)).collect();
    let value = json!({
        "run": run(digest, &chosen),
        "properties": properties(digest),
        "stages": digest.systems.first().map_or(Value::Null, |system| system.stages.clone()),
        "clock": clock(digest),
        "engines": digest.engines.iter().map(engine).collect::<Vec<_>>(),
        "towers": towers,
        "marks": marks(digest),
        "invariants": digest.invariants.iter().map(invariant).collect::<Vec<_>>(),
    });
    let Value::Object(map) = value else { unreachable!("built as an object") };
    Ok(map)
}

/// A text from outside, not longer than it should be.
pub(crate) fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn run(digest: &Digest, chosen: &[Chosen]) -> Value {
    let sum = |f: fn(&Tower) -> usize| digest.towers.iter().map(f).sum::<usize>();
    let kept = |f: fn(&Chosen) -> usize| chosen.iter().map(f).sum::<usize>();
    json!({
        "model": cut(&digest.first.model),
        "engine": digest.first.engine,
        "pedra": digest.first.pedra,
        "seconds": digest.seconds,
        "events": digest.events,
        "whole": digest.is_whole,
        "lemmas": [kept(|c| c.lemmas.len()), sum(|t| t.lemmas.len())],
        "obligations": [kept(|c| c.obligations.len()), sum(|t| t.obligations.len())],
        "towers": [chosen.len(), digest.towers.len()],
    })
}

/// The verdicts, in the order of the properties; those that the record lacks are unknown.
fn properties(digest: &Digest) -> Vec<Value> {
    let one = |(place, &index): (usize, &usize)| {
        let told = digest.properties.iter().find(|line| line["property"] == index);
        let name = digest.first.names.get(place).and_then(|name| name.as_deref()).map(cut);
        let reason = "the record has no verdict";
        let mut value = match told {
            Some(line) => line.clone(),
            None => json!({ "property": index, "verdict": "unknown", "reason": reason }),
        };
        value["name"] = name.into();
        value
    };
    digest.first.properties.iter().enumerate().map(one).collect()
}

fn clock(digest: &Digest) -> Value {
    let spans = &digest.clock.spans;
    let rounded = |seconds: f64| (seconds * 1e6).round() / 1e6;
    json!({
        "stride": digest.clock.stride,
        "seconds": spans.iter().map(|span| rounded(span.seconds)).collect::<Vec<_>>(),
        "counts": spans.iter().map(|span| span.counts).collect::<Vec<_>>(),
    })
}

fn engine(log: &EngineLog) -> Value {
    let depths: Vec<Value> = log
        .depths
        .iter()
        .map(|(tick, counters, seconds)| {
            let mut row = vec![json!(tick), json!((seconds * 1e6).round() / 1e6)];
            row.extend(counters.iter().map(|&counter| json!(counter)));
            row.into()
        })
        .collect();
    json!({ "name": log.name, "start": log.start, "depths": depths, "work": log.work })
}

fn marks(digest: &Digest) -> Value {
    let mut list: Vec<(Tick, Value)> = Vec::new();
    for (_, marks) in &digest.marks {
        for mark in marks.iter() {
            let mut value = mark.value.clone();
            let fields = value.as_object_mut().expect("lines are objects");
            fields.retain(|name, _| name != "id");
            fields.insert("tick".to_owned(), mark.tick.into());
            fields.insert("engine".to_owned(), mark.engine.into());
            list.push((mark.tick, value));
        }
    }
    list.sort_by_key(|(tick, _)| *tick);
    let counts: Map<String, Value> =
        digest.marks.iter().map(|(kind, marks)| (kind.clone(), marks.seen().into())).collect();
    json!({ "list": list.into_iter().map(|(_, value)| value).collect::<Vec<_>>(), "counts": counts })
}

/// A level as a number; everywhere is -1.
fn level(level: u32) -> i64 {
    if level == EVERYWHERE { -1 } else { level.into() }
}

/// A position in a list, or -1.
fn maybe(index: Option<usize>) -> i64 {
    index.map_or(-1, |index| index as i64)
}

fn tower(digest: &Digest, of: &Chosen, details: &Details) -> Value {
    let tower = &digest.towers[of.tower];
    let names = Names::new(digest.variables(tower), details);
    let patterns = tower.patterns.largest(digest.variables(tower), PATTERNS);
    let pattern = |p: &Pattern| {
        json!([p.signals.iter().map(|s| cut(s)).collect::<Vec<_>>(), p.lemmas, p.obligations])
    };
    let obligation = |index: u32| maybe(of.obligations.binary_search(&index).ok());
    let hot = |hot: &Hot| json!([obligation(hot.obligation), hot.visits, hot.raised]);
    let in_use = tower.lemmas.iter().filter(|lemma| lemma.end == NONE).count();
    json!({
        "engine": tower.engine,
        "backward": tower.is_backward,
        "epoch": tower.epoch,
        "start": tower.start,
        "end": tower.end,
        "program": tower.program,
        "names": names.list,
        "frames": tower.frames.iter().map(|frame| json!(frame)).collect::<Vec<_>>(),
        "total": {
            "lemmas": tower.lemmas.len(),
            "inUse": in_use,
            "obligations": tower.obligations.len(),
        },
        "lemmas": lemmas(tower, of, &details.lemmas, &names),
        "obligations": obligations(tower, of, &details.obligations, &names),
        "hot": of.hot.iter().map(hot).collect::<Vec<_>>(),
        "chain": of.chain.iter().map(|&index| obligation(index)).collect::<Vec<_>>(),
        "patterns": patterns.iter().map(pattern).collect::<Vec<_>>(),
        "otherPatterns": tower.patterns.others,
        "counts": counts(tower),
    })
}

/// The most levels with counts of a tower: some 250 KB of a page.
const MAX_PAIRS: usize = 25_000;

/// How many lemmas have each level as their highest: positions, and levels with counts.
fn counts(tower: &Tower) -> Value {
    let flat = |(tick, levels): &(Tick, Vec<(u32, u32)>)| {
        let pairs = levels.iter().flat_map(|&(l, count)| [level(l), count.into()]);
        json!([tick, pairs.collect::<Vec<i64>>()])
    };
    let last = (tower.end, tower.last_counts());
    // Runs with thousands of frames have fewer states of them.
    let pairs: usize = tower.snapshots.iter().map(|(_, levels)| levels.len()).sum();
    let every = pairs.div_ceil(MAX_PAIRS).max(1);
    tower.snapshots.iter().step_by(every).chain([&last]).map(flat).collect()
}

fn lemmas(tower: &Tower, of: &Chosen, details: &[Detail], names: &Names) -> Value {
    let all = || of.lemmas.iter().map(|&index| &tower.lemmas[index as usize]);
    let by = |index: u32| maybe(of.lemmas.binary_search(&index).ok());
    let asked = |index: u32| maybe(of.obligations.binary_search(&index).ok());
    json!({
        "number": all().map(|l| l.number).collect::<Vec<_>>(),
        "born": all().map(|l| l.born).collect::<Vec<_>>(),
        "level": all().map(|l| level(l.first)).collect::<Vec<_>>(),
        "end": all().map(|l| if l.end == NONE { 0 } else { l.end }).collect::<Vec<_>>(),
        "by": all().map(|l| by(l.by)).collect::<Vec<_>>(),
        "asked": all().map(|l| asked(l.asked)).collect::<Vec<_>>(),
        "origin": all().map(|l| l.origin.letter()).collect::<String>(),
        "claim": details.iter().map(|d| names.claim(d)).collect::<Vec<_>>(),
        "place": places(details),
        "moves": details.iter().map(|d| moves(&d.moves)).collect::<Vec<_>>(),
    })
}

fn obligations(tower: &Tower, of: &Chosen, details: &[Detail], names: &Names) -> Value {
    let all = || of.obligations.iter().map(|&index| &tower.obligations[index as usize]);
    let next = |index: u32| maybe(of.obligations.binary_search(&index).ok());
    json!({
        "number": all().map(|o| o.number).collect::<Vec<_>>(),
        "born": all().map(|o| o.born).collect::<Vec<_>>(),
        "level": all().map(|o| o.level).collect::<Vec<_>>(),
        "depth": all().map(|o| o.depth).collect::<Vec<_>>(),
        "successor": all().map(|o| next(o.successor)).collect::<Vec<_>>(),
        "blocked": all().map(|o| o.blocked).collect::<Vec<_>>(),
        "predecessors": all().map(|o| o.predecessors).collect::<Vec<_>>(),
        "claim": details.iter().map(|d| names.claim(d)).collect::<Vec<_>>(),
        "place": places(details),
        "moves": details.iter().map(|d| moves(&d.moves)).collect::<Vec<_>>(),
    })
}

/// The locations of claims; nothing if they have none.
fn places(details: &[Detail]) -> Option<Vec<i64>> {
    let place = |detail: &Detail| match &detail.said {
        Some(Said::Outside(_, Some(place))) => i64::from(*place),
        _ => -1,
    };
    let list: Vec<i64> = details.iter().map(place).collect();
    list.iter().any(|place| *place >= 0).then_some(list)
}

fn moves(moves: &Even<(Tick, u32)>) -> Vec<i64> {
    moves.iter().flat_map(|&(tick, to)| [i64::from(tick), level(to)]).collect()
}

/// The variables that claims on the page speak of, in the order of the system.
struct Names {
    list: Vec<String>,
    position: FxHashMap<u64, i64>,
}

impl Names {
    fn new(variables: Option<&Variables>, details: &Details) -> Names {
        let mut used: BTreeSet<u64> = BTreeSet::new();
        for detail in details.lemmas.iter().chain(&details.obligations) {
            if let Some(Said::Clause(clause)) = &detail.said {
                used.extend(clause.iter().map(|lit| lit.unsigned_abs()));
            }
        }
        let name = |number: u64| match variables {
            Some(variables) => cut(&variables.name(number)),
            None => format!("variable {number}"),
        };
        let position = used.iter().enumerate().map(|(i, &number)| (number, i as i64 + 1)).collect();
        Names { list: used.into_iter().map(name).collect(), position }
    }

    /// A clause over positions in the list, from 1; or a text.
    fn claim(&self, detail: &Detail) -> Value {
        match &detail.said {
            Some(Said::Clause(clause)) => {
                let lit = |lit: &i64| self.position[&lit.unsigned_abs()] * lit.signum();
                clause.iter().map(lit).collect()
            }
            Some(Said::Outside(text, _)) => cut(text).into(),
            None => Value::Null,
        }
    }
}

/// A proof: names, conjuncts, and which of them are needed directly. The shortest stay if there are
/// too many.
fn invariant(line: &Value) -> Value {
    let empty = Vec::new();
    let list = |name: &str| line[name].as_array().unwrap_or(&empty);
    let pairs =
        list("names").iter().filter_map(|pair| Some((pair[0].as_u64()?, pair[1].as_str()?)));
    let names: Vec<(u64, String)> = pairs.map(|(number, name)| (number, cut(name))).collect();
    let position: FxHashMap<u64, i64> =
        names.iter().enumerate().map(|(i, (number, _))| (*number, i as i64 + 1)).collect();
    let all = list("conjuncts");
    let size = |value: &Value| match (value["clause"].as_array(), value["text"].as_str()) {
        (Some(clause), _) => clause.len(),
        (None, Some(text)) => text.len(),
        (None, None) => 0,
    };
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|&index| (size(&all[index]), index));
    let direct: Option<BTreeSet<usize>> = line["direct"]
        .as_array()
        .map(|list| list.iter().filter_map(|n| Some(n.as_u64()? as usize)).collect());
    let (mut conjuncts, mut bytes) = (Vec::new(), 0);
    for &index in &order {
        let said = match (all[index]["clause"].as_array(), all[index]["text"].as_str()) {
            (Some(clause), _) => clause
                .iter()
                .filter_map(|lit| {
                    let lit = lit.as_i64()?;
                    Some(position.get(&lit.unsigned_abs())? * lit.signum())
                })
                .collect(),
            (None, text) => Value::from(cut(text.unwrap_or_default())),
        };
        let is_direct = direct.as_ref().map(|direct| direct.contains(&index));
        bytes += 4 * size(&all[index]) + 12;
        if conjuncts.len() == CONJUNCTS || bytes > CONJUNCT_BYTES {
            break;
        }
        conjuncts.push(json!([said, is_direct, all[index]["signals"]]));
    }
    json!({
        "properties": line["properties"],
        "k": line["k"],
        "names": names.into_iter().map(|(_, name)| name).collect::<Vec<_>>(),
        "total": all.len(),
        "conjuncts": conjuncts,
    })
}
