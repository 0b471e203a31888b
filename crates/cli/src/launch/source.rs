//! A text file that mistakes point into.

use std::ops::Range;
use std::path::{Path, PathBuf};

use shrinkwarp_ptx::Diagnostic;
use shrinkwarp_ptx::ast::Span;

use crate::failure::Failure;
use crate::ptx::diagnostics;

/// A file and its text.
#[derive(Clone, Debug)]
pub(super) struct SourceFile {
    pub path: PathBuf,
    pub text: String,
}

impl SourceFile {
    /// Reads a file that must be text; `kind` says what is expected, as in "a PTX file".
    pub fn read(path: &Path, kind: &str) -> Result<Self, Failure> {
        let bytes = std::fs::read(path).map_err(|error| Failure::file(path, error))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let at_byte = error.utf8_error().valid_up_to();
            Failure::file(path, format!("byte {at_byte} is not UTF-8 text; is this {kind}?"))
        })?;
        Ok(Self { path: path.to_owned(), text })
    }

    /// A mistake at a range of bytes.
    pub fn mistake(&self, at: Range<usize>, message: impl Into<String>) -> Diagnostic {
        let start = self.text.floor_char_boundary(at.start);
        let before = &self.text[..start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let span = Span {
            start: start as u32,
            end: at.end.max(start) as u32,
            line: before.matches('\n').count() as u32 + 1,
            column: (start - line_start) as u32 + 1,
        };
        Diagnostic::new(span, message)
    }

    /// A mistake somewhere on a line, counted from 1.
    pub fn mistake_on_line(&self, line: u32, message: impl Into<String>) -> Diagnostic {
        let mut start = 0;
        for (index, text) in self.text.split_inclusive('\n').enumerate() {
            if index as u32 + 1 == line {
                let indent = text.len() - text.trim_start().len();
                return self.mistake(start + indent..start + text.trim_end().len(), message);
            }
            start += text.len();
        }
        self.mistake(self.text.len()..self.text.len(), message)
    }

    /// Shows mistakes with their lines on standard error; `what` is the short end of the story.
    pub fn refuse(&self, found: &[Diagnostic], what: &str) -> Failure {
        diagnostics::print(&self.path, &self.text, found);
        Failure::Work(format!("{}: {what}", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> SourceFile {
        SourceFile { path: PathBuf::from("a.toml"), text: "one\n  two\nthree".to_owned() }
    }

    #[test]
    fn lines_and_columns_count_from_one() {
        let span = file().mistake(6..9, "").span;
        assert_eq!((span.line, span.column, span.start, span.end), (2, 3, 6, 9));
    }

    #[test]
    fn a_line_is_marked_without_its_indent() {
        let span = file().mistake_on_line(2, "").span;
        assert_eq!((span.line, span.column, span.start, span.end), (2, 3, 6, 9));
        assert_eq!(file().mistake_on_line(9, "").span.line, 3);
    }
}
