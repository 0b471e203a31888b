//! Bytes to tokens. A token is a kind and a [`Span`]; text is never copied.
//!
//! One [`TokenKind::Word`] is everything that sticks together: `ld.global.v4.f32`, `.maxntid`, `%tid.x`,
//! `L1::evict_last`. A single colon ends a word, so `label:` is two tokens. A directive ends at the next dot, so `.reg.b16` is
//! two tokens as well: NVIDIA's headers write both without a space.

use crate::ast::Span;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name, a directive or a dotted mnemonic.
    Word,
    /// A literal that starts with a digit.
    Number,
    /// `"…"`, quotes included.
    Text,
    /// One character of punctuation.
    Punctuation(u8),
    /// `<<`, `>>`, `<=`, `>=`, `==`, `!=`, `&&` or `||`, as its two bytes.
    Operator(u8, u8),
    /// The end of the source.
    End,
    /// A byte that no token starts with, or a string without an end.
    Unknown,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it is.
    pub span: Span,
}

/// Reads tokens from a source of less than 4 GiB.
#[derive(Clone, Debug)]
pub struct Scanner<'src> {
    bytes: &'src [u8],
    at: usize,
    line: u32,
    line_start: usize,
}

impl<'src> Scanner<'src> {
    /// A scanner at the first byte.
    pub fn new(source: &'src str) -> Scanner<'src> {
        Scanner { bytes: source.as_bytes(), at: 0, line: 1, line_start: 0 }
    }

    /// The next token; [`TokenKind::End`] for ever after the last.
    pub fn next_token(&mut self) -> Token {
        self.skip_blank();
        let start = self.at;
        let (line, column) = (self.line, (start - self.line_start) as u32 + 1);
        let kind = self.scan();
        Token { kind, span: Span { start: start as u32, end: self.at as u32, line, column } }
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Whitespace, both kinds of comment, `#` lines of a preprocessor and old-style `@@DWARF` lines.
    fn skip_blank(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => {
                    self.at += 1;
                    self.line += 1;
                    self.line_start = self.at;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
                b'/' if self.byte(1) == b'/' => self.skip_line(),
                b'/' if self.byte(1) == b'*' => self.skip_block_comment(),
                b'#' => self.skip_line(),
                b'@' if self.bytes[self.at..].starts_with(b"@@DWARF") => self.skip_line(),
                _ => return,
            }
        }
    }

    fn skip_line(&mut self) {
        while self.at < self.bytes.len() && self.bytes[self.at] != b'\n' {
            self.at += 1;
        }
    }

    /// An unfinished comment runs to the end of the source.
    fn skip_block_comment(&mut self) {
        self.at += 2;
        while self.at < self.bytes.len() {
            if self.byte(0) == b'*' && self.byte(1) == b'/' {
                self.at += 2;
                return;
            }
            if self.byte(0) == b'\n' {
                self.line += 1;
                self.line_start = self.at + 1;
            }
            self.at += 1;
        }
    }

    fn scan(&mut self) -> TokenKind {
        let Some(&byte) = self.bytes.get(self.at) else { return TokenKind::End };
        match byte {
            b'0'..=b'9' => self.number(),
            b'.' if self.byte(1).is_ascii_digit() => self.number(),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | b'.' => self.word(),
            b'%' if is_word_byte(self.byte(1)) => self.word(),
            b'"' => self.text(),
            b'<' | b'>' | b'=' | b'!' | b'&' | b'|' => self.operator(byte),
            b'(' | b')' | b'[' | b']' | b'{' | b'}' | b',' | b';' | b':' | b'@' | b'+' | b'-' | b'*'
            | b'/' | b'%' | b'^' | b'~' | b'?' => {
                self.at += 1;
                TokenKind::Punctuation(byte)
            }
            _ => self.unknown(),
        }
    }

    fn word(&mut self) -> TokenKind {
        let is_directive = self.byte(0) == b'.';
        self.at += 1;
        loop {
            let byte = self.byte(0);
            if is_word_byte(byte) || byte == b'.' && !is_directive {
                self.at += 1;
            } else if byte == b':' && self.byte(1) == b':' {
                self.at += 2;
            } else {
                return TokenKind::Word;
            }
        }
    }

    /// A sign belongs to a decimal literal after its exponent letter: `1e-5`, but not `0x1e-5`.
    fn number(&mut self) -> TokenKind {
        let is_prefixed =
            self.byte(0) == b'0' && self.byte(1).is_ascii_alphabetic() && self.byte(1) | 32 != b'e';
        loop {
            let byte = self.byte(0);
            let is_exponent = byte | 32 == b'e' && !is_prefixed;
            if is_exponent && matches!(self.byte(1), b'+' | b'-') && self.byte(2).is_ascii_digit() {
                self.at += 2;
            } else if is_word_byte(byte) || byte == b'.' {
                self.at += 1;
            } else {
                return TokenKind::Number;
            }
        }
    }

    fn text(&mut self) -> TokenKind {
        self.at += 1;
        loop {
            match self.bytes.get(self.at) {
                None | Some(b'\n') => return TokenKind::Unknown,
                Some(b'"') => {
                    self.at += 1;
                    return TokenKind::Text;
                }
                Some(b'\\') if self.byte(1) != b'\n' && self.at + 1 < self.bytes.len() => self.at += 2,
                Some(_) => self.at += 1,
            }
        }
    }

    fn operator(&mut self, first: u8) -> TokenKind {
        let second = self.byte(1);
        let is_pair = match first {
            b'<' | b'>' => second == first || second == b'=',
            b'!' => second == b'=',
            _ => second == first,
        };
        self.at += 1 + usize::from(is_pair);
        if is_pair { TokenKind::Operator(first, second) } else { TokenKind::Punctuation(first) }
    }

    /// Takes a whole UTF-8 character, so that spans stay on character boundaries.
    fn unknown(&mut self) -> TokenKind {
        self.at += 1;
        while self.byte(0) & 0xc0 == 0x80 {
            self.at += 1;
        }
        TokenKind::Unknown
    }
}

const fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<&str> {
        let mut scanner = Scanner::new(source);
        std::iter::from_fn(|| {
            let token = scanner.next_token();
            (token.kind != TokenKind::End).then(|| token.span.text(source))
        })
        .collect()
    }

