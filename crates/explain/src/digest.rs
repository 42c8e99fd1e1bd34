//! The first reading of a record: everything is counted, and of each lemma and obligation some
//! numbers are kept. See `docs/design/explain.md`.

use crate::even::{Clock, Even};
use crate::record::{First, Lines, Read, RecordError};
use crate::signals::Variables;
use crate::tower::{Origin, Tick, Tower};
use rustc_hash::FxHashMap;
use serde_json::Value;
use std::io::BufRead;

/// Into how many parts the time line is cut for curves.
const SPANS: usize = 400;

/// How many depths of an engine are kept, and how many marks of a kind.
const DEPTHS: usize = 400;
const MARKS: usize = 300;

/// The frequent events, in the order of [`crate::even::Span::counts`].
const COUNTED: [&str; 5] = ["learned", "pushed", "retired", "raised", "blocked"];

/// One engine of the run.
#[derive(Debug)]
pub(crate) struct EngineLog {
    pub(crate) name: String,
    pub(crate) start: Tick,
    /// Position, depth, lemmas, obligations, queries, conflicts, seconds.
    pub(crate) depths: Even<(Tick, [u64; 5], f64)>,
    pub(crate) work: Vec<Value>,
    /// The system and the program that it works on.
    system: Option<usize>,
    program: Option<usize>,
}

/// A system that engines worked on.
#[derive(Debug)]
pub(crate) struct SystemLog {
    pub(crate) variables: Variables,
    pub(crate) stages: Value,
}

/// An event that stands by itself.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    pub(crate) tick: Tick,
    pub(crate) engine: usize,
    pub(crate) value: Value,
}

/// Which obligation begins a chain to a violation.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Chain {
    pub(crate) tower: usize,
    pub(crate) obligation: u32,
}

/// What the first reading of a record gives.
pub struct Digest {
    /// The first line.
    pub first: First,
    /// How many lines follow.
    pub events: u64,
    /// The time of the last one.
    pub seconds: f64,
    /// Whether the record has its end.
    pub is_whole: bool,
    /// The violations: lines `trace`.
    pub traces: Vec<Value>,
    pub(crate) properties: Vec<Value>,
    pub(crate) invariants: Vec<Value>,
    pub(crate) programs: Vec<Value>,
    pub(crate) systems: Vec<SystemLog>,
    pub(crate) engines: Vec<EngineLog>,
    pub(crate) towers: Vec<Tower>,
    /// From which position on lines of this engine and direction are about a tower.
    pub(crate) switches: Vec<(Tick, Key, usize)>,
    pub(crate) chains: Vec<Chain>,
    pub(crate) clock: Clock,
    pub(crate) marks: Vec<(String, Even<Mark>)>,
}

/// An engine's number, and whether frames grow backwards.
pub(crate) type Key = (u64, bool);

/// The key of a line about frames.
pub(crate) fn key_of(read: &Read<'_>) -> Result<Key, RecordError> {
    let id = read.need(read.entry.id, "id")?;
    Ok((id, read.entry.direction.as_deref() == Some("backward")))
}

/// Whether a line is about frames.
pub(crate) fn is_detail(event: &str) -> bool {
    event == "frame" || COUNTED.contains(&event)
}

impl Digest {
    /// Reads a record.
    ///
    /// # Errors
    /// If it is none, or a line is wrong.
    pub fn read(input: impl BufRead) -> Result<Digest, RecordError> {
        let (first, mut lines) = Lines::new(input)?;
        let digest = Digest::new(first);
        let mut reader = Reader {
            digest,
            engine_of: FxHashMap::default(),
            tower_of: FxHashMap::default(),
            epochs: FxHashMap::default(),
            met: None,
        };
        while let Some(read) = lines.next()? {
            reader.hear(&read)?;
        }
        Ok(reader.digest)
    }

