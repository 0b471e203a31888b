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
        failure(vec![self], path, source)
    }

    /// The mistake with its line of the source.
    pub fn render(&self, path: &Path, source: &str, has_colour: bool) -> String {
        let name = path.display().to_string();
        let config = Config::default().with_color(has_colour).with_index_type(IndexType::Byte);
        let label =
            Label::new((name.as_str(), self.span.clone())).with_message("here").with_color(Color::Red);
        let mut report = Report::build(ReportKind::Error, (name.as_str(), self.span.clone()))
            .with_config(config)
            .with_message(&self.message)
            .with_label(label);
        if let Some(help) = &self.help {
            report.set_help(help);
        }
        let mut text = Vec::new();
        // Writing to memory cannot fail.
        let _ = report.finish().write((name.as_str(), Source::from(source)), &mut text);
        String::from_utf8_lossy(&text).into_owned()
    }
}

/// All mistakes of a launch file as one failure of the command, in the order of the file.
pub fn failure(mut mistakes: Vec<Mistake>, path: &Path, source: &str) -> Failure {
    mistakes.sort_by_key(|mistake| mistake.span.start);
    let has_colour = std::io::stderr().is_terminal();
    let reports: String = mistakes.iter().map(|mistake| mistake.render(path, source, has_colour)).collect();
    let headline = match mistakes.len() {
        1 => "the launch file has a mistake".to_owned(),
        count => format!("the launch file has {count} mistakes"),
    };
    Failure::Work(format!("{headline}\n{}", reports.trim_end()))
}