    #[test]
    fn words_hold_together_and_labels_do_not() {
        assert_eq!(
            texts("$L1: ld.global.L1::evict_last.f32 %f1,[%rd2+-4];"),
            ["$L1", ":", "ld.global.L1::evict_last.f32", "%f1", ",", "[", "%rd2", "+", "-", "4", "]", ";"]
        );
        assert_eq!(texts("%p1|%p2 %r<10>"), ["%p1", "|", "%p2", "%r", "<", "10", ">"]);
    }

    #[test]
    fn directives_need_no_space_between_them() {
        assert_eq!(texts(".reg.b16 low,high;"), [".reg", ".b16", "low", ",", "high", ";"]);
    }

    #[test]
    fn comments_and_debug_lines_are_blank() {
        assert_eq!(texts("a // b\n/* c\n d */ e\n#line 3\n@@DWARF .byte 0\nf"), ["a", "e", "f"]);
    }

    #[test]
    fn numbers_take_their_exponent_but_hexadecimal_does_not() {
        assert_eq!(texts("1.5e-3 0x1e-5 0f3F800000 .5"), ["1.5e-3", "0x1e", "-", "5", "0f3F800000", ".5"]);
    }

    #[test]
    fn a_span_knows_its_line_and_column() {
        let mut scanner = Scanner::new("a\n  b");
        scanner.next_token();
        let span = scanner.next_token().span;
        assert_eq!((span.line, span.column, span.start), (2, 3, 4));
    }
}
