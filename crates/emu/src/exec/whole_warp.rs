//! Loads and stores of a whole warp at once, where all of its lanes stay in one piece of memory.
//!
//! Most accesses are like that: the piece is then looked up and checked once, from its lowest byte to its highest, and what
//! remains is moving words. Nothing here fails: where a lane would leave the piece, or an address is not aligned, nothing has
//! been done, and `access` goes from lane to lane and names the one that is wrong.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use super::Context;
use crate::inst::{Inst, Row, Space};
use crate::kernel::VectorRegister;
use crate::memory::{GLOBAL_START, LOCAL_WINDOW, Memory, SHARED_WINDOW, WINDOW_BYTES};
use crate::op::{Base, Extension, Transfer};
use crate::registers::{Registers, lanes_of};
use crate::{LANES, LaneMask};

/// How the addresses of a warp lie to each other. Lanes that do not take part have the address of one that does.
#[derive(Clone, Copy)]
struct Spread {
    lowest: u64,
    highest: u64,
    pattern: Pattern,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pattern {
    /// One address.
    Same,
    /// Every lane takes part, each behind the one before it.
    Row,
    Any,
}

/// A register that holds an address.
trait Address: Copy {
    fn at(self, offset: i64) -> u64;
}

impl Address for u64 {
    #[inline(always)]
    fn at(self, offset: i64) -> u64 {
        self.wrapping_add_signed(offset)
    }
}

impl Address for u32 {
    #[inline(always)]
    fn at(self, offset: i64) -> u64 {
        u64::from(self.wrapping_add_signed(offset as i32))
    }
}

/// A word of memory as loads see it.
trait Word {
    fn get(&self) -> u32;
}

impl Word for AtomicU32 {
    #[inline(always)]
    fn get(&self) -> u32 {
        self.load(Relaxed)
    }
}

impl Word for u32 {
    #[inline(always)]
    fn get(&self) -> u32 {
        *self
    }
}

impl Word for [u8; 4] {
    #[inline(always)]
    fn get(&self) -> u32 {
        u32::from_le_bytes(*self)
    }
}

impl Context<'_> {
    /// A load of the whole warp; `None`, and no register changed, if it has to go from lane to lane.
    pub(super) fn load_whole(&mut self, inst: &Inst, transfer: Transfer) -> Option<()> {
        let access = inst.access?;
        let bytes = whole_bytes(transfer)?;
        let lanes = self.lanes;
        let (space, spread) = self.find_spread(inst, transfer, access.space, bytes)?;
        let registers_of = self.warp;
        let memory: &Memory = self.memory;
        let lists =
            self.kernel.lists.get(inst.d as usize..inst.d as usize + usize::from(transfer.elements))?;
        let addresses = &self.effects.addresses;
        match space {
            Space::Global => {
                if memory.has_regions() {
                    return None;
                }
                let words = global_words(memory, spread, bytes)?;
                let registers = &mut self.block.warps[registers_of].registers;
                load_elements(registers, lists, transfer, words, addresses, spread, lanes)?;
            }
            Space::Shared => {
                let words = self.block.shared.get(..self.block.shared_bytes as usize / 4)?;
                let words = words.get(spread.lowest as usize / 4..spread.words_end(bytes))?;
                let registers = &mut self.block.warps[registers_of].registers;
                load_elements(registers, lists, transfer, words, addresses, spread, lanes)?;
            }
            Space::Constant | Space::Parameter => {
                let all = match space {
                    Space::Constant => memory.constants().all(),
                    _ => &self.launch.parameters,
                };
                let words = all.get(spread.lowest as usize & !3..)?.as_chunks().0;
                let words: &[[u8; 4]] = words.get(..spread.words_end(bytes) - spread.lowest as usize / 4)?;
                let registers = &mut self.block.warps[registers_of].registers;
                load_elements(registers, lists, transfer, words, addresses, spread, lanes)?;
            }
            Space::Local => {
                let warp = &mut self.block.warps[registers_of];
                let (words, registers) = (&warp.local, &mut warp.registers);
                load_local(registers, lists, transfer, words, addresses, spread, lanes)?;
            }
            Space::Generic | Space::Texture => return None,
        }
        self.report(space, access.kind, bytes as u32, lanes);
        Some(())
    }

