//! `pedra info`: what is in a model.

use crate::args::InfoArgs;
use crate::commands::language::{Language, refuse_language};
use crate::commands::program_info;
use crate::load::{Loaded, load};
use crate::output::say;
use crate::verilog;
use anyhow::Result;
use pedra_formats::text::printable;
use pedra_model::Model;
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::property::Property;
use pedra_model::system::System;
use pedra_model::term::{Scalar, Sort};
use pedra_verilog::{About, Clock, Clocking, Kind, is_verilog};
use serde_json::{Value, json};

/// Runs the command; gives the exit code.
pub fn run(args: &InfoArgs) -> Result<i32> {
    let is_design = is_verilog(&args.model);
    if !is_design {
        args.verilog.refuse(&args.more)?;
    }
    if let Some(language) = Language::of(&args.model) {
        return program_info::run(args, language);
    }
    refuse_language(&args.language)?;
    let loaded = match is_design {
        false => load(&args.model)?,
        true => match verilog::open_without_limits(&args.model, &args.more, &args.verilog)? {
            Some(loaded) => loaded,
            None => return Ok(verilog::STOPPED),
        },
    };
    let facts = facts(&loaded);
    if args.json {
        say(&facts.to_string());
    } else {
        say(&text(&loaded, &facts));
    }
    Ok(0)
}

fn facts(loaded: &Loaded) -> Value {
    let mut facts = match &loaded.model {
        Model::Bits(system) => bit_facts(system, &loaded.bytes),
        Model::Words(system) => word_facts(system),
    };
    let properties: Vec<Value> = (0..loaded.num_properties())
        .map(|i| {
            let mut property = json!({ "property": i, "name": loaded.property_name(i) });
            if let id @ Property::Justice(_) = loaded.model.property(i) {
                property["id"] = id.to_string().into();
            }
            property
        })
        .collect();
    facts["properties"] = properties.into();
    if let Some(about) = &loaded.about {
        design_facts(about, &mut facts);
    }
    facts["file"] = loaded.path.display().to_string().into();
    facts["bytes"] = loaded.bytes.len().into();
    facts
}

/// What is known of a design beside its model.
fn design_facts(about: &About, facts: &mut Value) {
    facts["format"] = "Verilog, as BTOR2".into();
    facts["top"] = about.top.as_str().into();
    let clock = |clock: &Clock| {
        let edge = if clock.is_rising { "posedge" } else { "negedge" };
        Value::from(format!("{edge} {}", clock.name))
    };
    facts["clocks"] = match &about.clocking {
        Clocking::None => Vec::<Value>::new().into(),
        Clocking::One(one) => vec![clock(one)].into(),
        Clocking::Many(many) => many.iter().map(clock).collect(),
    };
    for (index, property) in about.properties.iter().enumerate() {
        let kind = if property.kind == Kind::Cover { "cover" } else { "assert" };
        facts["properties"][index]["kind"] = kind.into();
        if let Some(place) = &property.place {
            facts["properties"][index]["file"] = place.file.as_str().into();
            facts["properties"][index]["line"] = place.line.into();
        }
    }
}

fn bit_facts(system: &BitSystem, bytes: &[u8]) -> Value {
    let resets = |test: fn(Reset) -> bool| system.latches.iter().filter(|l| test(l.reset)).count();
    json!({
        "format": if bytes.starts_with(b"aag") { "AIGER (ascii)" } else { "AIGER (binary)" },
        "inputs": system.inputs.len(),
        "input_bits": system.inputs.len(),
        "states": system.latches.len(),
        "state_bits": system.latches.len(),
        "gates": system.aig.num_gates(),
        "levels": levels(system),
        "outputs": system.outputs.len(),
        "bads": system.bads.len(),
        "constraints": system.constraints.len(),
        "justice": system.justice.len(),
        "fairness": system.fairness.len(),
        "outputs_are_bads": system.outputs_are_bads(),
        "resets": {
            "zero": resets(|r| r == Reset::Zero),
            "one": resets(|r| r == Reset::One),
            "free": resets(|r| r == Reset::Free),
            "function": resets(|r| matches!(r, Reset::Function(_))),
        },
    })
}

/// The length of the longest chain of gates.
fn levels(system: &BitSystem) -> u32 {
    let mut level = vec![0u32; system.aig.len()];
    for (var, a, b) in system.aig.gates() {
        level[var.index()] = 1 + level[a.var().index()].max(level[b.var().index()]);
    }
    level.into_iter().max().unwrap_or(0)
}

