//! Up to which step a search has shown that properties are not violated.

use super::Level;

/// What is known to be free of violations.
#[derive(Clone, Debug, Default)]
pub(crate) struct SafeDepth {
    /// None of `properties` is violated at any step up to this one.
    safe_up_to: Option<usize>,
    /// The properties that were open when that was shown.
    properties: Vec<usize>,
    /// The last frame whose frontier this search itself asked and found empty; depths that came
    /// from elsewhere do not count.
    discharged: Option<Level>,
    /// The goals of the highest frame that are dealt with.
    closed: Vec<Option<usize>>,
    /// Whether the start set was looked at.
    is_started: bool,
}

impl SafeDepth {
    /// The last step up to which open properties are known not to be violated.
    pub(crate) fn safe_up_to(&self) -> Option<usize> {
        self.safe_up_to
    }

    /// The last frame whose frontier was asked and found empty.
    pub(crate) fn discharged(&self) -> Option<Level> {
        self.discharged
    }

    /// Whether this covers all these properties.
    pub(crate) fn is_about(&self, properties: &[usize]) -> bool {
        properties.iter().all(|property| self.properties.contains(property))
    }

    /// Whether the start set was looked at.
    pub(crate) fn is_started(&self) -> bool {
        self.is_started
    }

    /// The start set was looked at, or has to be looked at again.
    pub(crate) fn set_started(&mut self, is_started: bool) {
        self.is_started = is_started;
    }

    /// No state of the start set violates any of these at once.
    pub(crate) fn start_is_safe(&mut self, properties: Vec<usize>) {
        self.safe_up_to = self.safe_up_to.max(Some(0));
        self.properties = properties;
    }

    /// Whether a goal of the highest frame is dealt with.
    pub(crate) fn is_closed(&self, goal: Option<usize>) -> bool {
        self.closed.contains(&goal)
    }

    /// A goal of the highest frame is dealt with.
    pub(crate) fn close(&mut self, goal: Option<usize>) {
        self.closed.push(goal);
    }

    /// The highest frame, `level`, has no violation left: these are safe up to `step`.
    pub(crate) fn discharge(&mut self, level: Level, step: usize, properties: Vec<usize>) {
        (self.safe_up_to, self.properties) = (Some(step), properties);
        self.discharged = Some(level);
    }

    /// A frame was opened: its goals have to be dealt with.
    pub(crate) fn open_frame(&mut self) {
        self.closed.clear();
    }

    /// Others have shown that the same properties are safe up to this step.
    pub(crate) fn extend(&mut self, step: usize) {
        self.safe_up_to = Some(step);
    }

    /// The search restarts, from the first frame: what is safe stays so.
    pub(crate) fn restart(&mut self) {
        (self.discharged, self.is_started) = (None, false);
        self.closed.clear();
    }

    /// Others have shown that these are safe up to this step, if they have.
    pub(crate) fn learn(&mut self, step: Option<usize>, properties: &[usize]) {
        self.safe_up_to = self.safe_up_to.max(step);
        self.properties = properties.to_vec();
    }

    /// Nothing is known any more.
    pub(crate) fn forget(&mut self) {
        *self = SafeDepth::default();
    }
}