    /// A store of the whole warp; `None`, and nothing stored, if it has to go from lane to lane.
    pub(super) fn store_whole(&mut self, inst: &Inst, transfer: Transfer) -> Option<()> {
        let access = inst.access?;
        let bytes = whole_bytes(transfer)?;
        let lanes = self.lanes;
        let (space, spread) = self.find_spread(inst, transfer, access.space, bytes)?;
        let memory: &Memory = self.memory;
        let lists =
            self.kernel.lists.get(inst.d as usize..inst.d as usize + usize::from(transfer.elements))?;
        let addresses = &self.effects.addresses;
        let block = &mut *self.block;
        let registers = &block.warps[self.warp].registers;
        match space {
            Space::Global if transfer.element_bytes < 4 => {
                let (allocation, _) = memory.find(spread.lowest, spread.span(bytes))?;
                let source = row32(registers, lists.first().filter(|_| transfer.elements == 1)?)?;
                for lane in lanes_of(lanes) {
                    let offset = (addresses[lane] - allocation.start()) as usize;
                    allocation.store(offset, u32::from(transfer.element_bytes), u64::from(source[lane]));
                }
            }
            Space::Global => {
                let words = global_words(memory, spread, bytes)?;
                store_elements(registers, lists, transfer, addresses, spread, lanes, |index, value| {
                    words.get(index).map(|word| word.store(value, Relaxed))
                })?;
            }
            Space::Shared if transfer.element_bytes >= 4 => {
                let words = block.shared.get_mut(..block.shared_bytes as usize / 4)?;
                let words = words.get_mut(spread.lowest as usize / 4..spread.words_end(bytes))?;
                store_elements(registers, lists, transfer, addresses, spread, lanes, |index, value| {
                    words.get_mut(index).map(|word| *word = value)
                })?;
            }
            Space::Local if transfer.element_bytes >= 4 => {
                let warp = &mut block.warps[self.warp];
                store_local(&warp.registers, lists, transfer, &mut warp.local, addresses, spread, lanes)?;
            }
            _ => return None,
        }
        self.report(space, access.kind, bytes as u32, lanes);
        Some(())
    }

    /// Writes the addresses of the warp into the effects, in the numbering of the one space that they lead to.
    #[inline]
    fn find_spread(
        &mut self,
        inst: &Inst,
        transfer: Transfer,
        space: Space,
        bytes: u64,
    ) -> Option<(Space, Spread)> {
        let lanes = self.lanes;
        let addresses = &mut self.effects.addresses;
        let state = &self.block.warps[self.warp];
        let spread = match transfer.base {
            Base::Row64 => spread_of(state.registers.row64(inst.a), inst.offset, lanes, bytes, addresses),
            Base::Row32 => spread_of(state.registers.row32(inst.a), inst.offset, lanes, bytes, addresses),
            Base::Absolute | Base::Frame => {
                let frame = match transfer.base {
                    Base::Frame => state.stack.top().map_or(0, |top| top.frame_base),
                    _ => 0,
                };
                let address = inst.offset.wrapping_add(i64::from(frame)) as u64;
                *addresses = [address; LANES];
                (address & (bytes - 1) == 0).then_some(Spread {
                    lowest: address,
                    highest: address,
                    pattern: Pattern::Same,
                })
            }
        }?;
        if space != Space::Generic {
            return Some((space, spread));
        }
        if spread.lowest >= GLOBAL_START {
            return Some((Space::Global, spread));
        }
        let (space, window) = match spread.lowest {
            SHARED_WINDOW..LOCAL_WINDOW => (Space::Shared, SHARED_WINDOW),
            LOCAL_WINDOW..GLOBAL_START => (Space::Local, LOCAL_WINDOW),
            _ => return None,
        };
        if spread.highest - window >= WINDOW_BYTES {
            return None;
        }
        for address in addresses.iter_mut() {
            *address -= window;
        }
        let (lowest, highest) = (spread.lowest - window, spread.highest - window);
        Some((space, Spread { lowest, highest, ..spread }))
    }
}

impl Spread {
    /// Bytes from the first of the lowest lane to the last of the highest.
    #[inline(always)]
    fn span(&self, bytes: u64) -> u64 {
        self.highest - self.lowest + bytes
    }

    /// The word behind the last one, counted from the beginning of the space.
    #[inline(always)]
    fn words_end(&self, bytes: u64) -> usize {
        self.highest.saturating_add(bytes).div_ceil(4) as usize
    }
}

/// Bytes that a lane moves, where accesses of that shape are done here.
#[inline(always)]
fn whole_bytes(transfer: Transfer) -> Option<u64> {
    let bytes = u64::from(transfer.element_bytes) * u64::from(transfer.elements);
    (transfer.element_bytes <= 8 && bytes.is_power_of_two()).then_some(bytes)
}

