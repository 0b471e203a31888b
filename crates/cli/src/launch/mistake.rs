//! A mistake in a launch file, shown with the line it is in.

use std::io::IsTerminal;
use std::ops::Range;
use std::path::Path;

use ariadne::{Color, Config, IndexType, Label, Report, ReportKind, Source};

use crate::failure::Failure;

/// Where, what, and the way out.
#[derive(Debug)]
pub struct Mistake {
    span: Range<usize>,
    message: String,
    help: Option<String>,
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

    /// As a failure of the command, with the source line.
    pub fn into_failure(self, path: &Path, source: &str) -> Failure {
        let name = path.display().to_string();
        let has_colour = std::io::stderr().is_terminal();
        let config = Config::default().with_color(has_colour).with_index_type(IndexType::Byte);
        let mut report = Report::build(ReportKind::Error, (name.as_str(), self.span.clone()))
            .with_config(config)
            .with_message(&self.message)
            .with_label(Label::new((name.as_str(), self.span)).with_message("here").with_color(Color::Red));
        if let Some(help) = &self.help {
            report.set_help(help);
        }
        let mut text = Vec::new();
        // Writing to memory cannot fail.
        let _ = report.finish().write((name.as_str(), Source::from(source)), &mut text);
        Failure::Work(format!("the launch file has a mistake\n{}", String::from_utf8_lossy(&text).trim_end()))
    }
}
