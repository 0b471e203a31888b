//! From a block to its size and to its bits, by any code map and with any kernel.
//!
//! These functions are inlined into one function for each kernel, so that all of them may use its instructions.

use super::Bpc;
use super::code_map::Codeword;
use super::symbol::{
    BASE_PAYLOAD_BITS, Classes, PlaneSymbol, ZERO_RUNS, base_class, below, highest, run_down_from,
};
use super::transform::{Kernel, MAX_PLANES, PlaneCodes, Planes};
use super::word::Word;
use crate::bits::{BitWriter, BlockWriter};

/// Blocks whose codes are made before the first of them is written. Making codes waits for nothing, writing them for the block before.
const BLOCKS_AT_ONCE: usize = 4;

impl<W: Word> Bpc<W> {
    #[inline(always)]
    pub(super) fn sizes_with(&self, kernel: impl Kernel<W>, data: &[u8], sizes: &mut [u32]) {
        for (block, size) in data.chunks_exact(self.block.bytes()).zip(sizes) {
            *size = self.size_with(kernel, block);
        }
    }

    #[inline(always)]
    fn size_with(&self, kernel: impl Kernel<W>, block: &[u8]) -> u32 {
        let class = base_class(W::load(block, 0));
        let classes = kernel.tally(block).classes(self.shape.full_plane());
        let cost = |symbol: usize| self.encode.row(symbol).total_bits;
        let patterns = classes.raw().count_ones() * cost(PlaneSymbol::Raw as usize)
            + classes.all_ones.count_ones() * cost(PlaneSymbol::AllOnes as usize)
            + classes.dbp_zero.count_ones() * cost(PlaneSymbol::DbpZero as usize)
            + classes.two_ones.count_ones() * cost(PlaneSymbol::TwoOnes as usize)
            + classes.single_one.count_ones() * cost(PlaneSymbol::SingleOne as usize);
        let zero_runs = if let Some(run_bits) = self.encode.uniform_run_bits {
            let singles = classes.single_zeros().count_ones();
            singles * cost(ZERO_RUNS) + (classes.run_starts().count_ones() - singles) * run_bits
        } else {
            let mut bits = 0;
            classes.for_each_symbol(classes.run_starts(), |symbol| bits += cost(symbol));
            bits
        };
        let sign_plane = classes.top.map_or(0, cost);
        self.encode.base(class).length_bits + BASE_PAYLOAD_BITS[class] + sign_plane + patterns + zero_runs
    }

    #[inline(always)]
    pub(super) fn compress_with(
        &self,
        kernel: impl Kernel<W>,
        blocks: &[u8],
        out: &mut BitWriter,
        sizes: &mut [u32],
    ) {
        let full_plane = self.shape.full_plane();
        let several = blocks.chunks(BLOCKS_AT_ONCE * self.block.bytes());
        for (blocks, sizes) in several.zip(sizes.chunks_mut(BLOCKS_AT_ONCE)) {
            let blocks = blocks.chunks_exact(self.block.bytes());
            let mut codes = [PlaneCodes::default(); BLOCKS_AT_ONCE];
            let mut are_made = false;
            for (block, codes) in blocks.clone().zip(&mut codes) {
                are_made = kernel.make_codes(block, &self.encode, full_plane, codes);
            }
            for ((block, size), codes) in blocks.zip(sizes).zip(&codes) {
                let mut out = out.begin_block();
                self.put_base(W::load(block, 0), &mut out);
                if are_made {
                    let (signs, symbol) = codes.sign_plane;
                    self.put_symbol(symbol, signs, &mut out);
                    out.put_groups(&codes.groups, &codes.group_bits);
                } else {
                    let classes = kernel.tally(block).classes(full_plane);
                    let mut planes: Planes<W> = [W::Plane::default(); MAX_PLANES];
                    kernel.planes(block, &mut planes);
                    self.put_planes(&classes, &planes, &mut out);
                }
                *size = out.len_bits();
                out.end();
            }
        }
    }

    #[inline(always)]
    fn put_base(&self, base: W, out: &mut BlockWriter<'_>) {
        let class = base_class(base);
        let Codeword { bits, length_bits } = self.encode.base(class);
        let payload_bits = BASE_PAYLOAD_BITS[class];
        if payload_bits == 64 {
            out.put(u64::from(bits), length_bits);
            return out.put64(base.to_u64());
        }
        let payload = base.to_u64() & ((1 << payload_bits) - 1);
        out.put(u64::from(bits) << payload_bits | payload, length_bits + payload_bits);
    }

    /// Writes the symbols of the DBX planes, top first.
    #[inline(always)]
    fn put_planes(&self, classes: &Classes, planes: &Planes<W>, out: &mut BlockWriter<'_>) {
        if let Some(symbol) = classes.top {
            self.put_symbol(symbol, planes[W::BITS as usize].into(), out);
        }
        let mut rest = classes.symbol_starts();
        let raw = classes.raw();
        while rest != 0 {
            let top = highest(rest);
            // Raw planes come in long runs, and writing several at once is more than twice as fast.
            let raw_planes = run_down_from(top, raw);
            if raw_planes > 1 {
                let lowest = top + 1 - raw_planes;
                self.put_raw(&planes[lowest as usize..=top as usize], out);
                rest = below(lowest, rest);
                continue;
            }
            rest = below(top, rest);
            self.put_symbol(classes.symbol_at(top), planes[top as usize % MAX_PLANES].into(), out);
        }
    }

    #[inline(always)]
    fn put_symbol(&self, symbol: usize, plane: u32, out: &mut BlockWriter<'_>) {
        let row = self.encode.row(symbol);
        let payload = plane & row.plane_mask | plane.trailing_zeros() & row.position_mask;
        out.put(row.code | u64::from(payload), row.total_bits);
    }

    /// Writes raw planes, the last of the slice first. Two codes of 32 bits are joined.
    #[inline(always)]
    fn put_raw(&self, planes: &[W::Plane], out: &mut BlockWriter<'_>) {
        let row = self.encode.row(PlaneSymbol::Raw as usize);
        let code = |plane: W::Plane| row.code | u64::from(plane.into());
        let mut rest = planes;
        if row.total_bits == 32 {
            let (first, pairs) = planes.as_rchunks::<2>();
            for &[low, high] in pairs.iter().rev() {
                out.put64(code(high) << 32 | code(low));
            }
            rest = first;
        }
        for &plane in rest.iter().rev() {
            out.put(code(plane), row.total_bits);
        }
    }
}