/// The words of global memory from the lowest address of a spread to the end of the highest.
#[inline(always)]
fn global_words(memory: &Memory, spread: Spread, bytes: u64) -> Option<&[AtomicU32]> {
    let (allocation, offset) = memory.find(spread.lowest, spread.span(bytes))?;
    let is_in_step = allocation.start().is_multiple_of(4);
    let end = (offset as u64 + spread.span(bytes)).div_ceil(4) as usize;
    let words = allocation.words(offset & !3, end - offset / 4);
    (is_in_step && !words.is_empty()).then_some(words)
}

/// Adds the offset to a row of addresses, gives lanes that do not take part the address of one that does, and says how they
/// lie. `None` if one is not a multiple of `bytes`, or beyond all memory.
#[inline(always)]
fn lay_out<A: Address, const IS_FULL: bool>(
    row: &[A; LANES],
    offset: i64,
    lanes: LaneMask,
    bytes: u64,
    addresses: &mut [u64; LANES],
) -> Option<Spread> {
    let first = row[lanes.trailing_zeros() as usize % LANES].at(offset);
    let (mut apart, mut off_row, mut any) = (0, 0, 0);
    for lane in 0..LANES {
        let takes_part = if IS_FULL { u64::MAX } else { u64::from(lanes >> lane & 1).wrapping_neg() };
        let difference = (row[lane].at(offset) ^ first) & takes_part;
        let address = first ^ difference;
        addresses[lane] = address;
        apart |= difference;
        any |= address;
        off_row |= address ^ first.wrapping_add(bytes * lane as u64);
    }
    if any & ((bytes - 1) | (1 << 63)) != 0 {
        return None;
    }
    if apart == 0 {
        return Some(Spread { lowest: first, highest: first, pattern: Pattern::Same });
    }
    if IS_FULL && off_row == 0 {
        let highest = first + bytes * (LANES as u64 - 1);
        return Some(Spread { lowest: first, highest, pattern: Pattern::Row });
    }
    // Signed, as vectors are compared; no address is negative here.
    let (mut lowest, mut highest) = (first as i64, first as i64);
    for &address in addresses.iter() {
        lowest = lowest.min(address as i64);
        highest = highest.max(address as i64);
    }
    Some(Spread { lowest: lowest as u64, highest: highest as u64, pattern: Pattern::Any })
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn lay_out_avx2<A: Address, const IS_FULL: bool>(
    row: &[A; LANES],
    offset: i64,
    lanes: LaneMask,
    bytes: u64,
    addresses: &mut [u64; LANES],
) -> Option<Spread> {
    lay_out::<A, IS_FULL>(row, offset, lanes, bytes, addresses)
}

#[inline(always)]
fn spread_of<A: Address>(
    row: &[A; LANES],
    offset: i64,
    lanes: LaneMask,
    bytes: u64,
    addresses: &mut [u64; LANES],
) -> Option<Spread> {
    let is_full = lanes == LaneMask::MAX;
    #[cfg(target_arch = "x86_64")]
    if crate::lanes::has_avx2() {
        // SAFETY: this machine has AVX2.
        return unsafe {
            if is_full {
                lay_out_avx2::<A, true>(row, offset, lanes, bytes, addresses)
            } else {
                lay_out_avx2::<A, false>(row, offset, lanes, bytes, addresses)
            }
        };
    }
    if is_full {
        lay_out::<A, true>(row, offset, lanes, bytes, addresses)
    } else {
        lay_out::<A, false>(row, offset, lanes, bytes, addresses)
    }
}

/// A value for every lane.
#[inline(always)]
fn each_lane<T: Copy + Default>(value: impl Fn(usize) -> T) -> [T; LANES] {
    // `std::array::from_fn` is not inlined here, and calls for each lane cost more than the words that they move.
    let mut values = [T::default(); LANES];
    for (lane, place) in values.iter_mut().enumerate() {
        *place = value(lane);
    }
    values
}

/// Moves the elements of every lane into registers. `words` begin at the word of the lowest address.
#[inline(always)]
fn load_elements<W: Word>(
    registers: &mut Registers,
    targets: &[VectorRegister],
    transfer: Transfer,
    words: &[W],
    addresses: &[u64; LANES],
    spread: Spread,
    lanes: LaneMask,
) -> Option<()> {
    let base = spread.lowest & !3;
    let is_row = spread.pattern == Pattern::Row && transfer.elements == 1;
    for (element, &target) in targets.iter().enumerate() {
        let skip = element as u64 * u64::from(transfer.element_bytes);
        let index = |lane: usize| ((addresses[lane] - base + skip) / 4) as usize;
        let word = |index: usize| words.get(index).map_or(0, Word::get);
        match transfer.element_bytes {
            4 => {
                if spread.pattern == Pattern::Any
                    && lanes == LaneMask::MAX
                    && let VectorRegister::Row32(row) = target
                    && let Some(place) = registers.w32.get_mut(row as usize)
                {
                    for (lane, value) in place.iter_mut().enumerate() {
                        *value = word(index(lane));
                    }
                    continue;
                }
                let values: [u32; LANES] = match spread.pattern {
                    Pattern::Same => [word(index(0)); LANES],
                    Pattern::Row if is_row => {
                        let row: &[W; LANES] = words.first_chunk()?;
                        each_lane(|lane| row[lane].get())
                    }
                    _ => each_lane(|lane| word(index(lane))),
                };
                put_words(registers, target, &values, transfer.extension, lanes);
            }
            8 => {
                let double = |at: usize| u64::from(word(at)) | u64::from(word(at + 1)) << 32;
                let values: [u64; LANES] = match spread.pattern {
                    Pattern::Same => [double(index(0)); LANES],
                    Pattern::Row if is_row => {
                        let row: &[[W; 2]; LANES] = words.as_chunks().0.first_chunk()?;
                        each_lane(|lane| u64::from(row[lane][0].get()) | u64::from(row[lane][1].get()) << 32)
                    }
                    _ => each_lane(|lane| double(index(lane))),
                };
                put_doubles(registers, target, &values, lanes);
            }
            narrow => {
                let mask = (1 << (8 * narrow)) - 1;
                let part =
                    |lane: usize| word(index(lane)) >> (8 * ((addresses[lane] + skip) as u32 & 3)) & mask;
                let values: [u32; LANES] = match spread.pattern {
                    Pattern::Same => [part(0); LANES],
                    _ => each_lane(part),
                };
                put_narrow(registers, target, &values, transfer, lanes);
            }
        }
    }
    Some(())
}

/// The same from local memory, where a word of all lanes is one row.
#[inline(never)]
fn load_local(
    registers: &mut Registers,
    targets: &[VectorRegister],
    transfer: Transfer,
    words: &[u32],
    addresses: &[u64; LANES],
    spread: Spread,
    lanes: LaneMask,
) -> Option<()> {
    let rows: &[[u32; LANES]] = words.as_chunks().0;
    let bytes = u64::from(transfer.element_bytes) * u64::from(transfer.elements);
    rows.get(..spread.words_end(bytes))?;
    let element_bytes = u64::from(transfer.element_bytes);
    for (element, &target) in targets.iter().enumerate() {
        let skip = element as u64 * element_bytes;
        let row = |step: usize| -> [u32; LANES] {
            let at = |lane: usize| ((addresses[lane] + skip) / 4) as usize + step;
            match spread.pattern {
                Pattern::Same => rows.get(at(0)).copied().unwrap_or([0; LANES]),
                _ => each_lane(|lane| rows.get(at(lane)).map_or(0, |row| row[lane])),
            }
        };
        match element_bytes {
            4 => put_words(registers, target, &row(0), transfer.extension, lanes),
            8 => {
                let (low, high) = (row(0), row(1));
                let values = each_lane(|lane| u64::from(low[lane]) | u64::from(high[lane]) << 32);
                put_doubles(registers, target, &values, lanes);
            }
            narrow => {
                let mask = (1 << (8 * narrow)) - 1;
                let word = row(0);
                let values =
                    each_lane(|lane| word[lane] >> (8 * ((addresses[lane] + skip) as u32 & 3)) & mask);
                put_narrow(registers, target, &values, transfer, lanes);
            }
        }
    }
    Some(())
}

#[inline(always)]
fn put_words(
    registers: &mut Registers,
    target: VectorRegister,
    values: &[u32; LANES],
    extension: Extension,
    lanes: LaneMask,
) {
    match target {
        VectorRegister::Row32(row) => registers.set32(row, values, lanes),
        VectorRegister::Row64(row) => {
            let wide = match extension {
                Extension::Zero => values.map(u64::from),
                Extension::Sign(_) => values.map(|value| i64::from(value as i32) as u64),
            };
            registers.set64(row, &wide, lanes);
        }
        VectorRegister::Sink => {}
    }
}

#[inline(always)]
fn put_doubles(registers: &mut Registers, target: VectorRegister, values: &[u64; LANES], lanes: LaneMask) {
    match target {
        VectorRegister::Row32(row) => registers.set32(row, &values.map(|value| value as u32), lanes),
        VectorRegister::Row64(row) => registers.set64(row, values, lanes),
        VectorRegister::Sink => {}
    }
}

/// Bytes and halves, which are zero above their width in `values`.
#[inline(always)]
fn put_narrow(
    registers: &mut Registers,
    target: VectorRegister,
    values: &[u32; LANES],
    transfer: Transfer,
    lanes: LaneMask,
) {
    let Extension::Sign(register_bits) = transfer.extension else {
        put_words(registers, target, values, Extension::Zero, lanes);
        return;
    };
    let shift = 32 - 8 * u32::from(transfer.element_bytes);
    let signed = values.map(|value| ((value << shift) as i32 >> shift) as u32);
    match target {
        VectorRegister::Row32(_) if register_bits == 16 => {
            put_words(registers, target, &signed.map(|value| value & 0xffff), Extension::Zero, lanes);
        }
        _ => put_words(registers, target, &signed, transfer.extension, lanes),
    }
}

#[inline(always)]
fn row32<'r>(registers: &'r Registers, source: &VectorRegister) -> Option<&'r [u32; LANES]> {
    match source {
        VectorRegister::Row32(row) => Some(registers.row32(*row)),
        VectorRegister::Row64(_) | VectorRegister::Sink => None,
    }
}