fn word_facts(system: &System) -> Value {
    let bits = |sort: Sort| match sort {
        Sort::Bv(width) => width as u64,
        Sort::Array { .. } | Sort::Int => 0,
    };
    let sort = |term| system.terms.sort(term);
    let in_use = system.terms.cone(system.roots());
    let operators =
        system.terms.iter().filter(|(id, term)| in_use[id.index()] && term.args().next().is_some());
    let arrays: Vec<Value> = system
        .states
        .iter()
        .filter_map(|s| match sort(s.term) {
            Sort::Array { index: Scalar::Bv(index), element: Scalar::Bv(element) } => {
                Some(json!({ "name": s.name, "index_bits": index, "element_bits": element }))
            }
            _ => None,
        })
        .collect();
    json!({
        "format": "BTOR2",
        "inputs": system.inputs.len(),
        "input_bits": system.inputs.iter().map(|i| bits(sort(i.term))).sum::<u64>(),
        "states": system.states.len(),
        "state_bits": system.states.iter().map(|s| bits(sort(s.term))).sum::<u64>(),
        "arrays": arrays,
        "operators": operators.count(),
        "outputs": system.outputs.len(),
        "bads": system.bads.len(),
        "constraints": system.constraints.len(),
        "justice": system.justice.len(),
        "fairness": system.fairness.len(),
        "resets": {
            "init": system.states.iter().filter(|s| s.init.is_some()).count(),
            "free": system.states.iter().filter(|s| s.init.is_none()).count(),
        },
        "without_next": system.states.iter().filter(|s| s.next.is_none()).count(),
    })
}

/// The facts for people: a line each, zeros left out.
fn text(loaded: &Loaded, facts: &Value) -> String {
    let mut lines = vec![format!(
        "{}  {}, {} bytes",
        printable(&loaded.path.to_string_lossy()),
        facts["format"].as_str().unwrap_or_default(),
        loaded.bytes.len()
    )];
    let mut add = |name: &str, value: String| lines.push(format!("  {name:<12} {value}"));
    let count = |key: &str| facts[key].as_u64().unwrap_or(0);
    let with_bits = |key: &str, bits: &str| match (count(key), count(bits)) {
        (n, b) if n == b => n.to_string(),
        (n, b) => format!("{n} ({b} bits)"),
    };
    if let Some(top) = facts["top"].as_str() {
        add("top", printable(top).into_owned());
        let clocks = facts["clocks"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let clocks = clocks.collect::<Vec<_>>().join(", ");
        add(
            "clocks",
            if clocks.is_empty() { "none".to_owned() } else { printable(&clocks).into() },
        );
    }
    add("inputs", with_bits("inputs", "input_bits"));
    let mut resets = Vec::new();
    for (kind, number) in facts["resets"].as_object().into_iter().flatten() {
        if number.as_u64() != Some(0) {
            resets.push(format!("{kind} {number}"));
        }
    }
    let resets =
        if resets.is_empty() { String::new() } else { format!("  reset: {}", resets.join(", ")) };
    let without = match count("without_next") {
        0 => String::new(),
        n => format!("; without next: {n}"),
    };
    add("states", format!("{}{resets}{without}", with_bits("states", "state_bits")));
    for array in facts["arrays"].as_array().into_iter().flatten() {
        let name = array["name"].as_str().unwrap_or("(no name)");
        let (index, element) = (&array["index_bits"], &array["element_bits"]);
        add("array", format!("{}: 2^{index} elements of {element} bits", printable(name)));
    }
    for (key, name) in [("gates", "gates"), ("levels", "levels"), ("operators", "operators")] {
        if facts.get(key).is_some() {
            add(name, count(key).to_string());
        }
    }
    for key in ["outputs", "constraints", "justice", "fairness"] {
        if count(key) > 0 {
            add(key, count(key).to_string());
        }
    }
    let old = facts["outputs_are_bads"] == true && loaded.num_properties() > 0;
    let note = if old { " (old style: the outputs are the bads)" } else { "" };
    add("properties", format!("{}{note}", loaded.num_properties()));
    for i in 0..loaded.num_properties() {
        let kind = match facts["properties"][i]["kind"].as_str() {
            Some(kind) => format!("{kind:<8}"),
            None => String::new(),
        };
        lines.push(
            format!(
                "    {} {kind}{}",
                loaded.model.property(i),
                printable(loaded.property_name(i).unwrap_or(""))
            )
            .trim_end()
            .to_owned(),
        );
    }
    lines.join("\n")
}
