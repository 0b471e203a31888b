//! What the `shrinkwarp` command is made of: one file per subcommand in `commands`; progress and printing beside them.

mod arguments;
mod commands;
mod failure;
mod files;
pub mod http;
mod keeping;
mod progress;
mod run;

pub use commands::Cli;
pub use failure::Failure;

use std::ffi::OsString;

use clap::Parser;

/// Runs the command with these arguments, its own name first, and gives its exit code. What there is to say is on
/// standard output and standard error.
pub fn main_with(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and the version are errors for clap, too; a reader that has gone away is none.
            if error.use_stderr() {
                let _ = std::io::Write::write_all(&mut std::io::stderr(), plain_words(&error).as_bytes());
            } else {
                let _ = error.print();
            }
            return u8::try_from(error.exit_code()).unwrap_or(1);
        }
    };
    match cli.run() {
        // A reader of our output that has seen enough (`| head`) is not a failure.
        Ok(()) | Err(Failure::OutputClosed) => 0,
        Err(failure) => {
            failure.report();
            failure.exit_code()
        }
    }
}

/// What clap says, without the words in which Rust speaks of numbers. Colours only where a terminal shows them.
fn plain_words(error: &clap::Error) -> String {
    let rendered = error.render();
    let shows_colours =
        std::io::IsTerminal::is_terminal(&std::io::stderr()) && std::env::var_os("NO_COLOR").is_none();
    let text = if shows_colours { rendered.ansi().to_string() } else { rendered.to_string() };
    [
        ("number too large to fit in target type", "the number is too large"),
        ("number too small to fit in target type", "the number is too small"),
        ("invalid digit found in string", "is not a whole number"),
        ("cannot parse integer from empty string", "is empty; give a whole number"),
        ("invalid float literal", "is not a number"),
        ("cannot parse float from empty string", "is empty; give a number"),
    ]
    .into_iter()
    .fold(text, |text, (words, plain)| text.replace(words, plain))
}
