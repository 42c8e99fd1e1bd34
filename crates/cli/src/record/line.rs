//! The lines of a record, put together by hand in one buffer: no text in between, and no machinery
//! of formatting, which takes several times as long for numbers and fixed words.

use pedra_engines::region::{Product, RegionAtom};
use pedra_engines::{Claim, Direction, Event, Exchanged, Progress, Verdict, Work};
use serde_json::{Value, json};
use std::time::Duration;

/// A key of a line, from the comma before it to the colon after it.
macro_rules! key {
    ($name:literal) => {
        concat!(",\"", $name, "\":")
    };
}

/// A line that grows at the end of a buffer.
pub struct Line<'a>(pub &'a mut Vec<u8>);

impl Line<'_> {
    /// The beginning of every line.
    pub fn event(&mut self, name: &str, seconds: Duration) -> &mut Self {
        self.text("{\"event\":\"").text(name).text("\",\"seconds\":").seconds(seconds)
    }

    /// The end of every line.
    pub fn end(&mut self) {
        self.text("}\n");
    }

    fn text(&mut self, text: &str) -> &mut Self {
        self.0.extend_from_slice(text.as_bytes());
        self
    }

    /// A field whose value is a word that needs no escapes.
    fn word(&mut self, key: &str, word: &str) -> &mut Self {
        self.text(key).text("\"").text(word).text("\"")
    }

    /// A field whose value is a number.
    fn number(&mut self, key: &str, number: usize) -> &mut Self {
        self.long(key, number as u64)
    }

    /// The same for large ones.
    fn long(&mut self, key: &str, number: u64) -> &mut Self {
        self.text(key).digits(number)
    }

    /// A field whose value is a number or `null`.
    fn maybe(&mut self, key: &str, number: Option<usize>) -> &mut Self {
        match number {
            Some(number) => self.number(key, number),
            None => self.text(key).text("null"),
        }
    }

    /// A number in decimal.
    fn digits(&mut self, mut number: u64) -> &mut Self {
        // As many as the largest has.
        let mut digits = [0; 20];
        let mut start = digits.len();
        loop {
            start -= 1;
            digits[start] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                break;
            }
        }
        self.0.extend_from_slice(&digits[start..]);
        self
    }

    /// A time, to the microsecond.
    fn seconds(&mut self, time: Duration) -> &mut Self {
        self.digits(time.as_secs());
        let mut micros = time.subsec_micros();
        let mut fraction = *b".000000";
        for digit in fraction[1..].iter_mut().rev() {
            *digit += (micros % 10) as u8;
            micros /= 10;
        }
        self.0.extend_from_slice(&fraction);
        self
    }

    fn progress(&mut self, progress: &Progress) -> &mut Self {
        let Progress { lemmas, obligations, queries, conflicts, .. } = *progress;
        self.number(key!("lemmas"), lemmas).number(key!("obligations"), obligations);
        self.long(key!("queries"), queries).long(key!("conflicts"), conflicts)
    }

    fn claim(&mut self, claim: &Claim) -> &mut Self {
        match claim {
            Claim::Clause(clause) => {
                self.text(key!("clause")).text("[");
                for (i, lit) in clause.iter().enumerate() {
                    self.text(if i > 0 { "," } else { "" });
                    self.text(if lit.is_negated() { "-" } else { "" });
                    self.digits(lit.var().index() as u64);
                }
                self.text("]")
            }
            Claim::Outside(region) => {
                let atoms: Vec<_> = region.atoms.iter().map(atom).collect();
                let mut value = json!({ "text": region.text, "atoms": atoms });
                if let Some(location) = region.location {
                    value["location"] = location.into();
                }
                self.json(key!("outside"), &value)
            }
        }
    }

    /// A field of any value. Not for what comes often.
    fn json(&mut self, key: &str, value: &Value) -> &mut Self {
        self.text(key).text(&value.to_string())
    }
}

/// Whose event it is, and when it came.
pub struct Who<'a> {
    /// When.
    pub seconds: Duration,
    /// The engine's number.
    pub engine: usize,
    /// And its name.
    pub name: &'a str,
    /// Which frames it is about.
    pub direction: Direction,
    /// The number of the system that the engine works on.
    pub system: usize,
    /// Engines count the properties that are decided; the model has more.
    pub properties: &'a [usize],
}

