//! `pedra info` on programs: what the front end made, and what is left of it on the way to a
//! system.

use crate::args::InfoArgs;
use crate::commands::language::{Language, Places};
use crate::commands::program::property_name;
use crate::output::say;
use anyhow::Result;
use pedra_c::Errors;
use pedra_formats::text::printable;
use pedra_program::{Loop, LowerOptions, Lowered, Program, lower};
use serde_json::{Value, json};

/// Runs the command on a program; gives the exit code.
pub fn run(args: &InfoArgs, language: Language) -> Result<i32> {
    let program = language.load(&args.model, &args.language, Places::OfSource, Errors::End)?;
    let mut facts = graph_facts(&program);
    facts["file"] = args.model.display().to_string().into();
    facts["format"] = language.name().into();
    facts["procedures"] = program.procedures.len().into();
    facts["loops"] = loops(&program).into();
    let properties: Vec<Value> = (0..program.properties.len())
        .map(|index| json!({ "property": index, "name": property_name(&program, index) }))
        .collect();
    facts["properties"] = properties.into();
    match lower(&program, &LowerOptions::default()) {
        Ok(lowered) => add_stages(&mut facts, &lowered),
        Err(error) => facts["not_lowered"] = error.to_string().into(),
    }
    say(&if args.json { facts.to_string() } else { text(&facts) });
    Ok(0)
}

/// Places, edges and variables of all procedures.
fn graph_facts(program: &Program) -> Value {
    let procedures = program.procedures.iter();
    let own: usize = procedures.clone().map(|p| p.variables.len()).sum();
    json!({
        "places": procedures.clone().map(|p| p.places.len()).sum::<usize>(),
        "edges": procedures.map(|p| p.edges.len()).sum::<usize>(),
        "variables": own + program.globals.len(),
    })
}

/// The loops of the source: their lines and heads.
fn loops(program: &Program) -> Vec<Value> {
    let places = program.procedures.iter().flat_map(|p| &p.places);
    let heads = places.filter_map(|place| place.head_of.as_ref());
    let location = |head: &Loop| program.location(head.span, false);
    heads.map(|head| json!({ "location": location(head), "text": head.text })).collect()
}

/// What is left after inlining, after the passes, as blocks and as a system.
fn add_stages(facts: &mut Value, lowered: &Lowered) {
    facts["inlined"] = graph_facts(&lowered.inlined.program);
    let blocks = &lowered.blocks;
    let mut variables: Vec<_> = blocks.cuts.iter().flat_map(|cut| &cut.live).collect();
    variables.sort_unstable();
    variables.dedup();
    facts["blocks"] = json!({
        "cut_points": blocks.cuts.len(),
        "blocks": blocks.cuts.iter().map(|cut| cut.blocks.len()).sum::<usize>(),
        "live_variables": variables.len(),
        "split_arrays": lowered.split_arrays(),
    });
    let system = &lowered.flat.system;
    let bits = system.states.iter().map(|s| system.terms.sort(s.term));
    let bits: u64 = bits.filter_map(|sort| sort.width()).map(u64::from).sum();
    facts["system"] = json!({
        "states": system.states.len(),
        "state_bits": bits,
        "inputs": system.inputs.len(),
    });
}

/// The facts for people.
fn text(facts: &Value) -> String {
    let word = |value: &Value| printable(value.as_str().unwrap_or_default()).into_owned();
    let mut lines = vec![format!("{}  {}", word(&facts["file"]), word(&facts["format"]))];
    let mut add = |name: &str, value: String| lines.push(format!("  {name:<12} {value}"));
    let graph = |at: &Value| {
        format!("places {}, edges {}, variables {}", at["places"], at["edges"], at["variables"])
    };
    add("procedures", facts["procedures"].to_string());
    add("graph", graph(facts));
    match facts.get("not_lowered") {
        Some(why) => add("as a system", format!("none: {}", word(why))),
        None => {
            let (blocks, system) = (&facts["blocks"], &facts["system"]);
            add("inlined", graph(&facts["inlined"]));
            let (live, split) = (&blocks["live_variables"], &blocks["split_arrays"]);
            add("passes", format!("live variables {live}, arrays as scalars {split}"));
            add("blocks", format!("{}, cut points {}", blocks["blocks"], blocks["cut_points"]));
            let (states, bits, inputs) =
                (&system["states"], &system["state_bits"], &system["inputs"]);
            add("as a system", format!("states {states} ({bits} bits), inputs {inputs}"));
        }
    }
    let loops = facts["loops"].as_array().map_or(&[][..], Vec::as_slice);
    add("loops", loops.len().to_string());
    let list = |at: &Value| format!("    {} {}", word(&at["location"]), word(&at["text"]));
    lines.extend(loops.iter().map(list));
    let properties = facts["properties"].as_array().map_or(&[][..], Vec::as_slice);
    lines.push(format!("  {:<12} {}", "properties", properties.len()));
    let list = |at: &Value| format!("    b{} {}", at["property"], word(&at["name"]));
    lines.extend(properties.iter().map(list));
    lines.join("\n")
}
