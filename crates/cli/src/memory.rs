//! Out of memory is an answer, not a crash.
//!
//! When the system gives no more memory (`ulimit -v`, or a request beyond all bounds), Rust's
//! collections abort the program, and so does C++, whose exception nobody between CaDiCaL and us
//! may catch. Neither can be asked to fail softly, so both are given an allocator that does not
//! fail: a request that the system refuses comes here (`make_room`), and is either repeated or
//! never returns.
//!
//! 1. The first time, a reserve is given back to the system, and the request is repeated. The
//!    watchdog (`limits`) sees [`is_exhausted`] and stops the run, which ends by itself with its
//!    partial answer, out of the reserve.
//! 2. If that is used up, too, a thread that asks for more waits forever. The watchdog tells the
//!    partial answer in its place, out of a second reserve that is for it alone, and ends the
//!    program.
//! 3. Where there is no watchdog, or it needs more than its reserve, or waits for a thread that
//!    waits: one line on standard error, and the exit code for "unknown".
//!
//! Reserves are memory that was never touched, so they count as address space only.
//!
//! Each engine of a portfolio has an account ([`charge_to`], [`held_by`]): what its thread has
//! taken and not given back, of our own memory. What C and C++ allocate for themselves, the
//! clauses of CaDiCaL above all, is in no account.

use nix::sys::resource::{Resource, getrlimit};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::Write;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicIsize, AtomicPtr, AtomicUsize, Ordering};
use std::time::Duration;

/// For the run, to come to its end: at most so much, and this part of what the system allows.
const RUN_BYTES: usize = 16 << 20;
const RUN_PART: usize = 16;

/// For the watchdog, to say its last words.
const WORDS_BYTES: usize = 1 << 20;

/// How long one that waits gives the watchdog to end the program.
const PATIENCE: Duration = Duration::from_secs(6);

/// The stack of the main thread grows on demand, which fails like everything else when there is
/// no memory, and cannot be caught. So this much of it exists from the beginning.
const STACK_BYTES: usize = 256 << 10;

/// The stack of another thread, and some more.
const THREAD_BYTES: usize = (2 << 20) + (512 << 10);

static EXHAUSTED: AtomicBool = AtomicBool::new(false);
static HAS_WATCHDOG: AtomicBool = AtomicBool::new(false);
static UNKNOWN_CODE: AtomicI32 = AtomicI32::new(3);
static FOR_THE_RUN: Reserve = Reserve::new();
static FOR_WORDS: Reserve = Reserve::new();

thread_local! {
    static IS_WATCHDOG: Cell<bool> = const { Cell::new(false) };
    /// Where the memory of this thread is counted; 0 for nowhere.
    static ACCOUNT: Cell<usize> = const { Cell::new(0) };
}

/// One account for each engine; engines beyond share the last one. Each on a cache line of its own.
#[repr(align(64))]
struct Account(AtomicIsize);

const ACCOUNTS: usize = 64;
static HELD: [Account; ACCOUNTS] = [const { Account(AtomicIsize::new(0)) }; ACCOUNTS];

/// From now on this thread works for this engine.
pub fn charge_to(engine: usize) {
    ACCOUNT.set((engine + 1).min(ACCOUNTS - 1));
}

/// What an engine holds, in bytes.
pub fn held_by(engine: usize) -> usize {
    let held = HELD[(engine + 1).min(ACCOUNTS - 1)].0.load(Ordering::Relaxed);
    usize::try_from(held).unwrap_or(0)
}

