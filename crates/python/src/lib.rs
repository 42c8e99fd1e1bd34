//! What the Python package `pedra` is made of: models that are read, checks that run beside the
//! interpreter, and answers with their evidence. The package itself, with its documentation, is in
//! `python/pedra`; this module is not for users.
//!
//! A check runs on a thread of its own. The thread that called it does not hold the interpreter's
//! lock while it waits; it looks at signals and the time limit ten times a second, and it alone
//! calls back into Python.

#[cfg(feature = "module")]
mod answer;
#[cfg(feature = "module")]
mod check;
#[cfg(feature = "module")]
mod model;

/// The module `pedra._native`.
#[cfg(feature = "module")]
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use super::answer::Answer;
    #[pymodule_export]
    use super::model::{InputError, InternalError, Model};

    /// The version of Pedra.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
