//! Even selections of lists whose length is known only at the end.

/// Items of a list at equal distances, at most a given number of them, and its last one.
#[derive(Clone, Debug)]
pub(crate) struct Even<T> {
    items: Vec<T>,
    last: Option<T>,
    max: usize,
    stride: u64,
    seen: u64,
}

impl<T: Clone> Even<T> {
    /// An empty selection of at most `max` items.
    pub(crate) fn new(max: usize) -> Even<T> {
        Even { items: Vec::new(), last: None, max, stride: 1, seen: 0 }
    }

    /// Whether the next item will be kept.
    pub(crate) fn is_due(&self) -> bool {
        self.seen.is_multiple_of(self.stride)
    }

    /// Counts an item that is made only if it is kept.
    pub(crate) fn push_with(&mut self, make: impl FnOnce() -> T) {
        if self.is_due() {
            self.items.push(make());
            if self.items.len() > self.max {
                let mut index = 0;
                self.items.retain(|_| {
                    index += 1;
                    index % 2 == 1
                });
                self.stride *= 2;
            }
        }
        self.seen += 1;
    }

    /// Adds an item.
    pub(crate) fn push(&mut self, item: T) {
        self.last = (!self.is_due()).then(|| item.clone());
        self.push_with(|| item);
    }

    /// How many there were.
    pub(crate) fn seen(&self) -> u64 {
        self.seen
    }

    /// The selection.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.items.iter().chain(&self.last)
    }
}

/// What happened between two positions of the time line.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct Span {
    /// The time at its end.
    pub(crate) seconds: f64,
    /// Lemmas learned, pushed and retired, obligations raised and blocked.
    pub(crate) counts: [u32; 5],
}

/// The whole time line in equal parts.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    pub(crate) spans: Vec<Span>,
    /// How many events each has, but for the last.
    pub(crate) stride: u64,
    max: usize,
    events: u64,
}

impl Clock {
    pub(crate) fn new(max: usize) -> Clock {
        Clock { spans: Vec::new(), stride: 1, max, events: 0 }
    }

    /// Adds an event; `kind` is its position among the counts.
    pub(crate) fn tick(&mut self, seconds: f64, kind: Option<usize>) {
        if self.events.is_multiple_of(self.stride) {
            if self.spans.len() == self.max {
                let pair = |pair: &[Span]| {
                    let mut span = pair[pair.len() - 1];
                    if let [first, _] = pair {
                        span.counts.iter_mut().zip(first.counts).for_each(|(a, b)| *a += b);
                    }
                    span
                };
                self.spans = self.spans.chunks(2).map(pair).collect();
                self.stride *= 2;
            }
            if self.events.is_multiple_of(self.stride) {
                self.spans.push(Span::default());
            }
        }
        self.events += 1;
        let span = self.spans.last_mut().expect("there is one for each event");
        span.seconds = seconds;
        if let Some(kind) = kind {
            span.counts[kind] += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selections_are_even_and_have_the_last() {
        for count in [0_u32, 1, 7, 8, 9, 100, 1000] {
            let mut even = Even::new(8);
            (0..count).for_each(|item| even.push(item));
            let items: Vec<u32> = even.iter().copied().collect();
            assert!(items.len() <= 9 && even.seen() == u64::from(count), "{items:?}");
            assert_eq!(items.first().copied(), (count > 0).then_some(0));
            assert_eq!(items.last().copied(), count.checked_sub(1));
            let gaps: Vec<u32> = items.windows(2).map(|w| w[1] - w[0]).collect();
            let (_, all) = gaps.split_last().unwrap_or((&0, &[]));
            assert!(all.iter().all(|gap| *gap == all[0]), "{items:?}");
        }
    }

    #[test]
    fn clocks_count_everything() {
        for count in [1_u32, 8, 9, 100, 1001] {
            let mut clock = Clock::new(8);
            (0..count).for_each(|i| clock.tick(f64::from(i), Some(i as usize % 5)));
            let all: u32 = clock.spans.iter().flat_map(|span| span.counts).sum();
            assert_eq!(all, count);
            let spans = u64::from(count).div_ceil(clock.stride);
            assert_eq!(clock.spans.len() as u64, spans, "{count}");
            assert_eq!(clock.spans.last().map(|s| s.seconds), Some(f64::from(count - 1)));
        }
    }
}
