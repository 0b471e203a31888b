//! A figure of a paper, redrawn: its charts, the numbers behind them, and what the paper claims next to what we found.
//!
//! A figure is a value. [`crate::page`] shows it, [`Figure::csv`] exports it, and its claims make the summary.

mod claim;
mod csv;

pub use claim::{Claim, Value, Verdict};

use crate::chart::{Chart, Table};

/// Where a figure comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Paper {
    /// Bit-plane compression of the DRAM link.
    Bpc,
    /// Entropy coding in the memory controller.
    E2mc,
    /// Packet compression in the interconnect.
    Dsm,
    /// Adaptive compression of the L1 cache.
    Latte,
    /// What none of the four asked: all levels together.
    Combined,
}

impl Paper {
    /// All of them, in the order of the summary.
    pub const ALL: [Self; 5] = [Self::Bpc, Self::E2mc, Self::Dsm, Self::Latte, Self::Combined];

    /// The word on the command line and in file names.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bpc => "bpc",
            Self::E2mc => "e2mc",
            Self::Dsm => "dsm",
            Self::Latte => "latte",
            Self::Combined => "combined",
        }
    }

    /// What it is about, as a heading.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Bpc => "BPC: bit-plane compression of the DRAM link",
            Self::E2mc => "E2MC: entropy coding in the memory controller",
            Self::Dsm => "DSM: packet compression in the interconnect",
            Self::Latte => "LATTE-CC: adaptive compression of the L1 cache",
            Self::Combined => "Together: L1, packet and memory compression at once",
        }
    }
}

/// A figure or table, redrawn.
#[derive(Debug, Clone)]
pub struct Figure {
    /// The number in the paper, such as `3c`.
    pub id: String,
    /// The paper.
    pub paper: Paper,
    /// What it shows.
    pub title: String,
    /// What was run, and what a reader should know to compare; paragraphs are lines.
    pub text: String,
    /// The pictures.
    pub charts: Vec<Chart>,
    /// Tables that are not behind a chart, with their names.
    pub tables: Vec<(String, Table)>,
    /// What the paper says of it, and what we found.
    pub claims: Vec<Claim>,
}

impl Figure {
    /// A figure that is still empty.
    pub fn new(paper: Paper, id: impl Into<String>, title: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            paper,
            title: title.into(),
            text: String::new(),
            charts: Vec::new(),
            tables: Vec::new(),
            claims: Vec::new(),
        }
    }

    /// Says what was run.
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.text = text.into();
        self
    }

    /// Adds a picture.
    pub fn chart(mut self, chart: Chart) -> Self {
        self.charts.push(chart);
        self
    }

    /// Adds a table.
    pub fn table(mut self, name: impl Into<String>, table: Table) -> Self {
        self.tables.push((name.into(), table));
        self
    }

    /// Adds a claim.
    pub fn claim(mut self, claim: Claim) -> Self {
        self.claims.push(claim);
        self
    }

    /// Says why of all claims so far that do not hold as published and have no reason of their own.
    pub fn because(mut self, why: Option<&str>) -> Self {
        let why = why.unwrap_or_default();
        let open = |claim: &&mut Claim| claim.is_open() && claim.why.is_empty();
        self.claims.iter_mut().filter(open).for_each(|claim| why.clone_into(&mut claim.why));
        self
    }

    /// The name of its files: `bpc-3c`.
    pub fn file_stem(&self) -> String {
        format!("{}-{}", self.paper.name(), self.id)
    }

    /// Every number of every chart and table, one per line.
    pub fn csv(&self) -> String {
        csv::of_figure(self)
    }
}
