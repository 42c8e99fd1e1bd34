//! Any bytes read as a BTOR2 file.
#![cfg_attr(fuzzing, no_main)]

pedra_fuzz::target!(pedra_formats::fuzzing::btor2_read);
