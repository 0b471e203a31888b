//! The local search for cluster centres: which points are tried as centres, one after the other, and which of them are opened.
//!
//! A search begins with centres drawn with a probability that grows with a point's cost, until there are enough of them; then it
//! draws the points that may become centres and tries them in random order, again and again, while that pays. The cost of a
//! centre is adjusted until the number of centres is within its limits.

use crate::input::rand48::{RAND48_MAX, Rand48};

/// Fewest and most centres.
pub const LEAST_CENTERS: usize = 10;
pub const MOST_CENTERS: usize = 20;
/// Trials in a round, for k centres: this number times k log k.
const TRIALS: f32 = 3.0;
/// A round is followed by another one as long as it saves this share of the cost.
const ROUGH: f32 = 0.1;
const ACCURATE: f32 = 0.001;
/// The cost of a centre is not searched further when both its limits are that close.
const CLOSE: f64 = 0.999;

/// Points, each with the centre that it belongs to.
pub struct Clusters {
    /// Coordinates point by point.
    pub coordinates: Vec<f32>,
    pub dimensions: usize,
    /// The place of each point in the input, before points were shuffled.
    pub places: Vec<usize>,
    /// The number of each point's centre.
    pub assigned: Vec<usize>,
    /// What it costs to belong there: the squared distance.
    pub cost: Vec<f32>,
    pub is_center: Vec<bool>,
    /// The row of each centre in the matrix of losses.
    pub rows: Vec<i32>,
    pub centers: usize,
}

/// What opening a candidate would bring.
pub struct Gain {
    /// What each centre would lose, the gain of the candidate last.
    pub sums: Vec<f32>,
    /// 1 for each point that would move.
    pub moves: Vec<u8>,
    /// Points that may fall either way, because sums are rounded in another order on the device: those as far from the
    /// candidate as from their centre, which are all points of a centre that is drawn as a candidate again.
    pub on_border: Vec<bool>,
}

/// What the search does with each candidate: the kernel is launched for it, and its gain compared.
pub trait Trial {
    type Error;
    /// Whether there may be another trial.
    fn is_over(&self) -> bool;
    fn attempt(&mut self, clusters: &mut Clusters, candidate: usize, gain: &Gain) -> Result<(), Self::Error>;
}

