//! `shrinkwarp reproduce`: the figures of the four papers, redrawn, with the published numbers next to ours.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use clap::{Args, ValueEnum};
use shrinkwarp_lab::figures::{FigureSpec, Scope, choose};
use shrinkwarp_lab::reproduce::{self, Drawn, DrawnPage, Watcher, draw, page, scale_warning};
use shrinkwarp_report::figure::{Figure, Paper};

use crate::arguments::ScaleArgs;
use crate::failure::Failure;
use crate::files;
use crate::keeping::{BatchArgs, StoreArgs};
use crate::progress::Progress;
use crate::run::interrupt_flag;

/// Redraw the figures of the papers, with the published numbers next to ours
///
/// Writes a page for each paper (PAPER.html, or PAPER-FIGURE.html where figures are named), the numbers of each figure
/// (PAPER-FIGURE.csv) and its charts (PAPER-FIGURE.svg, PAPER-FIGURE-2.svg, …), and prints what each paper claims, what we
/// found and whether that agrees. Runs that are in the store are not run again.
#[derive(Args, Debug)]
pub struct Reproduce {
    /// Paper; `combined` has our own figures, with several compression points in use together
    #[arg(value_enum)]
    paper: Which,
    /// Only these figures, as in `reproduce bpc 3c`; see `shrinkwarp list figures`
    #[arg(value_name = "FIGURE")]
    figures: Vec<String>,
    #[command(flatten)]
    size: ScaleArgs,
    /// Only these workloads, of those that a figure has: means and verdicts are then theirs
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    workloads: Vec<String>,
    /// Folder to write the pages, tables and charts to
    #[arg(long, short, value_name = "FOLDER", default_value = "reproduction")]
    output: PathBuf,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    batch: BatchArgs,
    /// Print JSON instead of text
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
            return Err(Failure::Usage("figures need one paper: name it in place of `all`".to_owned()));
        }
        let mut scope = Scope::all(self.size.scale);
        if !self.workloads.is_empty() {
            scope = scope.only(&self.workloads)?;
        }
        let mut chosen = Vec::new();
        for paper in self.paper.papers() {
            chosen.extend(choose(paper, &self.figures)?);
        }
        std::fs::create_dir_all(&self.output).map_err(|error| Failure::file(&self.output, error))?;
        for (place, _) in self.pages(&chosen) {
            files::check_place(&place)?;
        }
        let mut store = self.store.open()?;
        let interrupt = interrupt_flag();
        let options = self.batch.options(&interrupt);
        let pages = self.pages(&chosen);
        let drawing = draw(&mut store, &chosen, scope, &options, &Bar::default())?;
        let (known, needed) = (drawing.known, drawing.needed);
        let mut all = drawing.drawn.into_iter();
        let mut report = Vec::new();
        for (place, figures) in pages {
            let drawn: Vec<Drawn> = all.by_ref().take(figures.len()).collect();
            let Some(paper) = drawn.first().map(|drawn| drawn.spec.paper) else { continue };
            write(&place, &page(paper, scope.scale, &drawn).html())?;
            for figure in drawn.iter().filter_map(|drawn| drawn.figure.as_ref().ok()) {
                self.write_figure(figure)?;
            }
            report.push(DrawnPage { paper, drawn, path: place });
        }
        let warning = scale_warning(scope.scale).map_or(String::new(), |warning| format!("{warning}\n"));
        let kept = format!("{known} of {needed} runs and profiles were in the store\n");
        files::print(&if self.json {
            format!("{:#}\n", reproduce::json(&report))
        } else {
            reproduce::text(&report) + &kept + &warning
        })?;
        let figures = || report.iter().flat_map(|page| &page.drawn);
        match figures().filter(|drawn| drawn.figure.is_err()).count() {
            0 => Ok(()),
            failed => Err(Failure::Work(format!("{failed} of {} figures are not drawn", figures().count()))),
        }
    }

    /// The pages to write, each with its figures: one for a paper, or one for each figure that was named, so that the
    /// page of the paper keeps all of its figures.
    fn pages<'f>(&self, chosen: &'f [&'static FigureSpec]) -> Vec<(PathBuf, &'f [&'static FigureSpec])> {
        let of_page = |figures: &'f [&'static FigureSpec]| {
            let first = figures[0];
            let name = first.paper.name();
            let stem = if self.figures.is_empty() { name.to_owned() } else { format!("{name}-{}", first.id) };
            (self.output.join(format!("{stem}.html")), figures)
        };
        let is_one_page =
            |a: &&'static FigureSpec, b: &&'static FigureSpec| self.figures.is_empty() && a.paper == b.paper;
        chosen.chunk_by(is_one_page).map(of_page).collect()
    }

    /// The numbers of a figure, and each of its charts as a picture for other documents.
    fn write_figure(&self, figure: &Figure) -> Result<(), Failure> {
        let stem = figure.file_stem();
        write(&self.output.join(format!("{stem}.csv")), &figure.csv())?;
        for (index, chart) in figure.charts.iter().enumerate() {
            let name = if index == 0 { format!("{stem}.svg") } else { format!("{stem}-{}.svg", index + 1) };
            write(&self.output.join(name), &chart.svg())?;
        }
        Ok(())
    }
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    Ok(files::replace(path, |file| file.write_all(text.as_bytes()))?)
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
