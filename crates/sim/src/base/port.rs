//! A bounded queue between two stations: the only back-pressure there is.
//!
//! A station asks [`Port::has_room`] before it does work whose result it could not hand on. The storage is made
//! once; nothing is allocated while the machine runs.

use super::Ring;

/// First in, first out, at most `capacity` items.
#[derive(Clone, Debug)]
pub struct Port<T> {
    items: Ring<T>,
    capacity: usize,
    /// Places of items that were taken with [`Port::take_keeping_place`].
    kept_places: usize,
}

impl<T: Copy> Port<T> {
    /// An empty queue for `capacity` items.
    pub fn new(capacity: usize) -> Self {
        Self { items: Ring::new(capacity), capacity, kept_places: 0 }
    }

    /// Appends; the caller has asked [`Port::has_room`]. A push beyond the capacity is a fault of the caller, which
    /// debug builds report.
    #[inline]
    pub fn push(&mut self, item: T) {
        debug_assert!(self.has_room(), "push into a full port");
        self.items.push(item);
    }

    /// Takes the oldest.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        self.items.pop()
    }

    /// Takes the oldest to be worked on; its place stays taken until [`Port::free_place`].
    #[inline]
    pub fn take_keeping_place(&mut self) -> Option<T> {
        let item = self.items.pop()?;
        self.kept_places += 1;
        Some(item)
    }

    /// An item that was taken with [`Port::take_keeping_place`] has moved on.
    #[inline]
    pub fn free_place(&mut self) {
        debug_assert!(self.kept_places > 0, "no place is kept");
        self.kept_places -= 1;
    }

    /// Looks at the oldest.
    #[inline]
    pub fn front(&self) -> Option<&T> {
        self.items.front()
    }

    /// Whether one more fits.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.has_room_for(1)
    }

    /// Whether `count` more fit.
    #[inline]
    pub fn has_room_for(&self, count: usize) -> bool {
        self.items.len() + self.kept_places + count <= self.capacity
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
    fn an_item_that_is_worked_on_keeps_its_place() {
        let mut port = Port::new(1);
        port.push('a');
        assert_eq!((port.take_keeping_place(), port.is_empty(), port.has_room()), (Some('a'), true, false));
        port.free_place();
        assert!(port.has_room());
    }

    #[test]
    fn room_is_counted_in_items() {
        let mut port = Port::new(4);
        port.push(0);
        assert!(port.has_room_for(3));
        assert!(!port.has_room_for(4));
    }
}
