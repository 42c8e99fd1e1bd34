//! A violation, or the run of a cover, as a test bench in Verilog-2001: it sets what the design
//! leaves open, drives the inputs step by step, and ends after the last one. A simulator that
//! knows assertions reports the violation there.
//!
//! With one clock a step is a period that ends with its edge. Otherwise a step is a moment: clocks
//! change first, and the other inputs a little later, so that flip-flops see the values from
//! before the edge, as in the model.

use crate::elaborate::About;
use crate::facts::Clocking;
use crate::keywords::is_keyword;
use crate::names::Kind;
use crate::rtlil::Port;
use pedra_model::bv::Bv;
use pedra_model::system::System;
use pedra_model::trace::WordTrace;
use pedra_model::value::{TernaryValue, Value};
use std::fmt::Write as _;

/// Arrays of up to this many words are set word by word; of larger ones only the words that matter.
const SMALL_ARRAY_BITS: u32 = 10;

/// The text of the test bench. `sources` says what it belongs to.
pub fn write(about: &About, system: &System, trace: &WordTrace, sources: &str) -> String {
    let bench = Bench { about, system, trace };
    let property = &about.properties[trace.property];
    let (step, name) = (trace.depth(), &property.name);
    let what = match property.kind {
        Kind::Assert => "is violated",
        Kind::Cover => "is reached",
    };
    let event = format!("{} {what} at step {step}", one_line(name));
    let mut text = format!(
        "// {event}.\n// Compile it with {}, and with the macro FORMAL if the sources ask for it.\n",
        one_line(sources)
    );
    let hidden = bench.hidden();
    if hidden > 0 {
        let _ = writeln!(text, "// {hidden} values without a name in the sources cannot be set.");
    }
    text.push_str("module testbench;\n");
    for port in bench.inputs() {
        let range = if port.width > 1 { format!(" [{}:0]", port.width - 1) } else { String::new() };
        let _ = writeln!(text, "    reg{range} {};", escaped(&port.name));
    }
    bench.instance(&mut text);
    text.push_str("\n    initial begin\n");
    bench.start(&mut text);
    for step in 0..=trace.depth() {
        bench.step(&mut text, step);
    }
    let _ = writeln!(text, "        $display(\"{}\");", event.replace(['"', '\\'], "'"));
    text.push_str("        $finish;\n    end\nendmodule\n");
    text
}

struct Bench<'a> {
    about: &'a About,
    system: &'a System,
    trace: &'a WordTrace,
}