impl Who<'_> {
    /// Adds the line of an event, if it has one.
    pub fn write(&self, out: &mut Vec<u8>, event: &Event) {
        let mut line = Line(out);
        let line = match event {
            Event::FrameOpened { level } => {
                self.detail(&mut line, "frame").number(key!("level"), *level)
            }
            Event::LemmaLearned { lemma, level, claim } => {
                let line = self.detail(&mut line, "learned").number(key!("lemma"), *lemma);
                line.maybe(key!("level"), *level).claim(claim)
            }
            Event::LemmaPushed { lemma, from, to } => {
                let line = self.detail(&mut line, "pushed").number(key!("lemma"), *lemma);
                line.number(key!("from"), *from).maybe(key!("to"), *to)
            }
            Event::LemmaRetired { lemma, by } => {
                let line = self.detail(&mut line, "retired").number(key!("lemma"), *lemma);
                line.number(key!("by"), *by)
            }
            Event::ObligationRaised { obligation, level, depth, successor, claim } => {
                let line = self.detail(&mut line, "raised");
                line.number(key!("obligation"), *obligation).number(key!("level"), *level);
                line.number(key!("depth"), *depth).maybe(key!("successor"), *successor).claim(claim)
            }
            Event::ObligationBlocked { obligation, level } => {
                let line = self.detail(&mut line, "blocked");
                line.number(key!("obligation"), *obligation).maybe(key!("level"), *level)
            }
            other => {
                let start = line.0.len();
                if !self.rare(&mut line, other) {
                    return line.0.truncate(start);
                }
                &mut line
            }
        };
        line.end();
    }

    /// The same for events of the first rank, but for the end of the line. Gives whether there is
    /// a line at all.
    fn rare(&self, line: &mut Line<'_>, event: &Event) -> bool {
        match event {
            Event::SliceEnded { direction, work, voided } => {
                self.begin(line, "slice").word(key!("direction"), direction.text());
                line.long(key!("work"), *work).long(key!("voided"), *voided);
            }
            Event::ObligationsShared { from, count, deepest } => {
                self.begin(line, "obligations_shared").word(key!("from"), from.text());
                line.number(key!("count"), *count).number(key!("deepest"), *deepest);
            }
            Event::LemmasShared { from, offered, imported } => {
                self.begin(line, "lemmas_shared").word(key!("from"), from.text());
                line.number(key!("offered"), *offered).number(key!("imported"), *imported);
            }
            Event::Met { step, forward, reverse } => {
                self.begin(line, "met").number(key!("step"), *step);
                line.number(key!("forward"), *forward).number(key!("reverse"), *reverse);
            }
            Event::Extended { direction, depth, voided } => {
                self.begin(line, "extended").word(key!("direction"), direction.text());
                line.number(key!("depth"), *depth).long(key!("voided"), *voided);
            }
            Event::Interpolated { depth, first, level, clauses, resolutions, gates } => {
                self.begin(line, "interpolated").number(key!("depth"), *depth);
                line.number(key!("first"), *first).number(key!("level"), *level);
                line.number(key!("clauses"), *clauses);
                line.number(key!("resolutions"), *resolutions).number(key!("gates"), *gates);
            }
            Event::Restarted { latches, gates } => {
                self.begin(line, "restarted").number(key!("latches"), *latches);
                line.number(key!("gates"), *gates);
            }
            Event::Started { open, .. } => {
                self.begin(line, "started").number(key!("system"), self.system);
                line.number(key!("open"), *open);
            }
            Event::Depth { depth, progress } => {
                self.begin(line, "depth").number(key!("depth"), *depth).progress(progress);
            }
            Event::Settled { properties, outcome } => {
                let verdict = match outcome.verdict() {
                    Verdict::Proved => "proved",
                    Verdict::Violated => "violated",
                    Verdict::Unknown => "unknown",
                };
                for (i, &position) in properties.iter().enumerate() {
                    if i > 0 {
                        line.end();
                    }
                    let property = self.properties[position];
                    self.begin(line, "settled").number(key!("property"), property);
                    line.word(key!("verdict"), verdict);
                }
            }
            Event::Exchanged(exchanged) => {
                let Exchanged { published, seen, known, taken, dropped, .. } = *exchanged;
                let Exchanged { runs_published, runs_seen, runs_taken, .. } = *exchanged;
                self.begin(line, "exchanged").long(key!("published"), published);
                line.long(key!("seen"), seen).long(key!("known"), known);
                line.long(key!("taken"), taken).long(key!("dropped"), dropped);
                line.long(key!("runs_published"), runs_published);
                line.long(key!("runs_seen"), runs_seen).long(key!("runs_taken"), runs_taken);
            }
            Event::Finished { open, progress } => {
                self.begin(line, "finished").number(key!("open"), *open);
                line.number(key!("depth"), progress.depth).progress(progress);
            }
            Event::Summary(summary) => {
                let part = |work: &Work| {
                    let seconds = work.time.map(|time| time.as_secs_f64());
                    let (purpose, queries, held) = (work.purpose, work.queries, work.held);
                    json!({ "purpose": purpose, "queries": queries, "held": held, "seconds": seconds })
                };
                let parts = summary.work.iter().map(part).collect();
                self.begin(line, "work").json(key!("work"), &Value::Array(parts));
            }
            // What is not known here has no line.
            _ => return false,
        }
        true
    }

    fn begin<'l, 'o>(&self, line: &'l mut Line<'o>, event: &str) -> &'l mut Line<'o> {
        let line = line.event(event, self.seconds);
        line.word(key!("engine"), self.name).number(key!("id"), self.engine)
    }

    fn detail<'l, 'o>(&self, line: &'l mut Line<'o>, event: &str) -> &'l mut Line<'o> {
        self.begin(line, event).word(key!("direction"), self.direction.text())
    }
}

