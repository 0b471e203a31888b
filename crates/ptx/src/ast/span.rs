//! Where in the source text something is.

/// A byte range of the source, with the line and column of its first byte (both from 1; columns count bytes).
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// Line of `start`, from 1.
    pub line: u32,
    /// Column of `start` in bytes, from 1.
    pub column: u32,
}

impl Span {
    /// From the start of `self` to the end of `last`.
    pub fn to(self, last: Span) -> Span {
        Span { end: last.end.max(self.end), ..self }
    }

    /// The text this span covers; empty when the span is not from `source`.
    pub fn text(self, source: &str) -> &str {
        source.get(self.start as usize..self.end as usize).unwrap_or("")
    }
}

impl std::fmt::Debug for Span {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}
