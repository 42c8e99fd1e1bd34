//! Bodies of fuzz targets: each takes any bytes at all and panics if a promise of this crate
//! is broken. The crate's own mutation tests and the coverage-guided targets call the same ones.

use crate::{aiger, aiger_witness, dot};
use pedra_model::bits::{BitSystem, Reset};

/// Reads an AIGER file. If it is one, writing it in either encoding and reading that again
/// gives the same model.
pub fn aiger(bytes: &[u8]) {
    let Ok(system) = aiger::read(bytes) else { return };
    for written in [aiger::write_ascii(&system), aiger::write_binary(&system)] {
        let again = aiger::read(&written).expect("what was written can be read");
        aiger::same_model(&system, &again).expect("what was written is the same model");
    }
    let picture = dot::bits(&system);
    assert!(picture.ends_with("}\n"));
}

/// Reads an AIGER witness for small models with and without inputs and latches. If it is one,
/// writing it and reading that again gives the same path.
pub fn aiger_witness(bytes: &[u8]) {
    for (inputs, latches) in [(0, 0), (0, 2), (2, 0), (3, 2)] {
        let mut system = BitSystem::new();
        for _ in 0..inputs {
            system.add_input();
        }
        for _ in 0..latches {
            let latch = system.add_latch(Reset::Free);
            system.bads.push(latch);
        }
        system.bads.push(pedra_model::lit::Lit::TRUE);
        let Ok(witnesses) = aiger_witness::read(bytes, &system) else { continue };
        for witness in witnesses {
            for &property in &witness.properties {
                let trace = witness.trace(property);
                let written = aiger_witness::write(&trace, &system);
                let again = aiger_witness::read(written.as_bytes(), &system);
                let again = again.expect("what was written can be read");
                assert_eq!(again[0].trace(property), trace);
                assert_eq!(again[0].properties, [property]);
            }
        }
    }
}
