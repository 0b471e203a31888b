//! Why a launch file was not run to its end.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use shrinkwarp_ptx::Diagnostic;
use shrinkwarp_report::excerpt::{self, Mistake};

/// What went wrong.
#[derive(Debug)]
pub enum LaunchError {
    /// Mistakes in the launch file or in the PTX, and a fault of a kernel: each at its place.
    Mistakes {
        /// All of it in one line.
        headline: String,
        /// The file.
        path: PathBuf,
        /// Its text.
        source: String,
        /// The mistakes, in the order of the file.
        found: Vec<Mistake>,
    },
    /// A file cannot be read or written, or the device refuses; the message names it.
    Work(String),
    /// What the kernels printed could not be passed on.
    Output(io::Error),
}

impl LaunchError {
    /// Mistakes in a launch file.
    pub(crate) fn in_launch_file(mut found: Vec<Mistake>, path: &Path, source: &str) -> Self {
        found.sort_by_key(|mistake| mistake.span.start);
        let headline = match found.len() {
            1 => "the launch file has a mistake".to_owned(),
            count => format!("the launch file has {count} mistakes"),
        };
        Self::Mistakes { headline, path: path.to_owned(), source: source.to_owned(), found }
    }

    /// A failure of an operation on a file.
    pub(crate) fn file(path: &Path, error: impl fmt::Display) -> Self {
        Self::Work(format!("{}: {error}", path.display()))
    }

    /// The message, with the lines of the source where there are mistakes in it.
    pub fn text(&self, has_colour: bool) -> String {
        match self {
            Self::Mistakes { headline, path, source, found } => {
                let name = path.display().to_string();
                let excerpts = excerpt::render(&name, source, found, has_colour);
                format!("{headline}\n{}", excerpts.trim_end())
            }
            Self::Work(message) => message.clone(),
            Self::Output(error) => error.to_string(),
        }
    }
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(false))
    }
}

impl std::error::Error for LaunchError {}

/// The PTX reader's diagnostics, to be shown with their lines.
pub fn ptx_mistakes(found: &[Diagnostic]) -> Vec<Mistake> {
    let mistake = |diagnostic: &Diagnostic| Mistake {
        span: diagnostic.span.start as usize..diagnostic.span.end as usize,
        message: diagnostic.message.clone(),
        help: diagnostic.hint.clone(),
    };
    found.iter().map(mistake).collect()
}
