//! What keeps a comparison from being made.

use std::error::Error as Cause;

/// Why a comparison cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What is asked for, or a file that it names, is wrong; the text is what the user sees.
    #[error("{0}")]
    Input(String),
    /// The system refuses something.
    #[error("{what}")]
    System {
        /// What was attempted.
        what: String,
        /// What the system says.
        #[source]
        why: Box<dyn Cause + Send + Sync>,
    },
}

/// With our error, if nothing else is said.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Says what was attempted when the system refused.
pub(crate) trait Context<T> {
    fn context(self, what: &str) -> Result<T>;
}

impl<T, E: Cause + Send + Sync + 'static> Context<T> for std::result::Result<T, E> {
    fn context(self, what: &str) -> Result<T> {
        self.map_err(|why| Error::System { what: what.to_owned(), why: Box::new(why) })
    }
}
