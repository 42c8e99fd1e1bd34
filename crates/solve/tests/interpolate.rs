//! Interpolants obey their laws, on random formulas in layers and on unrolled random systems.
//! The example `interpolants` does the same for longer.

#[path = "common/parted.rs"]
mod parted;

#[test]
fn sequences_of_layered_formulas_obey_the_laws() {
    let refuted: usize = (0..400).map(parted::layered).sum();
    assert!(refuted > 300, "only {refuted} formulas are unsatisfiable");
}

#[test]
fn sequences_of_unrolled_systems_obey_the_laws() {
    let refuted: usize = (0..300).map(parted::unrolled).sum();
    assert!(refuted > 300, "only {refuted} queries are unsatisfiable");
}