/// What every lane stores, in words: the first, and the second where elements have 8 bytes.
#[inline(always)]
fn source_words(registers: &Registers, source: VectorRegister, lane: usize) -> (u32, u32) {
    let of_row = |row: Row| registers.row64(row)[lane];
    match source {
        VectorRegister::Row32(row) => (registers.row32(row)[lane], 0),
        VectorRegister::Row64(row) => (of_row(row) as u32, (of_row(row) >> 32) as u32),
        VectorRegister::Sink => (0, 0),
    }
}

/// Gives `put` the number of each word, counted from that of the lowest address, and its value, from the lowest lane to the
/// highest.
#[inline(always)]
fn store_elements(
    registers: &Registers,
    sources: &[VectorRegister],
    transfer: Transfer,
    addresses: &[u64; LANES],
    spread: Spread,
    lanes: LaneMask,
    mut put: impl FnMut(usize, u32) -> Option<()>,
) -> Option<()> {
    let is_row = spread.pattern == Pattern::Row && transfer.elements == 1;
    for (element, &source) in sources.iter().enumerate() {
        let skip = element as u64 * u64::from(transfer.element_bytes);
        let index = |lane: usize| ((addresses[lane] - spread.lowest + skip) / 4) as usize;
        match (transfer.element_bytes, source) {
            (4, VectorRegister::Row32(row)) if is_row => {
                let values = registers.row32(row);
                (0..LANES).try_for_each(|lane| put(lane, values[lane]))?;
            }
            (4, VectorRegister::Row32(row)) => {
                let values = registers.row32(row);
                lanes_of(lanes).try_for_each(|lane| put(index(lane), values[lane]))?;
            }
            (bytes, source) => {
                for lane in lanes_of(lanes) {
                    let (low, high) = source_words(registers, source, lane);
                    put(index(lane), low)?;
                    if bytes == 8 {
                        put(index(lane) + 1, high)?;
                    }
                }
            }
        }
    }
    Some(())
}

/// The same to local memory.
#[inline(never)]
fn store_local(
    registers: &Registers,
    sources: &[VectorRegister],
    transfer: Transfer,
    words: &mut [u32],
    addresses: &[u64; LANES],
    spread: Spread,
    lanes: LaneMask,
) -> Option<()> {
    let rows: &mut [[u32; LANES]] = words.as_chunks_mut().0;
    let bytes = u64::from(transfer.element_bytes) * u64::from(transfer.elements);
    rows.get(..spread.words_end(bytes))?;
    for (element, &source) in sources.iter().enumerate() {
        let skip = element as u64 * u64::from(transfer.element_bytes);
        for lane in lanes_of(lanes) {
            let at = ((addresses[lane] + skip) / 4) as usize;
            let (low, high) = source_words(registers, source, lane);
            rows.get_mut(at)?[lane] = low;
            if transfer.element_bytes == 8 {
                rows.get_mut(at + 1)?[lane] = high;
            }
        }
    }
    Some(())
}
