//! A queue whose items have a time before which they do not leave.
//!
//! Items leave in the order they came: one that is due waits behind an older one that is not. Pipelines with a fixed
//! latency are delay lines, and so are queues whose items are worked on while they wait.

use super::{Cycle, Ring};

/// First in, first out, none before its time.
#[derive(Clone, Debug)]
pub struct DelayLine<T> {
    items: Ring<(Cycle, T)>,
    capacity: usize,
}

impl<T: Copy> Default for DelayLine<T> {
    fn default() -> Self {
        Self { items: Ring::new(1), capacity: usize::MAX }
    }
}

impl<T: Copy> DelayLine<T> {
    /// An empty line without a bound, with storage for `expected` items.
    pub fn unbounded(expected: usize) -> Self {
        Self { items: Ring::new(expected), capacity: usize::MAX }
    }

    /// An empty line for at most `capacity` items.
    pub fn bounded(capacity: usize) -> Self {
        Self { items: Ring::new(capacity), capacity }
    }

    /// Appends an item that may leave from `ready_at` on; the caller of a bounded line has asked [`DelayLine::has_room`].
    #[inline]
    pub fn push(&mut self, ready_at: Cycle, item: T) {
        debug_assert!(self.has_room(), "push into a full delay line");
        self.items.push((ready_at, item));
    }

    /// The oldest item, if it may leave.
    #[inline]
    pub fn due(&self, now: Cycle) -> Option<&T> {
        self.items.front().filter(|(ready_at, _)| *ready_at <= now).map(|(_, item)| item)
    }

    /// Takes the oldest item, if it may leave.
    #[inline]
    pub fn pop_due(&mut self, now: Cycle) -> Option<T> {
        self.due(now)?;
        self.items.pop().map(|(_, item)| item)
    }

    /// Takes the oldest item, which is due, without a look at it.
    #[inline]
    pub fn drop_oldest(&mut self) {
        self.items.drop_front();
    }

    /// When the oldest item may leave.
    #[inline]
    pub fn next_due(&self) -> Option<Cycle> {
        self.items.front().map(|(ready_at, _)| *ready_at)
    }

    /// Whether one more fits.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.items.len() < self.capacity
    }

    /// Whether nothing is inside.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// How many are inside, due or not.
    #[inline]
    pub fn len(&self) -> usize {
        self.items.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_leaves_at_its_time_and_not_before() {
        let mut line = DelayLine::default();
        line.push(Cycle(5), 'a');
        assert_eq!(line.due(Cycle(4)), None);
        assert_eq!((line.pop_due(Cycle(4)), line.next_due()), (None, Some(Cycle(5))));
        assert_eq!((line.pop_due(Cycle(5)), line.is_empty()), (Some('a'), true));
    }

    #[test]
    fn an_item_that_is_due_waits_behind_one_that_is_not() {
        let mut line = DelayLine::default();
        line.push(Cycle(9), 'a');
        line.push(Cycle(3), 'b');
        assert_eq!(line.pop_due(Cycle(8)), None);
        assert_eq!((line.pop_due(Cycle(9)), line.pop_due(Cycle(9))), (Some('a'), Some('b')));
    }

    #[test]
    fn a_bounded_line_counts_what_is_not_due_too() {
        let mut line = DelayLine::bounded(2);
        line.push(Cycle(1), 'a');
        line.push(Cycle(2), 'b');
        assert!(!line.has_room());
        line.pop_due(Cycle(1));
        assert!(line.has_room());
    }
}
