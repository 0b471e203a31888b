//! Mistakes in a text file, each with its line of the source.

use std::ops::Range;

use crate::text::printable;
use ariadne::{Color, Config, IndexType, Label, Report, ReportKind, Source};

/// A line longer than this is not shown: a file of one line would be printed whole.
const LONGEST_SHOWN_LINE_BYTES: usize = 400;

/// Where in a text, what is wrong, and the way out.
#[derive(Clone, Debug)]
pub struct Mistake {
    /// The bytes of the text that are wrong.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do about it, where that is known.
    pub help: Option<String>,
}

impl Mistake {
    /// A mistake without advice.
    pub fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), help: None }
    }

    /// The same with advice.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// A mistake on a line, counted from 1: all of it but the indentation. The end of the text if it has fewer lines.
    pub fn on_line(source: &str, line: u32, message: impl Into<String>) -> Self {
        let mut start = 0;
        for (index, text) in source.split_inclusive('\n').enumerate() {
            if index as u32 + 1 == line {
                let indent = text.len() - text.trim_start().len();
                return Self::new(start + indent..start + text.trim_end().len(), message);
            }
            start += text.len();
        }
        Self::new(source.len()..source.len(), message)
    }
}

/// Mistakes of one text, in the order given. `name` is the file's; colours are for terminals.
pub fn render(name: &str, source: &str, mistakes: &[Mistake], has_colour: bool) -> String {
    let (name, source) = (&*printable(name), masked(source));
    let lines = Source::from(source.as_str());
    let mut text = Vec::new();
    for mistake in mistakes {
        let (line, column, line_bytes) = position(&source, mistake.span.start);
        let message = printable(&mistake.message);
        if line_bytes > LONGEST_SHOWN_LINE_BYTES {
            let help = mistake.help.as_ref().map_or(String::new(), |help| format!(" ({help})"));
            text.extend(format!("{name}:{line}:{column}: {message}{help}\n").into_bytes());
            continue;
        }
        let span = mistake.span.clone();
        let config = Config::default().with_color(has_colour).with_index_type(IndexType::Byte);
        let mut report = Report::build(ReportKind::Error, (name, span.clone()))
            .with_config(config)
            .with_message(&message)
            .with_label(Label::new((name, span)).with_message("here").with_color(Color::Red));
        if let Some(help) = &mistake.help {
            report.set_help(printable(help));
        }
        // Writing to memory cannot fail.
        let _ = report.finish().write((name, &lines), &mut text);
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// The place of one mistake, its message at the mark: for an error that was told before.
pub fn place(name: &str, source: &str, span: Range<usize>, message: &str) -> String {
    let (name, source, message) = (&*printable(name), masked(source), printable(message));
    let config = Config::default().with_color(false).with_index_type(IndexType::Byte);
    let label = Label::new((name, span.clone())).with_message(message);
    let report =
        Report::build(ReportKind::Error, (name, span)).with_config(config).with_label(label).finish();
    let mut text = Vec::new();
    // Writing to memory cannot fail.
    let _ = report.write((name, Source::from(source)), &mut text);
    let text = String::from_utf8_lossy(&text).into_owned();
    // The first line has the kind of the report and no message.
    text.split_once('\n').map_or(String::new(), |(_, below)| below.to_owned())
}

/// The text with a mark in place of each control character, so that none reaches a terminal; every byte keeps its place.
fn masked(source: &str) -> String {
    let mask = |c: char| match c {
        '\n' | '\t' | '\r' => c,
        c if c.is_control() && c.len_utf8() == 1 => '?',
        c if c.is_control() => '¿',
        c => c,
    };
    source.chars().map(mask).collect()
}

/// Line and column of a byte, both from 1, and the length of its line.
fn position(source: &str, at: usize) -> (usize, usize, usize) {
    let at = source.floor_char_boundary(at);
    let (before, after) = source.split_at(at);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let rest = after.find('\n').unwrap_or(after.len());
    (before.matches('\n').count() + 1, at - line_start + 1, at - line_start + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "one\n  two\nthree";

    #[test]
    fn a_line_is_marked_without_its_indent() {
        assert_eq!(Mistake::on_line(SOURCE, 2, "").span, 6..9);
        assert_eq!(Mistake::on_line(SOURCE, 9, "").span, 15..15);
    }

    #[test]
    fn lines_and_columns_count_from_one() {
        assert_eq!(position(SOURCE, 6), (2, 3, 5));
        assert_eq!(position(SOURCE, 99), (3, 6, 5));
    }

    #[test]
    fn escapes_in_the_file_are_not_printed() {
        let source = "a = \"\u{1b}[2J\u{9b}\"\nb";
        let text = render("\u{1b}x", source, &[Mistake::new(13..14, "\u{1b}[1m")], false);
        assert!(!text.contains(['\u{1b}', '\u{9b}']), "{text:?}");
        assert_eq!(masked(source).len(), source.len());
    }

    #[test]
    fn the_line_is_shown_unless_it_is_very_long() {
        let mistake = Mistake::new(6..9, "not a number").with_help("write 2");
        let text = render("a.toml", SOURCE, std::slice::from_ref(&mistake), false);
        for part in ["not a number", "a.toml:2:3", "  two", "Help: write 2"] {
            assert!(text.contains(part), "no {part:?} in:\n{text}");
        }
        let long = SOURCE.replace("two", &"two ".repeat(200));
        let text = render("a.toml", &long, &[mistake], false);
        assert_eq!(text, "a.toml:2:3: not a number (write 2)\n");
    }
}
