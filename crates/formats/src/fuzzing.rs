//! Bodies of fuzz targets: each takes any bytes at all and panics if a promise of this crate
//! is broken. The crate's own mutation tests and the coverage-guided targets call the same ones.

use crate::btor2::witness as btor2_witness;
use crate::{aiger, aiger_witness, btor2, dot, smtlib};
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::value::TernaryValue;

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

/// Reads a BTOR2 file. If it is one, writing it and reading that again gives the same model,
/// and the other writers take it.
pub fn btor2_read(bytes: &[u8]) {
    let Ok(system) = btor2::read(bytes) else { return };
    let written = btor2::write(&system).expect("what was read can be written");
    let again = btor2::read(&written).expect("what was written can be read");
    btor2::same_model(&system, &again).expect("what was written is the same model");
    btor2::same_model(&again, &system).expect("and the other way round");
    assert_eq!(btor2::write(&again).as_ref(), Ok(&written), "writing is stable");
    assert_eq!(smtlib::write_chc(&system).is_err(), system.bads.is_empty());
    assert!(dot::words(&system).ends_with("}\n"));
}

/// A model for witnesses: inputs and states of several sorts, with and without init and next.
pub const WITNESSED: &str = "1 sort bitvec 1\n2 sort bitvec 4\n3 sort array 2 2\n\
    4 input 1 a\n5 input 2\n6 input 3 m\n7 state 1 s\n8 state 2 t\n9 state 3\n10 zero 2\n\
    11 state 2\n12 init 2 11 10\n13 next 1 7 4\n14 bad 7\n15 bad 4 p\n";

/// Reads a BTOR2 witness of a small model. If it is one, writing it and reading that again
/// gives the same path with 0 for what is unknown. Values that follow from the model are not
/// written.
pub fn btor2_witness(bytes: &[u8]) {
    let system = btor2::read(WITNESSED.as_bytes()).expect("the model is right");
    let Ok(witness) = btor2_witness::read(bytes, &system) else { return };
    let written = btor2_witness::write(&system, &witness.trace);
    let again = btor2_witness::read(written.as_bytes(), &system);
    let again = again.expect("what was written can be read");
    assert_eq!(again.trace.property, witness.properties[0]);
    assert_eq!(again.trace.depth(), witness.trace.depth());
    let same = |a: &TernaryValue, b: &TernaryValue| a.zero_filled() == b.zero_filled();
    let traces = (&again.trace, &witness.trace);
    for (a, b) in traces.0.inputs.iter().flatten().zip(traces.1.inputs.iter().flatten()) {
        assert!(same(a, b), "{a:?} {b:?}");
    }
    for (a, b) in traces.0.states.iter().flatten().zip(traces.1.states.iter().flatten()) {
        assert!(b.is_some() || a.is_none(), "{a:?} from nothing");
        assert!(a.iter().zip(b).all(|(a, b)| same(a, b)), "{a:?} {b:?}");
    }
}
