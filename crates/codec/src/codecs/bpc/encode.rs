//! From a block to its size and to its bits, by any code map and with any kernel.
//!
//! These functions are inlined into one function for each kernel, so that all of them may use its instructions.

use super::Bpc;
use super::code_map::Codeword;
use super::symbol::{BASE_PAYLOAD_BITS, Classes, PlaneSymbol, ZERO_RUNS, base_class};
use super::transform::{Kernel, MAX_PLANES, Planes};
use super::word::{PlaneSet, Word};
use crate::bits::{BitWriter, BlockWriter};

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
        let patterns = classes.raw().count() * cost(PlaneSymbol::Raw as usize)
            + classes.all_ones.count() * cost(PlaneSymbol::AllOnes as usize)
            + classes.dbp_zero.count() * cost(PlaneSymbol::DbpZero as usize)
            + classes.two_ones.count() * cost(PlaneSymbol::TwoOnes as usize)
            + classes.single_one.count() * cost(PlaneSymbol::SingleOne as usize);
        let zero_runs = if let Some(run_bits) = self.encode.uniform_run_bits {
            let singles = classes.single_zeros().count();
            singles * cost(ZERO_RUNS) + (classes.run_starts().count() - singles) * run_bits
        } else {
            let mut bits = 0;
            classes.for_each_symbol(classes.run_starts(), |symbol| bits += cost(symbol));
            bits
        };
        self.encode.base(class).length_bits + BASE_PAYLOAD_BITS[class] + patterns + zero_runs
    }

    #[inline(always)]
    pub(super) fn compress_with(&self, kernel: impl Kernel<W>, block: &[u8], out: &mut BitWriter) {
        let classes = kernel.tally(block).classes(self.shape.full_plane());
        let mut planes = [0; MAX_PLANES];
        kernel.planes(block, &mut planes);
        let mut out = out.begin_block();
        self.put_base(W::load(block, 0), &mut out);
        self.put_planes(&classes, &planes, &mut out);
        out.end();
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
    fn put_planes(&self, classes: &Classes<W::PlaneSet>, planes: &Planes, out: &mut BlockWriter<'_>) {
        if W::BITS == 32 {
            return self.put_symbols(classes, classes.symbol_starts(), planes, out);
        }
        // The sign plane of 64-bit words goes first, so that one machine word holds a set of what is left.
        let symbol = classes.symbol_at(W::BITS);
        self.put_symbol(symbol, planes[W::BITS as usize], out);
        let lower = classes.low_planes();
        let starts = if symbol > ZERO_RUNS {
            // A run of more than one zero plane reaches into the lower planes.
            lower.symbol_starts().below(W::BITS - (symbol - ZERO_RUNS) as u32)
        } else {
            lower.symbol_starts()
        };
        self.put_symbols(&lower, starts, planes, out);
    }

    /// Writes the symbols that start at the planes `rest`.
    #[inline(always)]
    fn put_symbols<S: PlaneSet>(
        &self,
        classes: &Classes<S>,
        mut rest: S,
        planes: &Planes,
        out: &mut BlockWriter<'_>,
    ) {
        let raw = classes.raw();
        while !rest.is_empty() {
            let top = rest.highest();
            // Raw planes come in long runs, and writing several at once is more than twice as fast.
            let raw_planes = raw.run_down_from(top);
            if raw_planes > 1 {
                let lowest = top + 1 - raw_planes;
                self.put_raw(&planes[lowest as usize..=top as usize], out);
                rest = rest.below(lowest);
                continue;
            }
            rest = rest.below(top);
            self.put_symbol(classes.symbol_at(top), planes[top as usize % MAX_PLANES], out);
        }
    }

    #[inline(always)]
    fn put_symbol(&self, symbol: usize, plane: u32, out: &mut BlockWriter<'_>) {
        let row = self.encode.row(symbol);
        let payload = plane & row.plane_mask | plane.trailing_zeros() & row.position_mask;
        out.put(row.code | u64::from(payload), row.total_bits);
    }

    /// Writes raw planes, the last of the slice first. Codes of 32 and 16 bits are joined to 64.
    #[inline(always)]
    fn put_raw(&self, planes: &[u32], out: &mut BlockWriter<'_>) {
        let row = self.encode.row(PlaneSymbol::Raw as usize);
        let code = |plane: u32| row.code | u64::from(plane);
        let mut rest = planes;
        match row.total_bits {
            32 => {
                let (first, pairs) = planes.as_rchunks::<2>();
                for &[low, high] in pairs.iter().rev() {
                    out.put64(code(high) << 32 | code(low));
                }
                rest = first;
            }
            16 => {
                let (first, groups) = planes.as_rchunks::<4>();
                for &[a, b, c, d] in groups.iter().rev() {
                    out.put64(code(d) << 48 | code(c) << 32 | code(b) << 16 | code(a));
                }
                rest = first;
            }
            _ => {}
        }
        for &plane in rest.iter().rev() {
            out.put(code(plane), row.total_bits);
        }
    }
}
