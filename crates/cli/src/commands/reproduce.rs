//! `shrinkwarp reproduce`: the figures of the four papers, redrawn, with the published numbers beside ours.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use clap::{Args, ValueEnum};
use serde_json::{Value as Json, json};
use shrinkwarp_lab::batch::{Options, all_cores};
use shrinkwarp_lab::figures::{FigureSpec, Scope, choose};
use shrinkwarp_lab::reproduce::{Drawn, Watcher, draw, page, scale_warning, verdicts};
use shrinkwarp_lab::run::parse_scale;
use shrinkwarp_lab::store::{Place, Store};
use shrinkwarp_report::chart::Table;
use shrinkwarp_report::figure::{Claim, Figure, Paper, Verdict};

use crate::failure::Failure;
use crate::files;
use crate::progress::Progress;

/// Redraw the figures of the papers, with the published numbers beside ours
///
/// Writes a page for each paper (PAPER.html, opens without a network; PAPER-FIGURE.html where figures are named), the numbers of each figure (PAPER-FIGURE.csv) and
/// its charts (PAPER-FIGURE.svg, PAPER-FIGURE-2.svg, …), and prints what each paper claims, what we found and whether that
/// agrees. Runs that are in the store are not run again.
#[derive(Args, Debug)]
pub struct Reproduce {
    /// Which paper; `combined` is what none of them asked
    #[arg(value_enum)]
    paper: Which,
    /// Only these figures, as in `reproduce bpc 3c`; see `shrinkwarp list figures`
    #[arg(value_name = "FIGURE")]
    figures: Vec<String>,
    /// Size of the workloads' inputs: tiny, small, paper
    #[arg(long, default_value = "small")]
    scale: String,
    /// Folder for the pages and tables
    #[arg(long, value_name = "FOLDER", default_value = "reproduction")]
    out: PathBuf,
    /// Where results are kept, or `none`; the user's data directory by default
    #[arg(long, value_name = "PATH")]
    store: Option<PathBuf>,
    /// Simulations at once; all cores by default
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Run again what is in the store
    #[arg(long)]
    fresh: bool,
    /// Print the claims as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Which {
    Bpc,
    E2mc,
    Dsm,
    Latte,
    Combined,
    All,
}

impl Which {
    fn papers(self) -> Vec<Paper> {
        match self {
            Self::Bpc => vec![Paper::Bpc],
            Self::E2mc => vec![Paper::E2mc],
            Self::Dsm => vec![Paper::Dsm],
            Self::Latte => vec![Paper::Latte],
            Self::Combined => vec![Paper::Combined],
            Self::All => Paper::ALL.to_vec(),
        }
    }
}

impl Reproduce {
    pub fn run(&self) -> Result<(), Failure> {
        if self.paper == Which::All && !self.figures.is_empty() {
            return Err(Failure::Usage("figures belong to one paper: name it in place of `all`".to_owned()));
        }
        let scope = Scope { scale: parse_scale(&self.scale)? };
        let mut chosen = Vec::new();
        for paper in self.paper.papers() {
            chosen.extend(choose(paper, &self.figures)?);
        }
        std::fs::create_dir_all(&self.out).map_err(|error| Failure::file(&self.out, error))?;
        for (place, _) in self.pages(&chosen) {
            files::check_place(&place)?;
        }
        let mut store = Store::open(&Place::asked(self.store.as_deref())?)?;
        let interrupt = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&interrupt);
        // Without a handler Ctrl-C ends the process, which loses nothing that was kept.
        let _ = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));
        let options = Options {
            threads: self.threads.unwrap_or_else(all_cores),
            is_fresh: self.fresh,
            retries_failed: true,
            interrupt: Some(&interrupt),
        };
        let pages = self.pages(&chosen);
        let mut all = draw(&mut store, &chosen, scope, &options, &Bar::default())?.into_iter();
        let mut report = Vec::new();
        for (place, figures) in pages {
            let drawn: Vec<Drawn> = all.by_ref().take(figures.len()).collect();
            let Some(paper) = drawn.first().map(|drawn| drawn.spec.paper) else { continue };
            write(&place, &page(paper, scope.scale, &drawn).html())?;
            for figure in drawn.iter().filter_map(|drawn| drawn.figure.as_ref().ok()) {
                self.write_figure(figure)?;
            }
            report.push((paper, drawn, place));
        }
        if self.json {
            return files::print(&format!("{:#}\n", json_of(&report)));
        }
        let warning = scale_warning(scope.scale).map_or(String::new(), |warning| format!("{warning}\n"));
        files::print(&(text_of(&report) + &warning))
    }

    /// The pages to write, each with its figures: one for a paper, or one for each figure that was named, so that the
    /// page of the paper keeps all of its figures.
    fn pages<'f>(&self, chosen: &'f [&'static FigureSpec]) -> Vec<(PathBuf, &'f [&'static FigureSpec])> {
        let of_page = |figures: &'f [&'static FigureSpec]| {
            let first = figures[0];
            let name = first.paper.name();
            let stem = if self.figures.is_empty() { name.to_owned() } else { format!("{name}-{}", first.id) };
            (self.out.join(format!("{stem}.html")), figures)
        };
        let is_one_page =
            |a: &&'static FigureSpec, b: &&'static FigureSpec| self.figures.is_empty() && a.paper == b.paper;
        chosen.chunk_by(is_one_page).map(of_page).collect()
    }

    /// The numbers of a figure, and each of its charts as a picture for other documents.
    fn write_figure(&self, figure: &Figure) -> Result<(), Failure> {
        let stem = figure.file_stem();
        write(&self.out.join(format!("{stem}.csv")), &figure.csv())?;
        for (index, chart) in figure.charts.iter().enumerate() {
            let name = if index == 0 { format!("{stem}.svg") } else { format!("{stem}-{}.svg", index + 1) };
            write(&self.out.join(name), &chart.svg())?;
        }
        Ok(())
    }
}