    fn new(first: First) -> Digest {
        Digest {
            first,
            events: 0,
            seconds: 0.0,
            is_whole: false,
            traces: Vec::new(),
            properties: Vec::new(),
            invariants: Vec::new(),
            programs: Vec::new(),
            systems: Vec::new(),
            engines: Vec::new(),
            towers: Vec::new(),
            switches: Vec::new(),
            chains: Vec::new(),
            clock: Clock::new(SPANS),
            marks: Vec::new(),
        }
    }

    /// The names of the variables that claims of a tower speak of.
    pub(crate) fn variables(&self, tower: &Tower) -> Option<&Variables> {
        tower.system.and_then(|system| self.systems.get(system)).map(|system| &system.variables)
    }
}

struct Reader {
    digest: Digest,
    engine_of: FxHashMap<u64, usize>,
    tower_of: FxHashMap<Key, usize>,
    epochs: FxHashMap<Key, usize>,
    /// The obligations of both directions that met last, for the answer that follows.
    met: Option<[u64; 2]>,
}

impl Reader {
    fn hear(&mut self, read: &Read<'_>) -> Result<(), RecordError> {
        let digest = &mut self.digest;
        let event = &*read.entry.event;
        digest.events += 1;
        let tick = Tick::try_from(digest.events)
            .map_err(|_| read.bad("more events than a page can be made of"))?;
        digest.seconds = digest.seconds.max(read.entry.seconds);
        let kind = COUNTED.iter().position(|counted| *counted == event);
        digest.clock.tick(digest.seconds, kind);
        if is_detail(event) {
            return self.detail(read, tick);
        }
        match event {
            "system" => digest.systems.push(system_of(&read.value()?)),
            "program" => digest.programs.push(read.value()?),
            "property" => digest.properties.push(read.value()?),
            "trace" => digest.traces.push(read.value()?),
            "invariant" => digest.invariants.push(read.value()?),
            "end" => digest.is_whole = true,
            _ if read.entry.id.is_some() => return self.of_engine(read, tick),
            // What is not known yet does no harm.
            _ => {}
        }
        Ok(())
    }

    /// A line about frames.
    fn detail(&mut self, read: &Read<'_>, tick: Tick) -> Result<(), RecordError> {
        let key = key_of(read)?;
        let engine = self.engine(read, tick)?;
        let known = self.tower_of.get(&key).copied();
        let digest = &mut self.digest;
        let index = match known {
            Some(index) if !digest.towers[index].is_over(read) => index,
            _ => {
                let epoch = self.epochs.entry(key).or_default();
                let mut tower = Tower::new(engine, key.1, *epoch, tick);
                *epoch += 1;
                let log = &digest.engines[engine];
                (tower.system, tower.program) = (log.system, log.program);
                digest.towers.push(tower);
                let index = digest.towers.len() - 1;
                self.tower_of.insert(key, index);
                digest.switches.push((tick, key, index));
                index
            }
        };
        let Digest { towers, systems, .. } = digest;
        let tower = &mut towers[index];
        if matches!(&*read.entry.event, "learned" | "raised") {
            let system = tower.system.and_then(|system| systems.get(system));
            tower.patterns.add(read, system.map(|system| &system.variables));
        }
        tower.hear(read, tick)
    }

    /// The engine of a line, which may be new.
    fn engine(&mut self, read: &Read<'_>, tick: Tick) -> Result<usize, RecordError> {
        let id = read.need(read.entry.id, "id")?;
        let digest = &mut self.digest;
        Ok(*self.engine_of.entry(id).or_insert_with(|| {
            let name = read.entry.engine.as_deref().unwrap_or("?").to_owned();
            let (system, program) =
                (digest.systems.len().checked_sub(1), digest.programs.len().checked_sub(1));
            let (depths, work) = (Even::new(DEPTHS), Vec::new());
            digest.engines.push(EngineLog { name, start: tick, depths, work, system, program });
            digest.engines.len() - 1
        }))
    }

