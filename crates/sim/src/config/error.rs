//! What is wrong with a configuration: the thing, the place and the way out.

use std::fmt;
use std::ops::Range;

/// A configuration that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// File name, preset name or `--set`.
    pub file: Box<str>,
    /// The text of the file, for a report that shows the place.
    pub source: Box<str>,
    /// The bytes of the text that are wrong.
    pub span: Option<Range<usize>>,
    /// The key, with its section.
    pub key: Option<Box<str>>,
    /// What is wrong.
    pub message: Box<str>,
    /// What would be right.
    pub help: Option<Box<str>>,
}

impl ConfigError {
    /// An error that concerns a file as a whole.
    pub fn in_file(file: &str, message: impl Into<Box<str>>) -> Self {
        Self {
            file: file.into(),
            source: "".into(),
            span: None,
            key: None,
            message: message.into(),
            help: None,
        }
    }

    /// The line of the place, counted from one.
    pub fn line(&self) -> Option<usize> {
        let start = self.span.as_ref()?.start;
        let before = self.source.get(..start)?;
        Some(before.matches('\n').count() + 1)
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.file)?;
        if let Some(line) = self.line() {
            write!(out, ":{line}")?;
        }
        write!(out, ": ")?;
        if let Some(key) = &self.key {
            write!(out, "{key}: ")?;
        }
        write!(out, "{}", self.message)?;
        match &self.help {
            Some(help) => write!(out, "; {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ConfigError {}
