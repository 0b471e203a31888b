//! Lanes of one warp talk to each other: shuffles, votes, matches, reductions.
//!
//! Lanes take part when they are active; a `.sync` mask that names other lanes does not make them run.

use super::Context;
use crate::inst::Inst;
use crate::op::{AtomicFunction, AtomicType, ShuffleMode, VoteMode, WarpOp};
use crate::registers::lanes_of;
use crate::{LANES, LaneMask};

impl Context<'_> {
    pub(super) fn warp_op(&mut self, inst: &Inst, operation: WarpOp) {
        match operation {
            WarpOp::Shuffle { mode, has_predicate } => self.shuffle(inst, mode, has_predicate),
            WarpOp::Vote { mode, is_negated } => self.vote(inst, mode, is_negated),
            WarpOp::MatchAny { is_64 } => self.match_any(inst, is_64),
            WarpOp::MatchAll { is_64, has_predicate } => self.match_all(inst, is_64, has_predicate),
            WarpOp::ActiveMask => {
                let lanes = self.lanes;
                self.state().registers.set32(inst.dst, &[lanes; LANES], lanes);
            }
            WarpOp::Redux(function, ty) => self.redux(inst, function, ty),
            WarpOp::Elect => {
                let (lanes, leader) = (self.lanes, self.first_lane());
                let registers = &mut self.state().registers;
                registers.set32(inst.dst, &[leader as u32; LANES], lanes);
                registers.set_pred(inst.d, 1 << leader, lanes);
            }
        }
    }

    fn shuffle(&mut self, inst: &Inst, mode: ShuffleMode, has_predicate: bool) {
        let lanes = self.lanes;
        let registers = &mut self.state().registers;
        let (values, operand, control) =
            (registers.get32(inst.a), registers.get32(inst.b), registers.get32(inst.c));
        let mut out = [0; LANES];
        let mut in_range = 0;
        for lane in lanes_of(lanes) {
            let (source, is_inside) = shuffle_source(mode, lane as u32, operand[lane], control[lane]);
            in_range |= LaneMask::from(is_inside) << lane;
            // The standard leaves a value from an inactive lane open. Published reductions over the first few lanes of a
            // warp are right where it is 0, and such lanes add nothing.
            let is_active = lanes >> source & 1 == 1;
            out[lane] = if is_active { values[source as usize] } else { 0 };
        }
        registers.set32(inst.dst, &out, lanes);
        if has_predicate {
            registers.set_pred(inst.d, in_range, lanes);
        }
    }

    fn vote(&mut self, inst: &Inst, mode: VoteMode, is_negated: bool) {
        let lanes = self.lanes;
        let registers = &mut self.state().registers;
        let values = registers.get_pred(inst.a) ^ if is_negated { LaneMask::MAX } else { 0 };
        let truth = match mode {
            VoteMode::All => values & lanes == lanes,
            VoteMode::Any => values & lanes != 0,
            VoteMode::Uniform => values & lanes == lanes || values & lanes == 0,
            VoteMode::Ballot => {
                registers.set32(inst.dst, &[values & lanes; LANES], lanes);
                return;
            }
        };
        registers.set_pred(inst.dst, if truth { LaneMask::MAX } else { 0 }, lanes);
    }

    fn match_values(&mut self, inst: &Inst, is_64: bool) -> [u64; LANES] {
        let registers = &self.state().registers;
        if is_64 { registers.get64(inst.a) } else { registers.get32(inst.a).map(u64::from) }
    }

    fn match_any(&mut self, inst: &Inst, is_64: bool) {
        let values = self.match_values(inst, is_64);
        let lanes = self.lanes;
        let equal = |value: u64| {
            lanes_of(lanes).filter(|&lane| values[lane] == value).fold(0, |mask, lane| mask | 1 << lane)
        };
        let out = std::array::from_fn(|lane| equal(values[lane]));
        self.state().registers.set32(inst.dst, &out, lanes);
    }

    fn match_all(&mut self, inst: &Inst, is_64: bool, has_predicate: bool) {
        let values = self.match_values(inst, is_64);
        let (lanes, first) = (self.lanes, self.first_lane());
        let is_equal = lanes_of(lanes).all(|lane| values[lane] == values[first]);
        let registers = &mut self.state().registers;
        registers.set32(inst.dst, &[if is_equal { lanes } else { 0 }; LANES], lanes);
        if has_predicate {
            registers.set_pred(inst.d, if is_equal { LaneMask::MAX } else { 0 }, lanes);
        }
    }

    /// `redux.sync` combines the lanes that its member mask and the active lanes have in common.
    fn redux(&mut self, inst: &Inst, function: AtomicFunction, ty: AtomicType) {
        let lanes = self.lanes;
        let registers = &mut self.state().registers;
        let values = registers.get32(inst.a);
        let combined = lanes_of(lanes)
            .map(|lane| u64::from(values[lane]))
            .reduce(|left, right| super::atomic::combine(function, ty, left, right, 0))
            .unwrap_or(0);
        registers.set32(inst.dst, &[combined as u32; LANES], lanes);
    }
}

/// The lane a shuffle reads, and whether it lies inside the segment (PTX ISA, "shfl.sync").
fn shuffle_source(mode: ShuffleMode, lane: u32, operand: u32, control: u32) -> (u32, bool) {
    let operand = operand & 31;
    let clamp = control & 31;
    let segment = control >> 8 & 31;
    let max_lane = (lane & segment) | (clamp & !segment);
    let min_lane = lane & segment;
    let (wanted, is_inside) = match mode {
        ShuffleMode::Up => {
            let wanted = lane.wrapping_sub(operand);
            (wanted, wanted as i32 >= max_lane as i32)
        }
        ShuffleMode::Down => (lane + operand, lane + operand <= max_lane),
        ShuffleMode::Butterfly => (lane ^ operand, lane ^ operand <= max_lane),
        ShuffleMode::Index => {
            let wanted = min_lane | (operand & !segment);
            (wanted, wanted <= max_lane)
        }
    };
    (if is_inside { wanted & 31 } else { lane }, is_inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffles_stay_in_their_segment() {
        let whole = 31;
        assert_eq!(shuffle_source(ShuffleMode::Down, 30, 1, whole), (31, true));
        assert_eq!(shuffle_source(ShuffleMode::Down, 31, 1, whole), (31, false));
        assert_eq!(shuffle_source(ShuffleMode::Up, 0, 1, 0), (0, false));
        assert_eq!(shuffle_source(ShuffleMode::Up, 5, 2, 0), (3, true));
        assert_eq!(shuffle_source(ShuffleMode::Butterfly, 5, 1, whole), (4, true));
        assert_eq!(shuffle_source(ShuffleMode::Index, 9, 3, whole), (3, true));
        // Segments of 8 lanes: mask 0b11000 in bits 8..13, clamp 31.
        let eights = 0x1800 | 31;
        assert_eq!(shuffle_source(ShuffleMode::Down, 7, 1, eights), (7, false));
        assert_eq!(shuffle_source(ShuffleMode::Index, 9, 3, eights), (11, true));
    }
}