    /// Another line of an engine.
    fn of_engine(&mut self, read: &Read<'_>, tick: Tick) -> Result<(), RecordError> {
        let (engine, value) = (self.engine(read, tick)?, read.value()?);
        let id = read.need(read.entry.id, "id")?;
        let number = |field: &str| value[field].as_u64().unwrap_or(0);
        match &*read.entry.event {
            "started" => {
                let digest = &mut self.digest;
                let log = &mut digest.engines[engine];
                log.system = value["system"].as_u64().map(|system| system as usize);
                log.program = digest.programs.len().checked_sub(1);
            }
            "depth" | "finished" => {
                let counters = ["depth", "lemmas", "obligations", "queries", "conflicts"];
                let log = &mut self.digest.engines[engine];
                log.depths.push((tick, counters.map(number), read.entry.seconds));
                self.turn(id, None, Origin::Obligation);
            }
            "work" => {
                let work = value["work"].as_array().cloned().unwrap_or_default();
                self.digest.engines[engine].work = work;
                return Ok(());
            }
            "interpolated" => self.turn(id, None, Origin::Interpolant),
            "restarted" => self.tower_of.retain(|key, _| key.0 != id),
            "slice" => {
                // Until the exchange is over, the other side takes lemmas in.
                let is_backward = read.entry.direction.as_deref() == Some("backward");
                self.turn(id, Some(!is_backward), Origin::Imported);
            }
            "lemmas_shared" => self.turn(id, None, Origin::Obligation),
            "met" => self.met = Some([number("forward"), number("reverse")]),
            "settled" if value["verdict"] == "violated" => self.note_chain(id),
            _ => {}
        }
        if &*read.entry.event != "depth" {
            self.mark(Mark { tick, engine, value });
        }
        Ok(())
    }

    /// Lemmas of an engine come from somewhere else from now on.
    fn turn(&mut self, id: u64, direction: Option<bool>, origin: Origin) {
        for is_backward in [false, true] {
            if direction.is_none_or(|wanted| wanted == is_backward)
                && let Some(&tower) = self.tower_of.get(&(id, is_backward))
            {
                self.digest.towers[tower].turn(origin);
            }
        }
    }

    /// An engine has found a violation: which obligations lead there.
    fn note_chain(&mut self, id: u64) {
        let met = self.met.take();
        let both = [false, true].map(|b| self.tower_of.get(&(id, b)).copied());
        let towers = &self.digest.towers;
        let chains: Vec<Chain> = match met {
            Some(numbers) => both
                .iter()
                .zip(numbers)
                .filter_map(|(&tower, number)| {
                    let tower = tower?;
                    let obligation = *towers[tower].obligation_of.get(&number)?;
                    Some(Chain { tower, obligation })
                })
                .collect(),
            None => {
                let last = both.into_iter().flatten().max_by_key(|&tower| towers[tower].end);
                let last = last.filter(|&tower| !towers[tower].obligations.is_empty());
                let chain = |tower: usize| {
                    let obligation = towers[tower].obligations.len() as u32 - 1;
                    Chain { tower, obligation }
                };
                last.map(chain).into_iter().collect()
            }
        };
        self.digest.chains.extend(chains);
    }

    fn mark(&mut self, mark: Mark) {
        let marks = &mut self.digest.marks;
        let kind = mark.value["event"].as_str().unwrap_or_default();
        let place = match marks.iter().position(|(known, _)| known == kind) {
            Some(place) => place,
            None => {
                marks.push((kind.to_owned(), Even::new(MARKS)));
                marks.len() - 1
            }
        };
        marks[place].1.push(mark);
    }
}

fn system_of(value: &Value) -> SystemLog {
    let latches = value["latches"].as_array().map_or(&[][..], Vec::as_slice);
    let pair = |latch: &Value| Some((latch[0].as_u64()?, latch[1].as_str().map(str::to_owned)));
    let variables = Variables::new(latches.iter().filter_map(pair));
    SystemLog { variables, stages: value["stages"].clone() }
}
