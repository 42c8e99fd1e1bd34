//! How far the front end gets with each of some C files: `survey FILE…` prints the reasons and
//! how many parse, type-check and become program graphs. `--lp64` changes the data model.

use std::time::Instant;

use pedra_c::{DataModel, Options, check_syntax, check_types, load};

fn main() {
    let (flags, files): (Vec<_>, Vec<_>) =
        std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let is_lp64 = flags.iter().any(|flag| flag == "--lp64");
    let model = if is_lp64 { DataModel::Lp64 } else { DataModel::Ilp32 };
    let options = Options { model, ..Options::default() };
    let (mut parsed, mut typed, mut lowered) = (0, 0, 0);
    for file in &files {
        let text = match std::fs::read(file) {
            Ok(text) => text,
            Err(error) => {
                println!("{file}: {error}");
                continue;
            }
        };
        parsed += usize::from(check_syntax(&text).is_ok());
        typed += usize::from(check_types(&text, &options).is_ok());
        let start = Instant::now();
        let program = load(&text, file, &options);
        let time = start.elapsed().as_millis();
        match program {
            Ok(program) => {
                lowered += 1;
                let edges: usize = program.procedures.iter().map(|p| p.edges.len()).sum();
                let (variables, properties) = (program.variables.len(), program.properties.len());
                let defect = program.check().err().map_or(String::new(), |e| format!(", {e}"));
                println!(
                    "{file}: {edges} edges, {variables} variables, {properties} properties, \
                     {time} ms{defect}"
                );
            }
            Err(error) => println!("{file}:{error}"),
        }
    }
    println!("{} files: {parsed} parse, {typed} type-check, {lowered} are lowered", files.len());
}
