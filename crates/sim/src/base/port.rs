//! A bounded queue between two stations: the only back-pressure there is.
//!
//! A station asks [`Port::has_room`] before it does work whose result it could not hand on. The storage is made
//! once; nothing is allocated while the machine runs.

use std::collections::VecDeque;

/// First in, first out, at most `capacity` items.
#[derive(Clone, Debug)]
pub struct Port<T> {
    items: VecDeque<T>,
    capacity: usize,
}

impl<T> Port<T> {
    /// An empty queue for `capacity` items.
    pub fn new(capacity: usize) -> Self {
        Self { items: VecDeque::with_capacity(capacity), capacity }
    }

    /// Appends; the caller has asked [`Port::has_room`]. A push beyond the capacity is a fault of the caller, which
    /// debug builds report.
    #[inline]
    pub fn push(&mut self, item: T) {
        debug_assert!(self.has_room(), "push into a full port");
        self.items.push_back(item);
    }

    /// Takes the oldest.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        self.items.pop_front()
    }

    /// Looks at the oldest.
    #[inline]
    pub fn front(&self) -> Option<&T> {
        self.items.front()
    }

    /// Whether one more fits.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.items.len() < self.capacity
    }

    /// Whether `count` more fit.
    #[inline]
    pub fn has_room_for(&self, count: usize) -> bool {
        self.items.len() + count <= self.capacity
    }

    /// Whether nothing waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// How many wait.
    #[inline]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// What waits, oldest first, to be changed where it stands.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.items.iter_mut()
    }

    /// What waits, oldest first; for reports of who waits for whom.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.items.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_leave_in_the_order_they_came() {
        let mut port = Port::new(2);
        port.push('a');
        port.push('b');
        assert!(!port.has_room());
        assert_eq!((port.pop(), port.pop(), port.pop()), (Some('a'), Some('b'), None));
    }

    #[test]
    fn room_is_counted_in_items() {
        let mut port = Port::new(4);
        port.push(0);
        assert!(port.has_room_for(3));
        assert!(!port.has_room_for(4));
    }
}