/// An atom of a region. Factors and bounds may be too large for a number in JSON, so they are
/// text.
fn atom(atom: &RegionAtom) -> Value {
    let product = |p: &Product| json!({ "state": p.state, "signed": p.signed, "factor": p.factor.to_string() });
    let products = |sum: &[Product]| sum.iter().map(product).collect::<Vec<_>>();
    match atom {
        RegionAtom::AtMost { sum, bound } => {
            json!({ "sum": products(sum), "at_most": bound.to_string() })
        }
        RegionAtom::Remainder { sum, log, remainder, holds } => {
            let remainder = remainder.to_string();
            json!({ "sum": products(sum), "log": log, "remainder": remainder, "holds": holds })
        }
        RegionAtom::Bit { state, bit, value } => {
            json!({ "state": state, "bit": bit, "value": value })
        }
        RegionAtom::Other(text) => json!({ "text": text }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers and times are those that the standard library writes.
    #[test]
    fn numbers_are_right() {
        let powers = (0..64).map(|i| 1_u64 << i).chain((0..20).map(|i| 10_u64.pow(i)));
        for number in powers.flat_map(|n| [n - 1, n, n + 1]).chain([u64::MAX]) {
            let mut out = Vec::new();
            Line(&mut out).digits(number);
            assert_eq!(out, number.to_string().into_bytes());
            let time = Duration::from_micros(number);
            out.clear();
            Line(&mut out).seconds(time);
            let text = format!("{}.{:06}", number / 1_000_000, number % 1_000_000);
            assert_eq!(out, text.into_bytes());
        }
    }

    #[test]
    fn lines_are_as_documented() {
        let who = Who {
            seconds: Duration::from_micros(5_397),
            engine: 0,
            name: "pdr",
            direction: Direction::Forward,
            system: 0,
            properties: &[4],
        };
        let lit =
            |var, negated| pedra_model::lit::Lit::new(pedra_model::lit::Var::new(var), negated);
        let clause = Claim::Clause(vec![lit(3, false), lit(5, false), lit(7, true)]);
        let begin = r#""seconds":0.005397,"engine":"pdr","id":0"#;
        let raised = Event::ObligationRaised {
            obligation: 10,
            level: 1,
            depth: 0,
            successor: None,
            claim: clause,
        };
        let blocked = Event::ObligationBlocked { obligation: 10, level: Some(21) };
        let cases = [
            (
                raised,
                "raised",
                r#","direction":"forward","obligation":10,"level":1,"depth":0,"successor":null,"clause":[3,5,-7]"#,
            ),
            (blocked, "blocked", r#","direction":"forward","obligation":10,"level":21"#),
            (Event::Restarted { latches: 2, gates: 0 }, "restarted", r#","latches":2,"gates":0"#),
            (Event::Started { engine: "pdr", open: 1 }, "started", r#","system":0,"open":1"#),
        ];
        for (event, name, rest) in cases {
            let mut out = Vec::new();
            who.write(&mut out, &event);
            let line = format!("{{\"event\":\"{name}\",{begin}{rest}}}\n");
            assert_eq!(String::from_utf8_lossy(&out), line);
        }
        let mut out = b"before\n".to_vec();
        who.write(&mut out, &Event::Turned { direction: Direction::Backward });
        assert_eq!(out, b"before\n");
    }
}
