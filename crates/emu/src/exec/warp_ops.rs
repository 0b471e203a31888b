//! Lanes of one warp talk to each other: shuffles, votes, matches, reductions.
//!
//! Lanes take part when they are active; a `.sync` mask that names other lanes does not make them run. Each lane hears only of
//! the lanes that its own mask names: the parts of a warp that agree among themselves may do so in one instruction.

use super::Context;
use crate::inst::{Inst, NO_ROW, Row};
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
                let lanes = self.lanes;
                let leaders = self.members(inst.b).map(LaneMask::trailing_zeros);
                let is_leader = |&lane: &usize| leaders[lane] == lane as u32;
                let elected = lanes_of(lanes).filter(is_leader).fold(0, |mask, lane| mask | 1 << lane);
                let registers = &mut self.state().registers;
                registers.set32(inst.dst, &leaders, lanes);
                registers.set_pred(inst.d, elected, lanes);
            }
        }
    }

    /// For each lane the active lanes that its member mask names.
    fn members(&mut self, masks: Row) -> [LaneMask; LANES] {
        let lanes = self.lanes;
        if masks == NO_ROW {
            return [lanes; LANES];
        }
        self.state().registers.get32(masks).map(|mask| mask & lanes)
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
        let members = self.members(inst.b);
        let registers = &mut self.state().registers;
        let values = registers.get_pred(inst.a) ^ if is_negated { LaneMask::MAX } else { 0 };
        if mode == VoteMode::Ballot {
            registers.set32(inst.dst, &members.map(|members| values & members), lanes);
            return;
        }
        let mut truth = 0;
        for lane in lanes_of(lanes) {
            let (members, votes) = (members[lane], values & members[lane]);
            let is_true = match mode {
                VoteMode::All => votes == members,
                VoteMode::Any | VoteMode::Ballot => votes != 0,
                VoteMode::Uniform => votes == members || votes == 0,
            };
            truth |= LaneMask::from(is_true) << lane;
        }
        registers.set_pred(inst.dst, truth, lanes);
    }

    fn match_values(&mut self, inst: &Inst, is_64: bool) -> [u64; LANES] {
        let registers = &self.state().registers;
        if is_64 { registers.get64(inst.a) } else { registers.get32(inst.a).map(u64::from) }
    }

    fn match_any(&mut self, inst: &Inst, is_64: bool) {
        let values = self.match_values(inst, is_64);
        let lanes = self.lanes;
        let members = self.members(inst.b);
        let equal = |lane: usize| {
            lanes_of(members[lane])
                .filter(|&other| values[other] == values[lane])
                .fold(0, |mask, lane| mask | 1 << lane)
        };
        let out = std::array::from_fn(equal);
        self.state().registers.set32(inst.dst, &out, lanes);
    }

    fn match_all(&mut self, inst: &Inst, is_64: bool, has_predicate: bool) {
        let values = self.match_values(inst, is_64);
        let lanes = self.lanes;
        let members = self.members(inst.b);
        let (mut out, mut all_equal) = ([0; LANES], 0);
        for lane in lanes_of(lanes) {
            if lanes_of(members[lane]).all(|other| values[other] == values[lane]) {
                out[lane] = members[lane];
                all_equal |= 1 << lane;
            }
        }
        let registers = &mut self.state().registers;
        registers.set32(inst.dst, &out, lanes);
        if has_predicate {
            registers.set_pred(inst.d, all_equal, lanes);
        }
    }

    /// `redux.sync` combines the lanes that its member mask and the active lanes have in common.
    fn redux(&mut self, inst: &Inst, function: AtomicFunction, ty: AtomicType) {
        let lanes = self.lanes;
        let members = self.members(inst.b);
        let registers = &mut self.state().registers;
        let values = registers.get32(inst.a);
        let combined = |members: LaneMask| {
            lanes_of(members)
                .map(|lane| u64::from(values[lane]))
                .reduce(|left, right| super::atomic::combine(function, ty, left, right, 0))
                .unwrap_or(0) as u32
        };
        let mut out = [0; LANES];
        let mut last = None;
        for lane in lanes_of(lanes) {
            // Neighbours mostly have one mask.
            let sum = match last {
                Some((members_before, sum)) if members_before == members[lane] => sum,
                _ => combined(members[lane]),
            };
            last = Some((members[lane], sum));
            out[lane] = sum;
        }
        registers.set32(inst.dst, &out, lanes);
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
