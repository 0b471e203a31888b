//! A queue of small items in one array: what ports, delay lines and crossbar nodes keep their packets in.
//!
//! The standard library's queue calls a function for every push and pop. Here both are a few instructions and one copy, and
//! several million packets a second pass through such queues.

/// First in, first out; grows when it must.
#[derive(Clone, Debug)]
pub struct Ring<T> {
    /// A power of two of places, or none before the first item; those outside the queue hold what was there last.
    places: Vec<T>,
    /// Place of the oldest item.
    first: usize,
    len: usize,
}

impl<T: Copy> Ring<T> {
    /// An empty queue with storage for at least `capacity` items.
    pub fn new(capacity: usize) -> Self {
        Self { places: Vec::with_capacity(capacity.next_power_of_two()), first: 0, len: 0 }
    }

    /// Appends.
    #[inline]
    pub fn push(&mut self, item: T) {
        if self.len == self.places.len() {
            self.grow(item);
        }
        let place = self.place_of(self.len);
        self.places[place] = item;
        self.len += 1;
    }

    /// Takes the oldest.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        let item = *self.front()?;
        self.drop_front();
        Some(item)
    }

    /// Takes the oldest without a look at it; the queue is not empty.
    #[inline]
    pub fn drop_front(&mut self) {
        debug_assert!(self.len > 0, "the queue is empty");
        self.len -= 1;
        // A queue that is mostly empty stays in its first places, which the processor's cache then holds.
        self.first = if self.len == 0 { 0 } else { self.place_of(1) };
    }

    /// The oldest.
    #[inline]
    pub fn front(&self) -> Option<&T> {
        if self.len == 0 { None } else { self.places.get(self.first) }
    }

    /// The item behind `index` older ones.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&T> {
        if index < self.len { self.places.get(self.place_of(index)) } else { None }
    }

    /// Whether nothing is inside.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many are inside.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    #[inline]
    fn place_of(&self, index: usize) -> usize {
        (self.first + index) & self.places.len().wrapping_sub(1)
    }

    #[cold]
    fn grow(&mut self, filler: T) {
        self.places.rotate_left(self.first);
        self.first = 0;
        self.places.resize((2 * self.places.len()).max(4), filler);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_leave_in_the_order_they_came_however_many_there_are() {
        let mut ring = Ring::new(2);
        ring.push(0);
        ring.pop();
        (1..=5).for_each(|item| ring.push(item));
        assert_eq!((ring.len(), ring.front().copied(), ring.get(4).copied()), (5, Some(1), Some(5)));
        assert_eq!(std::iter::from_fn(|| ring.pop()).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
        assert!(ring.is_empty() && ring.get(0).is_none());
    }
}
