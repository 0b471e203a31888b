//! The decoder: one table row for the first four bits of a code says all there is to do.

use super::dictionary::{Entries, INDEX_BITS};
use super::{Options, Pattern};
use crate::bits::BitReader;
use crate::block::exact_mut;
use crate::error::DecodeError;

/// What to do for a code. All rows are handled alike, because a branch on the pattern would be mispredicted.
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
struct Rule {
    /// The bits of the word that come from the dictionary.
    kept_mask: u32,
    /// The bits of the word that come from the code.
    new_mask: u32,
    total_bits: u8,
    /// Brings the index from the left of a window to the right.
    index_shift: u8,
    /// The index must be less than the number of entries and this: no index is too high where none is used, and every
    /// one where the code is reserved.
    index_slack: i8,
    /// 1 if the word enters the dictionary, 0 if not.
    pushes: u8,
}

type Rules = [Rule; 16];

/// The rules by the first four bits of a code: for words of partial matches that do not enter the dictionary, and that
/// do.
const RULES: [Rules; 2] = [rules(false), rules(true)];

const fn rules(pushes_partial: bool) -> Rules {
    let mut rules = [Rule::of(Pattern::Reserved, false); 16];
    let mut four = 0;
    while four < rules.len() {
        rules[four] = Rule::of(Pattern::from_four_bits(four), pushes_partial);
        four += 1;
    }
    rules
}

impl Rule {
    const fn of(pattern: Pattern, pushes_partial: bool) -> Self {
        let row = pattern.row();
        let options = Options { pushes_partial, has_zero_flag: false };
        Self {
            kept_mask: row.kept_mask,
            new_mask: if row.new_bits == 0 { 0 } else { u32::MAX >> (u32::BITS - row.new_bits) },
            total_bits: row.total_bits as u8,
            index_shift: (u64::BITS - row.code_bits - INDEX_BITS) as u8,
            index_slack: match pattern {
                Pattern::Reserved => i8::MIN,
                _ if row.index_bits == 0 => 1 << INDEX_BITS,
                _ => 0,
            },
            pushes: (options.pushed_patterns() >> pattern as u32 & 1) as u8,
        }
    }
}

#[inline(always)]
pub(super) fn decompress<const BYTES: usize>(
    options: Options,
    bits: &mut BitReader<'_>,
    block: &mut [u8],
) -> Result<(), DecodeError> {
    const MISS_BITS: usize = Pattern::Xxxx.row().total_bits as usize;
    let block: &mut [u8; BYTES] = exact_mut(block);
    if options.has_zero_flag && bits.take(1)? == 1 {
        block.fill(0);
        return bits.finish();
    }
    let rules = &RULES[usize::from(options.pushes_partial)];
    let mut entries = Entries::new();
    let mut position = 0;
    let mut window = bits.peek64();
    let mut is_fresh = true;
    for target in block.as_chunks_mut().0 {
        if window >> 62 == Pattern::Xxxx.row().code.into() {
            // Misses come in flocks: a branch lets the CPU run ahead where a length would make it wait.
            let word = (bits.peek64_after(position) >> (64 - MISS_BITS)) as u32;
            entries.push(1, word);
            *target = word.to_le_bytes();
            position += MISS_BITS;
            window = bits.peek64_after(position);
            is_fresh = true;
            continue;
        }
        let four = (window >> 60) as usize;
        let rule = &rules[four];
        let index = (window >> rule.index_shift) as usize % (1 << INDEX_BITS);
        if index as i32 >= entries.pushes() + i32::from(rule.index_slack) {
            return Err(invalid(bits, position, Pattern::from_four_bits(four)));
        }
        let new = (window >> (64 - u32::from(rule.total_bits))) as u32 & rule.new_mask;
        let word = entries.word(index) & rule.kept_mask | new;
        entries.push(u32::from(rule.pushes), word);
        *target = word.to_le_bytes();
        position += usize::from(rule.total_bits);
        // A peek holds two of these codes; the second needs no load.
        window = if is_fresh { window << rule.total_bits } else { bits.peek64_after(position) };
        is_fresh = !is_fresh;
    }
    bits.skip(position as u32)?;
    bits.finish()
}

/// Why the code at `position` is wrong; that it is cut off, if it is, comes first.
#[cold]
fn invalid(bits: &BitReader<'_>, position: usize, pattern: Pattern) -> DecodeError {
    let what = match pattern {
        Pattern::Reserved => "reserved code 1111",
        _ => "index of an empty dictionary entry",
    };
    let at_bit = bits.position() + position;
    match bits.clone().skip(position as u32 + pattern.row().total_bits) {
        Err(truncated) => truncated,
        Ok(()) => BitReader::invalid(at_bit, what),
    }
}
