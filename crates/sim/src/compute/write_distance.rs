//! How far each instruction of a kernel is from the next one that changes what all SMs share.
//!
//! A lane follows the control flow, one instruction for each that its warp issues. So however the lanes of a warp diverge, none of
//! them writes before it has gone the shortest way there from where it is.

use shrinkwarp_emu::inst::Inst;
use shrinkwarp_emu::op::Op;

/// Distances in instructions, of no more than this.
const FAR: u8 = 64;

/// Per instruction: how many instructions are executed at least before one that writes.
#[derive(Clone, Debug, Default)]
pub struct WriteDistances(Vec<u8>);

impl WriteDistances {
    /// The distances in some code, where these instructions write.
    pub fn of(code: &[Inst], writes: impl Fn(u32) -> bool) -> Self {
        let initial = |pc: u32, inst: &Inst| {
            // Where an indexed branch or a return goes is not looked for.
            let is_elsewhere = matches!(inst.op, Op::BranchIndexed { .. } | Op::Return);
            if writes(pc) || is_elsewhere { 0 } else { FAR }
        };
        let mut distances: Vec<u8> = (0..).zip(code).map(|(pc, inst)| initial(pc, inst)).collect();
        loop {
            let mut has_changed = false;
            for pc in (0..code.len()).rev() {
                let at = |target: usize| distances.get(target).copied().unwrap_or(FAR);
                let next = match code[pc].op {
                    Op::Branch { target, .. } => at(pc + 1).min(at(target as usize)),
                    _ => at(pc + 1),
                };
                if next + 1 < distances[pc] {
                    distances[pc] = next + 1;
                    has_changed = true;
                }
            }
            if !has_changed {
                return Self(distances);
            }
        }
    }

    /// The distance of an instruction; 0 if it is not known.
    #[inline]
    pub fn at(&self, pc: u32) -> u8 {
        self.0.get(pc as usize).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use shrinkwarp_emu::load::load;
    use shrinkwarp_emu::memory::Memory;

    use super::*;

    /// The distances of a kernel whose `writing` instructions write.
    fn distances(body: &str, writing: &[u32]) -> Vec<u8> {
        let source = format!(
            ".version 7.0\n.target sm_70\n.address_size 64\n\
             .func idle() {{ .reg .b32 %r; mov.u32 %r, 1; ret; }}\n\
             .visible .entry k() {{ .reg .b32 %r<4>; .reg .pred %p; {body} }}"
        );
        let ast = shrinkwarp_ptx::parse(&source).unwrap();
        let module = load(&ast, &mut Memory::default()).unwrap();
        let code = &module.kernels["k"].code;
        WriteDistances::of(code, |pc| writing.contains(&pc)).0
    }

    #[test]
    fn the_shortest_way_to_a_write_counts() {
        let straight = "mov.u32 %r0, 1; mov.u32 %r1, 2; mov.u32 %r2, 3; exit;";
        assert_eq!(distances(straight, &[2]), [2, 1, 0, FAR]);

        let branch = "setp.eq.u32 %p, %r0, 0; @%p bra $end; mov.u32 %r1, 2; mov.u32 %r1, 2; $end: mov.u32 %r2, 3; exit;";
        assert_eq!(distances(branch, &[4])[..5], [2, 1, 2, 1, 0]);
        assert_eq!(distances(branch, &[2])[..5], [2, 1, 0, FAR, FAR]);

        let backwards = "$loop: mov.u32 %r1, 2; mov.u32 %r2, 3; setp.eq.u32 %p, %r0, 0; @%p bra $loop; exit;";
        assert_eq!(distances(backwards, &[0])[..4], [0, 3, 2, 1]);
    }

    #[test]
    fn where_a_function_returns_to_is_not_known() {
        let call = "mov.u32 %r0, 1; call idle, (); mov.u32 %r2, 3; exit;";
        let found = distances(call, &[]);
        let returns: Vec<usize> = (0..found.len()).filter(|&pc| found[pc] == 0).collect();
        assert_eq!(returns.len(), 1, "{found:?}");
    }
}
