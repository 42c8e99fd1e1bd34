//! Any bytes read as an AIGER file.
#![cfg_attr(fuzzing, no_main)]

pedra_fuzz::target!(pedra_formats::fuzzing::aiger);