impl Bench<'_> {
    fn inputs(&self) -> impl Iterator<Item = &Port> {
        self.about.ports.iter().filter(|port| port.is_input)
    }

    fn is_port(&self, name: &str) -> bool {
        self.inputs().any(|port| port.name == name)
    }

    /// Whether a port is a clock whose edges are steps.
    fn is_step_clock(&self, name: &str) -> bool {
        matches!(&self.about.clocking, Clocking::One(clock) if clock.name == name)
    }

    fn is_clock(&self, name: &str) -> bool {
        match &self.about.clocking {
            Clocking::None => false,
            Clocking::One(clock) => clock.name == name,
            Clocking::Many(clocks) => clocks.iter().any(|clock| clock.name == name),
        }
    }

    /// How many free values have no name.
    fn hidden(&self) -> usize {
        let inputs = self.system.inputs.iter().filter(|input| input.name.is_none()).count();
        let states = self.system.states.iter();
        inputs + states.filter(|s| s.name.is_none() && s.init.is_none()).count()
    }

    fn instance(&self, text: &mut String) {
        let parameters = self.about.parameters.iter().filter_map(|p| p.split_once('='));
        let parameters: Vec<String> =
            parameters.map(|(name, value)| format!(".{}({value})", escaped(name))).collect();
        let parameters = match parameters.is_empty() {
            true => String::new(),
            false => format!(" #({})", parameters.join(", ")),
        };
        let ports = self.inputs().map(|port| {
            let name = escaped(&port.name);
            format!(".{name}({name})")
        });
        let ports = ports.collect::<Vec<String>>().join(", ");
        let _ = writeln!(text, "    {}{parameters} dut ({ports});", escaped(&self.about.top));
    }

    /// What is set before the first step: clocks at rest, and states without an initial value.
    fn start(&self, text: &mut String) {
        if let Clocking::One(clock) = &self.about.clocking
            && self.is_port(&clock.name)
        {
            let rest = u8::from(!clock.is_rising);
            let _ = writeln!(text, "        {} = {rest};", escaped(&clock.name));
        }
        for (state, value) in self.system.states.iter().zip(&self.trace.states[0]) {
            if let (Some(name), None, Some(value)) = (&state.name, state.init, value) {
                self.assign_inside(text, name, value);
            }
        }
    }

    /// An assignment to a signal of the design.
    fn assign_inside(&self, text: &mut String, name: &str, value: &TernaryValue) {
        // A word of a memory keeps its address: it is not in the name of a signal.
        let is_word =
            name.rsplit_once('[').is_some_and(|(m, _)| self.about.memories.contains_key(m));
        let words = self.about.memories.get(name).copied();
        assign(text, &format!("dut.{}", path(name, is_word)), value, words);
    }

    fn step(&self, text: &mut String, step: usize) {
        let _ = writeln!(text, "        // step {step}");
        let mut later = String::new();
        for (input, value) in self.system.inputs.iter().zip(&self.trace.inputs[step]) {
            let Some(name) = &input.name else { continue };
            if self.is_step_clock(name) {
                continue;
            }
            let out = if self.is_clock(name) { &mut *text } else { &mut later };
            match self.is_port(name) {
                true => assign(out, &escaped(name), value, None),
                false => self.assign_inside(out, name, value),
            }
        }
        match &self.about.clocking {
            Clocking::One(clock) if self.is_port(&clock.name) => {
                let name = escaped(&clock.name);
                let (edge, rest) = (u8::from(clock.is_rising), u8::from(!clock.is_rising));
                text.push_str(&later);
                let _ = writeln!(text, "        #5 {name} = {edge};\n        #5 {name} = {rest};");
            }
            _ => {
                let _ = writeln!(text, "        #1;\n{later}        #9;");
            }
        }
    }
}

/// An assignment; bits that do not matter are 0. Of an array `words` has the lowest address and the
/// number of words, where they are known.
fn assign(text: &mut String, name: &str, value: &TernaryValue, words: Option<(u64, u64)>) {
    let number = |value: &Bv| format!("{}'h{}", value.width(), value.to_hex());
    match value.zero_filled() {
        Value::Bv(value) => {
            let _ = writeln!(text, "        {name} = {};", number(&value));
        }
        Value::Array(array) => {
            let bits = array.index_width();
            let (lowest, size) = words.unwrap_or((0, u64::MAX));
            if bits <= SMALL_ARRAY_BITS {
                for index in 0..size.min(1 << bits) {
                    let element = number(array.get(&Bv::from_u64(bits, index)));
                    let _ = writeln!(text, "        {name}[{}] = {element};", index + lowest);
                }
            } else {
                for (index, element) in array.entries() {
                    let Some(index) = index.to_u64().filter(|index| *index < size) else {
                        continue;
                    };
                    let element = number(element);
                    let _ = writeln!(text, "        {name}[{}] = {element};", index + lowest);
                }
            }
        }
        Value::Int(_) | Value::IntArray(_) => unreachable!("hardware has no integers"),
    }
}

/// A path of names: `u1.g[2].\odd+name `. An instance of a generate block keeps its index, and so
/// does the last name if it is a word of a memory.
fn path(name: &str, is_word: bool) -> String {
    let (outer, inner) = match name.rsplit_once('.') {
        Some((outer, inner)) => (Some(outer), inner),
        None => (None, name),
    };
    let indexed = |name: &str| match name.split_once('[') {
        Some((base, index)) if !needs_escape(base) => format!("{base}[{index}"),
        _ => escaped(name),
    };
    let inner = if is_word { indexed(inner) } else { escaped(inner) };
    let outer = outer.iter().flat_map(|outer| outer.split('.')).map(indexed);
    outer.chain([inner]).collect::<Vec<String>>().join(".")
}