impl Clusters {
    pub fn of(coordinates: Vec<f32>, dimensions: usize) -> Self {
        let count = coordinates.len() / dimensions;
        Self {
            coordinates,
            dimensions,
            places: (0..count).collect(),
            assigned: vec![0; count],
            cost: vec![0.0; count],
            is_center: vec![false; count],
            rows: vec![0; count],
            centers: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.cost.len()
    }

    /// Searches centres, with a trial for every candidate.
    pub fn search<T: Trial>(&mut self, random: &mut Rand48, trial: &mut T) -> Result<(), T::Error> {
        let all: f32 = (0..self.len()).fold(0.0, |sum, point| sum + self.squared(point, 0));
        let (mut least, mut most) = (0.0f32, all);
        let mut price = most / 2.0;
        self.shuffle(random);
        let mut cost = self.draw_centers(price, random);
        if self.centers < LEAST_CENTERS {
            cost = self.draw_centers(price, random);
        }
        while self.centers < LEAST_CENTERS {
            most = price;
            price = f32::midpoint(most, least);
            self.shuffle(random);
            cost = self.draw_centers(price, random);
        }
        let mut feasible = self.draw_feasible(random);
        for point in 0..self.len() {
            self.is_center[self.assigned[point]] = true;
        }
        let limits = LEAST_CENTERS..=MOST_CENTERS;
        loop {
            cost = self.improve(&mut feasible, price, cost, ROUGH, random, trial)?;
            // Up to two centres too few or too many are good enough for more accurate rounds.
            if (LEAST_CENTERS - 2..=MOST_CENTERS + 2).contains(&self.centers) {
                cost = self.improve(&mut feasible, price, cost, ACCURATE, random, trial)?;
            }
            let before = price;
            if self.centers > MOST_CENTERS {
                least = price;
                price = f32::midpoint(most, least);
            } else if self.centers < LEAST_CENTERS {
                most = price;
                price = f32::midpoint(most, least);
            }
            cost += (price - before) * self.centers as f32;
            if limits.contains(&self.centers)
                || f64::from(least) >= CLOSE * f64::from(most)
                || trial.is_over()
            {
                return Ok(());
            }
        }
    }

    /// Puts points into random order.
    fn shuffle(&mut self, random: &mut Rand48) {
        let (count, dimensions) = (self.len(), self.dimensions);
        for point in 0..count - 1 {
            let other = point + random.below(count - point);
            self.places.swap(point, other);
            self.assigned.swap(point, other);
            self.cost.swap(point, other);
            for d in 0..dimensions {
                self.coordinates.swap(point * dimensions + d, other * dimensions + d);
            }
        }
    }

    /// Opens the first point, then each with the probability of its cost over that of a centre; returns the cost of all.
    fn draw_centers(&mut self, price: f32, random: &mut Rand48) -> f32 {
        for point in 0..self.len() {
            self.cost[point] = self.squared(point, 0);
            self.assigned[point] = 0;
        }
        self.centers = 1;
        for center in 1..self.len() {
            if random.unit() >= self.cost[center] / price {
                continue;
            }
            self.centers += 1;
            for point in 0..self.len() {
                let cost = self.squared(center, point);
                if cost < self.cost[point] {
                    self.cost[point] = cost;
                    self.assigned[point] = center;
                }
            }
        }
        price * self.centers as f32 + self.cost.iter().sum::<f32>()
    }

    /// Draws the points that may become centres: all where there are few.
    fn draw_feasible(&self, random: &mut Rand48) -> Vec<usize> {
        let count = trials(LEAST_CENTERS);
        if count >= self.len() {
            return (0..self.len()).collect();
        }
        let draw = |_| {
            let weight = random.lrand48() as f32 / RAND48_MAX as f32 * self.len() as f32;
            // Points weigh 1 each: the first whose weights up to it are more than that, but not beyond the last.
            (weight as usize).min(self.len() - 1)
        };
        (0..count).map(draw).collect()
    }

    /// Rounds of trials until one saves less than a share of the cost; returns the cost then.
    fn improve<T: Trial>(
        &mut self,
        feasible: &mut [usize],
        price: f32,
        mut cost: f32,
        share: f32,
        random: &mut Rand48,
        trial: &mut T,
    ) -> Result<f32, T::Error> {
        let mut saved = cost;
        while saved / cost > share && !trial.is_over() {
            saved = 0.0;
            for at in 0..feasible.len() {
                let other = at + random.below(feasible.len() - at);
                feasible.swap(at, other);
            }
            for round in 0..trials(MOST_CENTERS) {
                if trial.is_over() {
                    break;
                }
                let candidate = feasible[round % feasible.len()];
                self.number_centers();
                let gain = self.gain(candidate);
                trial.attempt(self, candidate, &gain)?;
                saved += self.open_if_it_pays(candidate, &gain, price);
            }
            cost -= saved;
        }
        Ok(cost)
    }

    fn number_centers(&mut self) {
        let rows = self.rows.iter_mut().zip(&self.is_center).filter(|&(_, &is_center)| is_center);
        for (number, (row, _)) in rows.enumerate() {
            *row = number as i32;
        }
    }

    /// What opening a candidate would bring.
    fn gain(&self, candidate: usize) -> Gain {
        let mut sums = vec![0.0f64; self.centers + 1];
        let mut moves = vec![0u8; self.len()];
        let mut on_border = vec![false; self.len()];
        for point in 0..self.len() {
            let change = self.squared(point, candidate) - self.cost[point];
            on_border[point] = change.abs() <= 1e-5 * self.cost[point];
            if change < 0.0 {
                moves[point] = 1;
                sums[self.centers] += f64::from(change);
            } else {
                sums[self.rows[self.assigned[point]] as usize] -= f64::from(change);
            }
        }
        Gain { sums: sums.iter().map(|&sum| sum as f32).collect(), moves, on_border }
    }

    /// Opens a candidate if that saves something, and closes the centres that are then worth less than their price.
    fn open_if_it_pays(&mut self, candidate: usize, gain: &Gain, price: f32) -> f32 {
        let closing: Vec<bool> = gain.sums[..self.centers].iter().map(|loss| price + loss > 0.0).collect();
        let worth = gain.sums.iter().zip(&closing).filter(|&(_, &closes)| closes);
        let closed: f32 = worth.map(|(loss, _)| price + loss).sum();
        let cost = price + gain.sums[self.centers] - closed;
        if cost >= 0.0 {
            return 0.0;
        }
        for point in 0..self.len() {
            if gain.moves[point] == 1 || closing[self.rows[self.assigned[point]] as usize] {
                self.cost[point] = self.squared(point, candidate);
                self.assigned[point] = candidate;
            }
        }
        for point in 0..self.len() {
            if self.is_center[point] && closing[self.rows[point] as usize] {
                self.is_center[point] = false;
            }
        }
        self.is_center[candidate] = true;
        self.centers += 1;
        self.centers -= closing.iter().filter(|&&closes| closes).count();
        -cost
    }

    fn squared(&self, a: usize, b: usize) -> f32 {
        let at = |point: usize| &self.coordinates[point * self.dimensions..(point + 1) * self.dimensions];
        at(a).iter().zip(at(b)).map(|(a, b)| (a - b) * (a - b)).sum()
    }
}

/// How many trials a round has for a number of centres.
fn trials(centers: usize) -> usize {
    (TRIALS * centers as f32 * libm::logf(centers as f32)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_has_three_k_log_k_trials() {
        assert_eq!([trials(LEAST_CENTERS), trials(MOST_CENTERS)], [69, 179]);
    }

    /// Three points on a line: the first is the centre of all.
    fn three_points() -> Clusters {
        let mut clusters = Clusters::of(vec![0.0, 4.0, 5.0], 1);
        clusters.cost = vec![0.0, 16.0, 25.0];
        clusters.is_center[0] = true;
        clusters.centers = 1;
        clusters
    }

    #[test]
    fn a_center_is_opened_if_its_points_gain_more_than_its_price() {
        let mut clusters = three_points();
        let gain = clusters.gain(2);
        assert_eq!((gain.sums.as_slice(), gain.moves.as_slice()), (&[-25.0, -40.0][..], &[0, 1, 1][..]));
        assert_eq!(clusters.open_if_it_pays(2, &gain, 20.0), 40.0 - 20.0);
        assert_eq!((clusters.assigned.as_slice(), clusters.centers), (&[0, 2, 2][..], 2));
    }

    #[test]
    fn a_center_that_is_worth_less_than_its_price_closes_when_another_opens() {
        let mut clusters = three_points();
        let gain = clusters.gain(2);
        assert_eq!(clusters.open_if_it_pays(2, &gain, 50.0), 40.0 - 25.0);
        assert_eq!((clusters.assigned.as_slice(), clusters.centers), (&[2, 2, 2][..], 1));
        assert_eq!(clusters.is_center, [false, false, true]);
    }
}
