//! All integration tests of this crate: one program, since each one more is linked anew.

mod aiger_dot;
mod aiger_fuzz;
mod aiger_read;
mod aiger_witness;
mod btor2_export;
mod btor2_fuzz;
mod btor2_models;
mod btor2_read;
mod btor2_witness;
