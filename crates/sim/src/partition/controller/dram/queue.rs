//! The requests that wait for a bank; a [scheduler](super::scheduler) chooses among them.

use super::Request;

/// Requests, each with those for the same bank in the order they came.
#[derive(Clone, Debug)]
pub struct RequestQueue {
    per_bank: Vec<Vec<Request>>,
    /// Banks for which at least one waits, as bits.
    banks: u32,
    len: usize,
    capacity: usize,
    /// Whether the last request came in this cycle: then it is not yet counted against the capacity.
    has_newcomer: bool,
}

impl RequestQueue {
    pub fn new(banks: usize, capacity: usize) -> Self {
        Self { per_bank: vec![Vec::new(); banks], banks: 0, len: 0, capacity, has_newcomer: false }
    }

    #[inline]
    pub fn is_full(&self) -> bool {
        self.len >= self.capacity + usize::from(self.has_newcomer)
    }

    /// Requests waiting, the newcomer included.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn push(&mut self, request: Request) {
        self.has_newcomer = true;
        self.len += 1;
        self.banks |= 1 << request.bank;
        self.per_bank[usize::from(request.bank)].push(request);
    }

    /// Banks for which a request waits, as bits. Begins a cycle: the newcomer of the last one now counts.
    #[inline]
    pub fn banks_with_requests(&mut self) -> u32 {
        self.has_newcomer = false;
        self.banks
    }

    /// The same in the course of a cycle.
    #[inline]
    pub fn banks(&self) -> u32 {
        self.banks
    }

    /// The requests of a bank, oldest first.
    #[inline]
    pub fn waiting(&self, bank: usize) -> &[Request] {
        &self.per_bank[bank]
    }

    /// Takes the request at a position of [`RequestQueue::waiting`].
    #[inline]
    pub fn take(&mut self, bank: usize, index: usize) -> Request {
        let waiting = &mut self.per_bank[bank];
        let request = waiting.remove(index);
        self.banks &= !(u32::from(waiting.is_empty()) << bank);
        self.len -= 1;
        request
    }
}
