//! When a slice may hand a request to its controller, and how many requests the slices may have there.

use super::dram::config::Admission;

/// The credits of one controller.
#[derive(Clone, Debug)]
pub struct Credits {
    /// Whether each slice has taken its own credit.
    own_taken: Vec<bool>,
    shared_taken: usize,
    shared_limit: usize,
    last_borrower: usize,
}

impl Credits {
    /// With [`Admission::Credits`], as many credits as the controller's queues hold requests.
    pub fn new(admission: Admission, slices: usize, outstanding: usize) -> Self {
        Self {
            own_taken: vec![false; slices],
            shared_taken: 0,
            shared_limit: match admission {
                Admission::Credits => outstanding.saturating_sub(slices - 1),
                Admission::Queue => usize::MAX,
            },
            last_borrower: slices - 1,
        }
    }

    pub fn has_credit(&self, slice: usize) -> bool {
        !self.own_taken[slice] || self.shared_taken < self.shared_limit
    }

    pub fn borrow(&mut self, slice: usize) {
        if self.own_taken[slice] {
            self.shared_taken += 1;
        } else {
            self.own_taken[slice] = true;
        }
        self.last_borrower = slice;
    }

    pub fn give_back(&mut self, slice: usize) {
        if self.own_taken[slice] {
            self.own_taken[slice] = false;
        } else {
            self.shared_taken = self.shared_taken.saturating_sub(1);
        }
    }

    pub fn last_borrower(&self) -> usize {
        self.last_borrower
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_greedy_slice_leaves_the_other_one_credit() {
        let mut credits = Credits::new(Admission::Credits, 2, 4);
        while credits.has_credit(0) {
            credits.borrow(0);
        }
        assert!(credits.has_credit(1));
        credits.borrow(1);
        assert!(!credits.has_credit(1));
        credits.give_back(0);
        assert!(credits.has_credit(0) && !credits.has_credit(1));
    }

    #[test]
    fn without_credits_a_slice_may_have_any_number_of_requests() {
        let mut credits = Credits::new(Admission::Queue, 1, 4);
        (0..100).for_each(|_| credits.borrow(0));
        assert!(credits.has_credit(0));
        (0..100).for_each(|_| credits.give_back(0));
        assert_eq!(credits.shared_taken, 0);
    }
}
