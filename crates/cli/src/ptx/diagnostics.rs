//! Mistakes in a PTX file, with the source line under each.
#![expect(clippy::print_stderr, reason = "mistakes go to standard error, beside the summaries of good files")]

use std::io::IsTerminal;
use std::path::Path;

use ariadne::{Color, Config, IndexType, Label, Report, ReportKind, Source};
use serde_json::{Value, json};
use shrinkwarp_ptx::Diagnostic;

/// A line longer than this is not shown: nobody reads it, and a file of one line would be printed whole.
const LONGEST_SHOWN_LINE_BYTES: usize = 400;

/// Prints mistakes to standard error, coloured on a terminal.
pub fn print(path: &Path, source: &str, found: &[Diagnostic]) {
    let has_colour = std::io::stderr().is_terminal();
    eprint!("{}", render(path, source, found, has_colour));
}

/// The mistakes as text.
pub fn render(path: &Path, source: &str, found: &[Diagnostic], has_colour: bool) -> String {
    let name = path.display().to_string();
    let lines = Source::from(source);
    let mut text = Vec::new();
    for diagnostic in found {
        if line_bytes(source, diagnostic) > LONGEST_SHOWN_LINE_BYTES {
            text.extend(format!("{name}:{diagnostic}\n").into_bytes());
            continue;
        }
        let range = diagnostic.span.start as usize..diagnostic.span.end as usize;
        let config = Config::default().with_color(has_colour).with_index_type(IndexType::Byte);
        let mut report = Report::build(ReportKind::Error, (name.as_str(), range.clone()))
            .with_config(config)
            .with_message(&diagnostic.message)
            .with_label(Label::new((name.as_str(), range)).with_message("here").with_color(Color::Red));
        if let Some(hint) = &diagnostic.hint {
            report.set_help(hint);
        }
        // Writing to memory cannot fail.
        let _ = report.finish().write((name.as_str(), &lines), &mut text);
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// The mistakes as JSON.
pub fn json(path: &Path, found: &[Diagnostic]) -> Value {
    let mistakes: Vec<Value> = found
        .iter()
        .map(|diagnostic| {
            json!({
                "line": diagnostic.span.line,
                "column": diagnostic.span.column,
                "start_byte": diagnostic.span.start,
                "end_byte": diagnostic.span.end,
                "message": diagnostic.message,
                "hint": diagnostic.hint,
            })
        })
        .collect();
    json!({ "file": path.display().to_string(), "is_valid": false, "mistakes": mistakes })
}

/// Length of the line a mistake is in.
fn line_bytes(source: &str, diagnostic: &Diagnostic) -> usize {
    let start = diagnostic.span.start as usize;
    let after = source.as_bytes().get(start..).unwrap_or(&[]);
    let rest = after.iter().take(LONGEST_SHOWN_LINE_BYTES + 1).take_while(|byte| **byte != b'\n').count();
    diagnostic.span.column as usize - 1 + rest
}
