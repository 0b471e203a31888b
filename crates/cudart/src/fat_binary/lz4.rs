//! LZ4 blocks, as the LZ4 block format describes them.
//!
//! A block is a row of sequences. Each is a token, literals, and a match in what is already there; the last one has
//! no match.
//!
//! | part             | bytes                                                                              |
//! |------------------|------------------------------------------------------------------------------------|
//! | token            | 1: length of the literals in the upper four bits, of the match minus 4 in the lower |
//! | more literals    | while a length is 15 or its last byte is 255: one more byte to add                 |
//! | literals         | their length                                                                       |
//! | match offset     | 2: from the end of what is there backwards, never 0                                |
//! | more match       | as for the literals                                                                |

/// Shortest match.
const MIN_MATCH: usize = 4;
/// A length in the token that continues in further bytes.
const CONTINUED: usize = 15;

/// Expands a block to at most `limit_bytes`.
pub(super) fn decompress(block: &[u8], limit_bytes: usize) -> Result<Vec<u8>, &'static str> {
    let mut input = Input { rest: block };
    let mut out = Vec::new();
    while !input.rest.is_empty() {
        let token = usize::from(input.byte()?);
        let literals = input.length(token >> 4)?;
        let literals = input.take(literals)?;
        if out.len() + literals.len() > limit_bytes {
            return Err("it expands to more bytes than its header says");
        }
        out.extend_from_slice(literals);
        if input.rest.is_empty() {
            break;
        }
        let offset = usize::from(input.byte()?) | usize::from(input.byte()?) << 8;
        let length = input.length(token & 15)? + MIN_MATCH;
        if out.len() + length > limit_bytes {
            return Err("it expands to more bytes than its header says");
        }
        copy_match(&mut out, offset, length)?;
    }
    Ok(out)
}

/// A match may reach into itself: the bytes are copied one after the other.
fn copy_match(out: &mut Vec<u8>, offset: usize, length: usize) -> Result<(), &'static str> {
    let start = out.len().checked_sub(offset).filter(|_| offset > 0).ok_or("a match before the beginning")?;
    for from in start..start + length {
        out.push(out[from]);
    }
    Ok(())
}

struct Input<'a> {
    rest: &'a [u8],
}

impl<'a> Input<'a> {
    fn byte(&mut self) -> Result<u8, &'static str> {
        self.take(1).map(|bytes| bytes[0])
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], &'static str> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or("the block is truncated")?;
        self.rest = rest;
        Ok(taken)
    }

    fn length(&mut self, start: usize) -> Result<usize, &'static str> {
        let mut length = start;
        if start == CONTINUED {
            loop {
                let more = self.byte()?;
                length += usize::from(more);
                if more != u8::MAX {
                    break;
                }
            }
        }
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_a_match_that_reaches_into_itself() {
        // "ab", then ten bytes from two bytes before, then the literal "!".
        let block = [0x26, b'a', b'b', 2, 0, 0x10, b'!'];
        assert_eq!(decompress(&block, 13).unwrap(), b"abababababab!");
        assert_eq!(decompress(&block, 12), Err("it expands to more bytes than its header says"));
    }

    #[test]
    fn long_lengths_continue_in_further_bytes() {
        let mut block = vec![0xf0, 255, 5];
        block.extend([7; 275]);
        assert_eq!(decompress(&block, 1000).unwrap(), [7; 275]);
    }

    #[test]
    fn what_is_not_there_cannot_be_copied() {
        assert_eq!(decompress(&[0x10, b'a', 2, 0], 100), Err("a match before the beginning"));
        assert_eq!(decompress(&[0x10, b'a', 0, 0], 100), Err("a match before the beginning"));
        assert_eq!(decompress(&[0x20, b'a'], 100), Err("the block is truncated"));
    }
}
