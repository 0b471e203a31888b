//! The decoder: one table row for the first four bits of a code says all there is to do.

use super::dictionary::{Entries, INDEX_BITS};
use super::{Options, Pattern};
use crate::bits::{BitReader, Cursor, Spare};
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
    /// Brings the index from the left of a window to the right.
    index_shift: u8,
    /// The same for the new bits.
    new_shift: u8,
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

/// Half the length of each code but a miss, by its first four bits, four bits each: as a number, because the next code
/// waits for it, and a shift is faster than a load. All lengths are even.
const HALF_BITS: u64 = {
    let (mut packed, mut four) = (0, 0);
    while four < 16 {
        let total_bits = Pattern::from_four_bits(four).row().total_bits;
        if total_bits < 32 {
            packed |= (total_bits as u64 / 2) << (4 * four);
        }
        four += 1;
    }
    packed
};

impl Rule {
    const fn of(pattern: Pattern, pushes_partial: bool) -> Self {
        let row = pattern.row();
        let options = Options { pushes_partial, has_zero_flag: false };
        Self {
            kept_mask: row.kept_mask,
            new_mask: if row.new_bits == 0 { 0 } else { u32::MAX >> (u32::BITS - row.new_bits) },
            index_shift: (u64::BITS - row.code_bits - INDEX_BITS) as u8,
            new_shift: (u64::BITS - row.total_bits) as u8,
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
    let block: &mut [u8; BYTES] = exact_mut(block);
    if options.has_zero_flag && bits.take(1)? == 1 {
        block.fill(0);
        return bits.finish();
    }
    let rules = &RULES[usize::from(options.pushes_partial)];
    let mut spare = Spare::new();
    let mut cursor = Cursor::new(bits.ahead(&mut spare));
    let mut entries = Entries::new();
    for [first, second] in block.as_chunks_mut::<4>().0.as_chunks_mut().0 {
        // A window holds two codes, unless one is a miss. Misses come in flocks: a branch is predicted well.
        let is_miss = is_miss(&cursor);
        *first =
            take_word(rules, &mut cursor, &mut entries).map_err(|pattern| invalid(bits, &cursor, pattern))?;
        if is_miss || self::is_miss(&cursor) {
            cursor.refill();
        }
        *second =
            take_word(rules, &mut cursor, &mut entries).map_err(|pattern| invalid(bits, &cursor, pattern))?;
        cursor.refill();
    }
    let position = cursor.position();
    bits.skip(position as u32)?;
    bits.finish()
}

#[inline(always)]
fn is_miss(cursor: &Cursor<'_>) -> bool {
    cursor.window() >> 62 == Pattern::Xxxx.row().code.into()
}

/// The next word, whose code is held; its pattern, not yet dropped, if that is wrong.
#[inline(always)]
fn take_word(rules: &Rules, cursor: &mut Cursor<'_>, entries: &mut Entries) -> Result<[u8; 4], Pattern> {
    let bits = cursor.window();
    if is_miss(cursor) {
        let word = (bits >> 30) as u32;
        entries.push(1, word);
        cursor.consume(Pattern::Xxxx.row().total_bits);
        return Ok(word.to_le_bytes());
    }
    let four = (bits >> 60) as usize;
    let rule = &rules[four];
    let index = (bits >> (rule.index_shift % 64)) as usize % (1 << INDEX_BITS);
    if index as i32 >= entries.pushes() + i32::from(rule.index_slack) {
        return Err(Pattern::from_four_bits(four));
    }
    let new = (bits >> (rule.new_shift % 64)) as u32 & rule.new_mask;
    let word = entries.word(index) & rule.kept_mask | new;
    entries.push(rule.pushes.into(), word);
    cursor.consume(2 * (HALF_BITS >> (bits >> 58 & 0x3c) & 0xf) as u32);
    Ok(word.to_le_bytes())
}

/// Why the code that the window begins with is wrong; that it is cut off, if it is, comes first.
#[cold]
fn invalid(bits: &BitReader<'_>, cursor: &Cursor<'_>, pattern: Pattern) -> DecodeError {
    let position = cursor.position();
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
