//! The requests that wait for a bank; a [scheduler](super::scheduler) chooses among them.

use super::Request;

/// Requests in the order they came.
#[derive(Clone, Debug)]
pub struct RequestQueue {
    requests: Vec<Request>,
    /// How many wait for each bank.
    per_bank: [u8; 32],
    /// Banks for which at least one waits, as bits.
    banks: u32,
    capacity: usize,
    /// The request of this cycle, which can be chosen from the next on and is not yet counted against the capacity.
    newcomer: Option<Request>,
}

impl RequestQueue {
    pub fn new(capacity: usize) -> Self {
        Self {
            requests: Vec::with_capacity(capacity + 1),
            per_bank: [0; 32],
            banks: 0,
            capacity,
            newcomer: None,
        }
    }

    pub fn is_full(&self) -> bool {
        self.requests.len() >= self.capacity
    }

    /// Requests waiting, the newcomer included.
    pub fn len(&self) -> usize {
        self.requests.len() + usize::from(self.newcomer.is_some())
    }

    pub fn push(&mut self, request: Request) {
        self.settle_newcomer();
        self.newcomer = Some(request);
    }

    /// Banks for which a request waits, as bits. Begins a cycle: the newcomer of the last one now counts.
    pub fn banks_with_requests(&mut self) -> u32 {
        self.settle_newcomer();
        self.banks
    }

    /// The requests that can be chosen, oldest first.
    #[inline]
    pub fn waiting(&self) -> &[Request] {
        &self.requests
    }

    /// Takes the request at a position of [`RequestQueue::waiting`].
    pub fn take(&mut self, index: usize) -> Request {
        let request = self.requests.remove(index);
        let bank = usize::from(request.bank);
        self.per_bank[bank] -= 1;
        if self.per_bank[bank] == 0 {
            self.banks &= !(1 << bank);
        }
        request
    }

    fn settle_newcomer(&mut self) {
        if let Some(request) = self.newcomer.take() {
            self.per_bank[usize::from(request.bank)] += 1;
            self.banks |= 1 << request.bank;
            self.requests.push(request);
        }
    }
}
