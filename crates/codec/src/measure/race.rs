//! An operation and memcpy, turn by turn over the same data set.
//!
//! The set is cut into pieces of [`PIECE_BYTES`]. A round copies and processes all of them, a short pass of one after a
//! short pass of the other, so that both meet the machine in the same state. They are half the set apart, so that the
//! copy does not bring the operation's input into the cache. The best pass of each piece counts, and a speed is that of
//! all pieces together.

use std::hint::black_box;
use std::ops::Range;

use super::clock::seconds_of;

const PIECE_BYTES: usize = 4 << 20;

const LEAST_ROUNDS: usize = 2;
const MOST_ROUNDS: usize = 7;
/// Slow operations have fewer rounds: no new one begins after this time.
const ENOUGH_SECONDS: f64 = 0.4;

/// A data set and the place it is copied to.
pub(super) struct Racetrack<'a> {
    source: &'a [u8],
    copy: Vec<u8>,
}

/// How fast an operation was.
#[derive(Clone, Copy, Debug)]
pub(super) struct Speed {
    /// Bytes of the set per second, in units of 10⁹.
    pub(super) gb_per_s: f64,
    /// The same as a fraction of memcpy's.
    pub(super) of_memcpy: f64,
}

impl<'a> Racetrack<'a> {
    /// The copy is written here for the first time, so that no page is new under the clock.
    pub(super) fn new(source: &'a [u8]) -> Self {
        Self { source, copy: source.to_vec() }
    }

    /// Times `operation`, which gets the piece's bytes as a range and sees the pieces in order, round after round.
    pub(super) fn race(&mut self, mut operation: impl FnMut(Range<usize>)) -> Speed {
        let pieces = pieces(self.source.len());
        let mut best_copies = vec![f64::INFINITY; pieces.len()];
        let mut best_passes = best_copies.clone();
        let mut spent_seconds = 0.0;
        for round in 0..MOST_ROUNDS {
            if round >= LEAST_ROUNDS && spent_seconds > ENOUGH_SECONDS {
                break;
            }
            for (index, piece) in pieces.iter().enumerate() {
                let copied = (index + pieces.len() / 2) % pieces.len();
                let copy_seconds = self.copy_seconds(pieces[copied].clone());
                best_copies[copied] = best_copies[copied].min(copy_seconds);
                let pass_seconds = seconds_of(|| operation(piece.clone()));
                best_passes[index] = best_passes[index].min(pass_seconds);
                spent_seconds += copy_seconds + pass_seconds;
            }
        }
        let (copy_seconds, pass_seconds): (f64, f64) = (best_copies.iter().sum(), best_passes.iter().sum());
        Speed {
            gb_per_s: self.source.len() as f64 / pass_seconds / 1e9,
            of_memcpy: copy_seconds / pass_seconds,
        }
    }

    fn copy_seconds(&mut self, piece: Range<usize>) -> f64 {
        let (source, copy) = (&self.source[piece.clone()], &mut self.copy[piece]);
        seconds_of(|| black_box(copy).copy_from_slice(black_box(source)))
    }
}

/// The set cut into pieces; an empty set is one empty piece.
fn pieces(bytes: usize) -> Vec<Range<usize>> {
    let starts = (0..bytes.max(1)).step_by(PIECE_BYTES);
    starts.map(|start| start..(start + PIECE_BYTES).min(bytes)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_round_sees_every_piece_once_and_in_order() {
        let data = vec![7; 2 * PIECE_BYTES + 128];
        let mut seen = Vec::new();
        let mut track = Racetrack::new(&data);
        let speed = track.race(|piece| seen.push(piece));
        assert!(speed.gb_per_s > 0.0 && speed.of_memcpy > 0.0);
        let one_round = [0..PIECE_BYTES, PIECE_BYTES..2 * PIECE_BYTES, 2 * PIECE_BYTES..data.len()];
        assert!(seen.len() >= LEAST_ROUNDS * one_round.len());
        assert!(seen.chunks(one_round.len()).all(|round| round == one_round));
    }

    #[test]
    fn an_empty_set_is_one_empty_piece() {
        let pieces = pieces(0);
        assert_eq!((pieces.len(), &pieces[0]), (1, &(0..0)));
    }
}