type Report = Vec<(Paper, Vec<Drawn>, PathBuf)>;

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    Ok(files::replace(path, |file| file.write_all(text.as_bytes()))?)
}

fn text_of(report: &Report) -> String {
    let mut text = String::new();
    for (paper, drawn, place) in report {
        text += &format!("{}\n", paper.title());
        let mut told = Vec::new();
        for drawn in drawn {
            match &drawn.figure {
                Ok(figure) => {
                    text += &figure.tables.iter().map(table_text).collect::<String>();
                    text += &figure.claims.iter().map(|claim| line(&figure.id, claim)).collect::<String>();
                    text += &reasons(figure, &mut told);
                }
                Err(error) => text += &format!("  {:<14} not drawn: {error}\n", drawn.spec.id),
            }
        }
        let counts = verdicts(drawn).into_iter().filter(|(_, count)| *count > 0);
        let counts: Vec<String> =
            counts.map(|(verdict, count)| format!("{count} {}", verdict.name())).collect();
        text += &format!("  {}; {}\n\n", counts.join(", "), place.display());
    }
    text
}

/// A table of a figure; what is in brackets in a column's name stands in a second line.
fn table_text((name, table): &(String, Table)) -> String {
    let cell = |value: &Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.3}"));
    let mut lines = vec![vec![name.clone()], vec![String::new()]];
    for column in &table.header[1..] {
        let (first, second) = column.split_once(' ').unwrap_or((column, ""));
        lines[0].push(first.to_owned());
        lines[1].push(second.to_owned());
    }
    for (row, values) in &table.rows {
        lines.push(std::iter::once(row.clone()).chain(values.iter().map(cell)).collect());
    }
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..table.header.len()).map(width).collect();
    let mut text = String::new();
    for line in &lines {
        text += &format!("  {:<width$}", line[0], width = widths[0]);
        for (cell, width) in line.iter().zip(&widths).skip(1) {
            text += &format!("  {cell:>width$}");
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}

/// One claim.
fn line(figure: &str, claim: &Claim) -> String {
    let mark = match claim.verdict {
        Verdict::Reproduced => "=",
        Verdict::Partly => "~",
        Verdict::Not => "x",
        Verdict::New => return format!("  {figure:<14} + {:<52} {}\n", claim.what, claim.ours.text()),
    };
    let difference = claim.difference().map_or(String::new(), |difference| format!("  {difference}"));
    format!(
        "  {figure:<14} {mark} {:<52} {:>10} published, {:>10} here{difference}\n",
        claim.what,
        claim.published.text(),
        claim.ours.text(),
    )
}

/// Why claims of a figure do not hold. A reason is told once; later figures name the one where it stands.
fn reasons<'d>(figure: &'d Figure, told: &mut Vec<(&'d str, &'d str)>) -> String {
    let open = figure.claims.iter().filter(|claim| claim.is_open());
    let mut reasons: Vec<&str> = open.map(|claim| claim.why.as_str()).filter(|why| !why.is_empty()).collect();
    reasons.dedup();
    let mut text = String::new();
    for why in reasons {
        let known = told.iter().find(|(reason, _)| *reason == why);
        let words = known.map_or_else(|| why.to_owned(), |(_, figure)| format!("as in figure {figure}"));
        told.push((why, &figure.id));
        text += &format!("  {:<14}   why: {words}\n", "");
    }
    text
}

fn json_of(report: &Report) -> Json {
    let of_paper = |(paper, drawn, place): &(Paper, Vec<Drawn>, PathBuf)| {
        let figures: Vec<Json> = drawn.iter().map(json_of_figure).collect();
        json!({"paper": paper.name(), "page": place.display().to_string(), "figures": figures})
    };
    report.iter().map(of_paper).collect()
}

fn json_of_figure(drawn: &Drawn) -> Json {
    let claims: Vec<Json> =
        drawn.figure.iter().flat_map(|figure| &figure.claims).map(json_of_claim).collect();
    let error = drawn.figure.as_ref().err().map(ToString::to_string);
    json!({"figure": drawn.spec.id, "title": drawn.spec.title, "claims": claims, "error": error})
}

fn json_of_claim(claim: &Claim) -> Json {
    json!({
        "what": claim.what,
        "published": claim.published.text(),
        "ours": claim.ours.text(),
        "difference": claim.difference(),
        "verdict": claim.verdict.name(),
        "why": claim.why,
    })
}

/// Progress on standard error.
#[derive(Default)]
struct Bar(OnceLock<Progress>);

impl Watcher for Bar {
    fn begin(&self, runs: usize, profiles: usize) {
        self.0.get_or_init(|| Progress::steps((runs + profiles) as u64, "measuring"));
    }

    fn step(&self) {
        if let Some(progress) = self.0.get() {
            progress.advance(1);
        }
    }
}
