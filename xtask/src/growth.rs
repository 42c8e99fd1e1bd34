//! Programs in C that grow: how does time grow with locations, and with variables?
//!
//! Three families, each a proof that lifted PDR and PDR on the flattened system can both find when
//! the program is small:
//!
//! - `nest_N`: N nested loops up to a common bound; the innermost body may rely on all counters
//!   being below it. N locations, N + 1 variables.
//! - `counters_N`: N counters in one loop, of which all go up together; in the end they are equal.
//!   One location, N variables.
//! - `machine_N`: N loops in a row, as the states of a protocol, each with a lock that must be the
//!   key or its complement there. N locations, two variables, N properties.

use std::fmt::Write as _;
use std::path::Path;

/// The sizes of the families.
const NESTS: std::ops::RangeInclusive<usize> = 1..=4;
const COUNTERS: [usize; 6] = [2, 4, 6, 8, 10, 12];
const MACHINES: [usize; 7] = [10, 20, 50, 100, 200, 500, 1000];

/// What all programs begin with.
const HEAD: &str = "extern void abort(void);\nextern void reach_error(void);\n\
                    extern unsigned int __VERIFIER_nondet_uint(void);\n\n\
                    void __VERIFIER_assert(int condition) {\n  \
                    if (!condition) { reach_error(); abort(); }\n}\n\n";

/// Writes all programs and a table of them into a folder; says how many.
///
/// # Errors
/// If a file cannot be written.
pub fn run(folder: &Path) -> Result<String, String> {
    let mut manifest = String::from("set\tfile\tproperty\tdata_model\texpected\tcategory\n");
    let mut count = 0;
    let sizes = NESTS.map(|size| ("nest", size)).chain(COUNTERS.map(|size| ("counters", size)));
    for (family, size) in sizes.chain(MACHINES.map(|size| ("machine", size))) {
        let name = format!("{family}_{size}.c");
        let path = folder.join(&name);
        std::fs::write(&path, program(family, size)).map_err(|e| format!("{path:?}: {e}"))?;
        let _ = writeln!(manifest, "growth\t{name}\tunreach-call\tILP32\tsafe\t{family}");
        count += 1;
    }
    let path = folder.join("manifest.tsv");
    std::fs::write(&path, manifest).map_err(|e| format!("{path:?}: {e}"))?;
    Ok(format!("{count} programs in {}", folder.display()))
}

/// A program of a family.
pub fn program(family: &str, size: usize) -> String {
    let body = match family {
        "nest" => nest(size),
        "counters" => counters(size),
        _ => machine(size),
    };
    format!("{HEAD}int main(void) {{\n{body}  return 0;\n}}\n")
}

fn nest(depth: usize) -> String {
    let mut text = String::from("  unsigned int n = __VERIFIER_nondet_uint();\n");
    for at in 1..=depth {
        let pad = "  ".repeat(at);
        let _ = writeln!(text, "{pad}for (unsigned int i{at} = 0; i{at} < n; i{at}++) {{");
    }
    let all: Vec<String> = (1..=depth).map(|at| format!("i{at} < n")).collect();
    let pad = "  ".repeat(depth + 1);
    let _ = writeln!(text, "{pad}__VERIFIER_assert({});", all.join(" && "));
    for at in (1..=depth).rev() {
        let _ = writeln!(text, "{}}}", "  ".repeat(at));
    }
    text
}

fn counters(count: usize) -> String {
    let mut text = String::new();
    for at in 1..=count {
        let _ = writeln!(text, "  unsigned int x{at} = 0;");
    }
    text.push_str("  while (__VERIFIER_nondet_uint()) {\n");
    for at in 1..=count {
        let _ = writeln!(text, "    x{at} = x{at} + 1;");
    }
    let equal: Vec<String> = (1..count).map(|at| format!("x{at} == x{}", at + 1)).collect();
    let _ = writeln!(text, "  }}\n  __VERIFIER_assert({});", equal.join(" && "));
    text
}

fn machine(count: usize) -> String {
    let mut text = String::from("  unsigned int key = __VERIFIER_nondet_uint(), lock = key;\n");
    for at in 0..count {
        let wanted = if at % 2 == 0 { "key" } else { "~key" };
        text.push_str(
            "  while (__VERIFIER_nondet_uint()) {\n    lock = ~lock;\n    lock = ~lock;\n  }\n",
        );
        let _ = writeln!(text, "  if (lock != {wanted}) {{ reach_error(); abort(); }}");
        text.push_str("  lock = ~lock;\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As many loops as the name says, and braces that match.
    #[test]
    fn programs_have_their_size() {
        let count = |text: &str, of: &str| text.matches(of).count();
        for (family, of, size) in [("nest", "for (", 4), ("counters", " + 1;", 12)] {
            assert_eq!(count(&program(family, size), of), size, "{family}");
        }
        let machine = program("machine", 10);
        assert_eq!(count(&machine, "while ("), 10);
        assert_eq!(count(&machine, "{"), count(&machine, "}"));
    }
}
