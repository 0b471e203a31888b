//! `shrinkwarp ptx check` and `shrinkwarp ptx show`: look at PTX without running it.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::Value;
use shrinkwarp_inspect::{check, dot, graph, svg};
use shrinkwarp_launchfile::{ptx_mistakes, read_ptx};
use shrinkwarp_ptx::ast::{Function, Module};
use shrinkwarp_ptx::{Diagnostic, parse};
use shrinkwarp_report::excerpt;

use crate::failure::Failure;
use crate::files;

/// Check PTX files, or show a kernel's control flow
#[derive(Args, Debug)]
pub struct Ptx {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    Check(Check),
    Show(Show),
}

/// Read PTX files and print their errors, or a summary of each kernel
///
/// Registers are counted as 32-bit ones: the most that are live at once in a thread, and those that the file declares.
#[derive(Args, Debug)]
struct Check {
    /// PTX files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

/// Print the control-flow graph of a kernel, with the points where diverged threads reconverge
#[derive(Args, Debug)]
struct Show {
    /// PTX file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Kernel or function (not needed when the file has only one)
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Print an SVG drawing
    #[arg(long, group = "format")]
    svg: bool,
    /// Print a graph for Graphviz
    #[arg(long, group = "format")]
    dot: bool,
    /// Print JSON
    #[arg(long, group = "format")]
    json: bool,
}

impl Ptx {
    pub fn run(&self) -> Result<(), Failure> {
        match &self.action {
            Action::Check(check) => check.run(),
            Action::Show(show) => show.run(),
        }
    }
}

impl Check {
    fn run(&self) -> Result<(), Failure> {
        let mut reports = Vec::new();
        let mut rejected = 0;
        for path in &self.files {
            let source = read(path)?;
            let parsed = parse(&source);
            if parsed.as_ref().is_ok_and(check::is_empty) {
                let message = format!("{}: has no PTX; a PTX file begins with .version", path.display());
                return Err(Failure::Work(message));
            }
            rejected += usize::from(parsed.is_err());
            match (parsed, self.json) {
                (Ok(module), false) => files::print(&check::text(path, &module))?,
                (Ok(module), true) => reports.push(check::json(path, &module)),
                (Err(found), false) => report(path, &source, &found),
                (Err(found), true) => reports.push(check::mistakes_json(path, &found)),
            }
        }
        if self.json {
            files::print(&format!("{:#}\n", Value::Array(reports)))?;
        }
        match rejected {
            0 => Ok(()),
            1 if self.files.len() == 1 => Err(Failure::Work("the file has mistakes".to_owned())),
            _ => Err(Failure::Work(format!("{rejected} of {} files have mistakes", self.files.len()))),
        }
    }
}

impl Show {
    fn run(&self) -> Result<(), Failure> {
        let source = read(&self.file)?;
        let module = parse(&source).map_err(|found| {
            report(&self.file, &source, &found);
            Failure::Work(format!("{}: the file has mistakes", self.file.display()))
        })?;
        let function = self.choose(&module)?;
        let graph = graph::Graph::new(function, &source);
        files::print(&if self.svg {
            svg::draw(&graph)
        } else if self.dot {
            dot::write(&graph)
        } else if self.json {
            format!("{:#}\n", graph.json())
        } else {
            graph.text()
        })
    }

    fn choose<'a>(&self, module: &'a Module) -> Result<&'a Function, Failure> {
        let defined: Vec<&Function> =
            module.functions.iter().filter(|function| function.body.is_some()).collect();
        let names = || defined.iter().map(|function| function.name.as_str()).collect::<Vec<_>>().join(", ");
        let file = self.file.display();
        match (&self.kernel, defined.as_slice()) {
            (Some(name), _) => {
                defined.iter().find(|function| function.name == *name).copied().ok_or_else(|| {
                    Failure::Usage(format!("--kernel: {file} defines no {name:?} (it has: {})", names()))
                })
            }
            (None, [only]) => Ok(only),
            (None, []) => Err(Failure::Work(format!("{file}: no kernel or function is defined here"))),
            (None, _) => {
                Err(Failure::Usage(format!("--kernel: {file} has several; choose one of: {}", names())))
            }
        }
    }
}

fn read(path: &Path) -> Result<String, Failure> {
    read_ptx(path).map_err(Failure::Work)
}

/// Mistakes go to standard error, so that summaries of good files have standard output to themselves.
fn report(path: &Path, source: &str, found: &[Diagnostic]) {
    let name = path.display().to_string();
    let has_colour = std::io::stderr().is_terminal();
    files::print_aside(&excerpt::render(&name, source, &ptx_mistakes(found), has_colour));
}