/// Counts memory that this thread takes or gives back.
#[inline]
fn count(bytes: isize) {
    // A thread that ends has no account any more.
    let account = ACCOUNT.try_with(Cell::get).unwrap_or(0);
    if account != 0 {
        HELD[account].0.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// The system's allocator, which never says no.
pub struct Allocator;

// SAFETY: every call is passed to `System` with the layout, pointer and size that came; what is
// returned is what `System` returned, and not null.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's promise about the layout.
        until_there_is_room(|| unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's promise about the layout.
        until_there_is_room(|| unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        // SAFETY: the caller's promise; a call that fails leaves the old block as it is.
        until_there_is_room(|| unsafe { System.realloc(old, layout, size) })
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller's promise about the pointer and the layout.
        unsafe { System.dealloc(old, layout) }
    }
}

#[inline]
fn until_there_is_room(ask: impl Fn() -> *mut u8) -> *mut u8 {
    loop {
        let block = ask();
        if !block.is_null() {
            return block;
        }
        make_room();
    }
}

/// Memory that is kept back.
struct Reserve {
    block: AtomicPtr<u8>,
    bytes: AtomicUsize,
}

impl Reserve {
    const fn new() -> Reserve {
        Reserve { block: AtomicPtr::new(null_mut()), bytes: AtomicUsize::new(0) }
    }

    fn layout(bytes: usize) -> Option<Layout> {
        Layout::from_size_align(bytes, 16).ok().filter(|layout| layout.size() > 0)
    }

    /// Takes it from the system; without it if that has none.
    #[allow(unsafe_code)]
    fn fill(&self, bytes: usize) {
        let Some(layout) = Reserve::layout(bytes) else { return };
        // SAFETY: the size is not zero.
        let block = unsafe { System.alloc(layout) };
        self.bytes.store(bytes, Ordering::Relaxed);
        self.block.store(block, Ordering::Release);
    }

    /// Gives it back; says whether there was any.
    #[allow(unsafe_code)]
    fn release(&self) -> bool {
        let block = self.block.swap(null_mut(), Ordering::Acquire);
        match Reserve::layout(self.bytes.load(Ordering::Relaxed)) {
            Some(layout) if !block.is_null() => {
                // SAFETY: `fill` got it from `System` with this layout, and the swap gave it to
                // nobody else.
                unsafe { System.dealloc(block, layout) };
                true
            }
            _ => false,
        }
    }
}

/// Prepares for the worst. Called once, when the program starts.
pub fn prepare() {
    grow_stack();
    let limits = [Resource::RLIMIT_AS, Resource::RLIMIT_DATA].map(getrlimit);
    let least = limits.into_iter().flatten().map(|(soft, _)| soft).min().unwrap_or(u64::MAX);
    let part = usize::try_from(least).unwrap_or(usize::MAX) / RUN_PART;
    FOR_THE_RUN.fill(part.min(RUN_BYTES));
    FOR_WORDS.fill(part.min(WORDS_BYTES));
    cpp::never_throw();
    let others = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        // The standard library panics in a new thread for whose signals it gets no stack.
        let text = info.payload().downcast_ref::<String>();
        if text.is_some_and(|text| text.starts_with("failed to allocate an alternative stack")) {
            give_up();
        }
        others(info);
    }));
}

#[inline(never)]
fn grow_stack() {
    let block = [0u8; STACK_BYTES];
    std::hint::black_box(&block);
}

/// Whether the system has refused memory.
pub fn is_exhausted() -> bool {
    EXHAUSTED.load(Ordering::Relaxed)
}

/// The exit code if nothing better can be said.
pub(crate) fn set_unknown_code(code: i32) {
    UNKNOWN_CODE.store(code, Ordering::Relaxed);
}

/// Returns if there is room for the stack of a thread and for what the C library allocates when
/// one starts, which it cannot do without and would abort for.
pub(crate) fn make_room_for_thread() {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(THREAD_BYTES)));
}

/// The calling thread is the watchdog, who speaks when others have no memory to.
pub(crate) fn become_watchdog() {
    IS_WATCHDOG.set(true);
    HAS_WATCHDOG.store(true, Ordering::Relaxed);
}

/// Returns if there may be room now, and not at all if there is none. Allocates nothing.
#[cold]
fn make_room() {
    EXHAUSTED.store(true, Ordering::Relaxed);
    let is_watchdog = IS_WATCHDOG.try_with(Cell::get).unwrap_or(false);
    let has_room = FOR_THE_RUN.release() || is_watchdog && FOR_WORDS.release();
    if !has_room {
        give_up();
    }
}

/// There is no memory to go on with: not even, say, for a thread.
pub fn give_up() -> ! {
    EXHAUSTED.store(true, Ordering::Relaxed);
    let is_watchdog = IS_WATCHDOG.try_with(Cell::get).unwrap_or(false);
    if HAS_WATCHDOG.load(Ordering::Relaxed) && !is_watchdog {
        std::thread::sleep(PATIENCE);
    }
    let _ = std::io::stderr().write_all(b"pedra: out of memory\n");
    std::process::exit(UNKNOWN_CODE.load(Ordering::Relaxed))
}

/// What C++ does when it has no memory.
#[cfg(unix)]
mod cpp {
    #[allow(unsafe_code)]
    unsafe extern "C" {
        /// `std::set_new_handler`, by the name that it has in all C++ libraries of Unix systems.
        #[link_name = "_ZSt15set_new_handlerPFvvE"]
        safe fn set_new_handler(handler: Option<extern "C" fn()>) -> Option<extern "C" fn()>;
    }

    /// Called by `operator new` instead of throwing; when it returns, memory is asked for again.
    extern "C" fn on_failure() {
        super::make_room();
    }

    pub(super) fn never_throw() {
        set_new_handler(Some(on_failure));
    }
}

#[cfg(not(unix))]
mod cpp {
    pub(super) fn never_throw() {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_counts_what_a_thread_holds() {
        std::thread::spawn(|| {
            charge_to(40);
            let before = held_by(40);
            count(1 << 20);
            assert_eq!(held_by(40), before + (1 << 20));
            count(-(1 << 20));
            assert_eq!((held_by(40), held_by(41)), (before, 0));
        })
        .join()
        .expect("no panic");
    }

    #[test]
    fn a_reserve_can_be_released_once() {
        let reserve = Reserve::new();
        assert!(!reserve.release());
        reserve.fill(1 << 20);
        assert!(reserve.release());
        assert!(!reserve.release());
        reserve.fill(0);
        assert!(!reserve.release());
    }
}