/// A name as Verilog writes it.
fn escaped(name: &str) -> String {
    if needs_escape(name) { format!("\\{name} ") } else { name.to_owned() }
}

fn needs_escape(name: &str) -> bool {
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    let is_inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
    !name.starts_with(is_start) || !name.chars().all(is_inner) || is_keyword(name)
}

fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elaborate::Property;
    use crate::facts::Clock;
    use pedra_formats::btor2;
    use pedra_model::value::TernaryBv;
    use std::collections::BTreeMap;

    fn bench(clocking: Clocking) -> String {
        let text = "1 sort bitvec 1\n2 sort bitvec 4\n3 input 1 clk\n4 input 2 odd+in\n\
                    5 state 2 u.held\n6 next 2 5 4\n7 redor 1 5\n8 bad 7 u.safe\n";
        let system = btor2::read(text.as_bytes()).expect("a model");
        let port = |name: &str, width, number| Port {
            name: name.to_owned(),
            width,
            is_input: true,
            number,
        };
        let property = Property {
            kind: Kind::Assert,
            name: "u.safe".to_owned(),
            place: None,
            condition: None,
        };
        let about = About {
            properties: vec![property],
            top: "top".to_owned(),
            ports: vec![port("clk", 1, 1), port("odd+in", 4, 2)],
            clocking,
            memories: BTreeMap::new(),
            parameters: vec!["N=3".to_owned()],
        };
        let value = |digits: &str| TernaryValue::Bv(TernaryBv::parse(digits).expect("digits"));
        let inputs = vec![vec![value("1"), value("1x10")], vec![value("0"), value("xxxx")]];
        let states = vec![vec![Some(value("0000"))], vec![None]];
        super::write(
            &about,
            &system,
            &WordTrace { property: 0, states, inputs, loop_start: None },
            "a.sv",
        )
    }

    #[test]
    fn a_step_is_a_period_of_the_one_clock() {
        let clock = Clock { name: "clk".to_owned(), is_rising: true };
        let text = bench(Clocking::One(clock));
        let expected = "// u.safe is violated at step 1.
// Compile it with a.sv, and with the macro FORMAL if the sources ask for it.
module testbench;
    reg clk;
    reg [3:0] \\odd+in ;
    top #(.N(3)) dut (.clk(clk), .\\odd+in (\\odd+in ));

    initial begin
        clk = 0;
        dut.u.held = 4'h0;
        // step 0
        \\odd+in  = 4'ha;
        #5 clk = 1;
        #5 clk = 0;
        // step 1
        \\odd+in  = 4'h0;
        #5 clk = 1;
        #5 clk = 0;
        $display(\"u.safe is violated at step 1\");
        $finish;
    end
endmodule
";
        assert_eq!(text, expected);
    }

    #[test]
    fn names_are_escaped() {
        assert_eq!(escaped("clk"), "clk");
        assert_eq!(escaped("initial"), "\\initial ");
        assert_eq!(escaped("x[0]"), "\\x[0] ");
        assert_eq!(path("g[2].u.logic", false), "g[2].u.\\logic ");
        assert_eq!(path("u.x[0]", false), "u.\\x[0] ");
        assert_eq!(path("u.m[3]", true), "u.m[3]");
    }

    #[test]
    fn clocks_change_before_other_inputs() {
        let clock = Clock { name: "clk".to_owned(), is_rising: true };
        let text = bench(Clocking::Many([clock].into()));
        let step = "        clk = 1'h1;\n        #1;\n        \\odd+in  = 4'ha;\n        #9;\n";
        assert!(text.contains(step), "{text}");
    }
}
