//! The C front end: C11 with the GNU extensions that verification tasks use, to program graphs.
//!
//! ```text
//! text ─ lexer ─ parse ─► ast ─ analyse ─► tree ─ lower ─► pedra_program::Program
//! ```
//!
//! - [`source`]: positions, with line markers mapped back.
//! - `parse`: the syntax, in arenas; nesting is bounded.
//! - `analyse`: the typed program, from the entry function on; every conversion is explicit.
//! - `lower`: the program graph; memory is resolved by a points-to analysis.
//! - [`preprocess`]: `cc -E` for files with directives.
//! - [`express`]: terms as C expressions.
//! - [`harness`]: violations as tests.
//! - [`specification`]: what tasks and witnesses claim of a program.
//! - [`task`]: task files of BenchExec.
//! - [`witness`]: proofs and violations in the exchange format, read and written.
//!
//! What is not C, and what is C but not supported, is a [`CError`] with its position. See
//! `docs/design/c.md` for the decisions and `docs/FORMATS.md` for what is refused.

mod analyse;
mod ast;
mod error;
pub mod express;
mod fold;
#[doc(hidden)]
pub mod fuzzing;
pub mod harness;
mod lexer;
mod library;
mod lower;
mod parse;
pub mod preprocess;
pub mod source;
pub mod specification;
pub mod task;
mod token;
mod tree;
mod types;
pub mod witness;

pub use error::CError;
pub use lexer::{LONGEST_TEXT, needs_preprocessing};
pub use library::LIBRARY;
pub use types::DataModel;

use error::Fault;
use pedra_program::Program;
use source::Source;

/// The stack on which the front end runs. The parser bounds the nesting of what it reads, so this
/// is enough for every text.
const STACK: usize = 256 << 20;

/// How a program is to be read.
#[derive(Clone, Debug)]
pub struct Options {
    /// The sizes of types.
    pub model: DataModel,
    /// The function where runs start.
    pub entry: String,
    /// What comes after a call of an error function.
    pub errors: Errors,
}

/// What comes after a call of an error function, such as `reach_error`, that has a body which
/// returns. After all others there is nothing.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Errors {
    /// Each call is a property, and runs end there.
    #[default]
    End,
    /// The calls are calls like others, and no properties.
    Return,
    /// Each call is a property, and runs go on, but only the first call of a run counts. So the
    /// properties hold if and only if they hold with [`Errors::End`]. Calls that only runs behind
    /// an error come to are properties, too, and hold.
    First,
}

impl Default for Options {
    fn default() -> Options {
        Options { model: DataModel::default(), entry: "main".into(), errors: Errors::default() }
    }
}

/// The program graph of a C program, which must be preprocessed. `file` is its name in positions
/// where no line marker gives another one.
///
/// # Errors
/// The first construct that is wrong or not supported.
pub fn load(text: &[u8], file: &str, options: &Options) -> Result<Program, CError> {
    with_stack(|| {
        let mut source = Source::new(text);
        let program = stages(&mut source, file, options);
        program.map_err(|fault| CError::new(fault, &source))
    })
}

fn stages(source: &mut Source, file: &str, options: &Options) -> Result<Program, Fault> {
    let ast = parse_with_library(source, options.model)?;
    let tree = analyse::analyse(&ast, options.model, &options.entry)?;
    lower::lower(tree, source, file, options.errors)
}

/// The syntax of a program together with what it uses of the C library.
fn parse_with_library(source: &mut Source, model: DataModel) -> Result<ast::Ast, Fault> {
    let ast = parse::parse(source)?;
    let Some(library) = library::needed(&ast, model) else { return Ok(ast) };
    let start = source.bytes().len() as u32;
    source.append(&library);
    let ast = parse::parse(source)?;
    Ok(ast::Ast { library: Some(start), ..ast })
}

/// Whether a text is C, as far as the syntax says.
///
/// # Errors
/// The first place where it is not.
pub fn check_syntax(text: &[u8]) -> Result<(), CError> {
    with_stack(|| {
        let mut source = Source::new(text);
        parse::parse(&mut source).map(drop).map_err(|fault| CError::new(fault, &source))
    })
}

/// Whether a text is a program whose types fit, as far as the entry reaches.
///
/// # Errors
/// The first place where it is not.
pub fn check_types(text: &[u8], options: &Options) -> Result<(), CError> {
    with_stack(|| {
        let mut source = Source::new(text);
        let tree = parse_with_library(&mut source, options.model)
            .and_then(|ast| analyse::analyse(&ast, options.model, &options.entry));
        tree.map(drop).map_err(|fault| CError::new(fault, &source))
    })
}

/// Runs something that recurses on a thread with room for it.
fn with_stack<T: Send>(body: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, body);
        match thread.expect("a thread can be started").join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
