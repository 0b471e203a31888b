//! `shrinkwarp store`: which results are kept, what is known of one, and how others read them.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use serde_json::Value;
use shrinkwarp_lab::run::Record;
use shrinkwarp_lab::store::{self, Filter, Grid, RunRow, Store, StoreLocation};

use crate::failure::Failure;
use crate::files;
use crate::keeping::StoreArgs;

/// Show, export, query, merge and delete the results in a store
#[derive(Args, Debug)]
pub struct StoreCommand {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    /// List the runs, newest first
    List {
        #[command(flatten)]
        filter: FilterArgs,
        /// Print JSON instead of a table
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Show all numbers of one run
    Show {
        /// First digits of the run's identity, as `shrinkwarp store list` shows it
        run: String,
        /// Print JSON instead of text, with configurations and time series
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Export runs for other programs
    Export {
        #[command(flatten)]
        filter: FilterArgs,
        /// File format
        #[arg(long, value_enum, default_value_t = Format::Csv)]
        format: Format,
        /// File to write [default: standard output]
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Delete runs: those named, or all that pass the filter
    Delete {
        /// First digits of the identities of runs
        runs: Vec<String>,
        #[command(flatten)]
        filter: FilterArgs,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Copy the runs of other stores into this one; what it has stays
    Merge {
        /// Stores to read
        #[arg(required = true, value_name = "FILE")]
        from: Vec<PathBuf>,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Delete runs of earlier models of the simulator, which no command uses again, and shrink the file
    Prune {
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Query the store in SQL
    ///
    /// `geomean(x)` is the geometric mean; the view `numbers` has a row for each counter of each run.
    Query {
        /// SQL query, as in "SELECT scheme, geomean(value) FROM numbers WHERE name = 'derived.ipc' GROUP BY scheme"
        sql: String,
        /// Print JSON instead of a table
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        store: StoreArgs,
    },
}

/// Which runs.
#[derive(Args, Debug)]
struct FilterArgs {
    /// Only runs of this workload
    #[arg(long)]
    workload: Option<String>,
    /// Only runs with this scheme
    #[arg(long)]
    scheme: Option<String>,
    /// Only runs on this GPU
    #[arg(long)]
    gpu: Option<String>,
    /// Only runs at this scale
    #[arg(long)]
    scale: Option<String>,
    /// Only runs that failed
    #[arg(long)]
    failed: bool,
    /// Only the N newest runs
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
}

/// File formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A row for each run, a column for each counter
    Csv,
    /// Everything, with configurations and time series
    Json,
    /// The table of csv with column types, for data frames and databases
    Parquet,
}

impl StoreCommand {
    pub fn run(&self) -> Result<(), Failure> {
        match &self.what {
            What::List { filter, json, store } => {
                let rows = store.open_to_read()?.list(&filter.filter())?;
                files::print(&if *json { pretty(serde_json::to_value(&rows))? } else { list(&rows) })
            }
            What::Show { run, json, store } => {
                let record = store.open_to_read()?.find(run)?;
                files::print(&if *json {
                    format!("{:#}\n", store::json(&[record])?[0])
                } else {
                    show(&record)
                })
            }
            What::Export { format: Format::Parquet, output: None, .. } if io::stdout().is_terminal() => {
                let message = "--format parquet: binary output does not go to a terminal; give --output FILE";
                Err(Failure::Usage(message.to_owned()))
            }
            What::Export { filter, format, output, store } => {
                let records = store.open_to_read()?.records(&filter.filter())?;
                let bytes = exported(&records, *format)?;
                match output {
                    Some(path) => Ok(files::replace(path, |file| file.write_all(&bytes))?),
                    None => files::print_bytes(&bytes),
                }
            }
            What::Delete { runs, filter, store } => {
                if runs.is_empty() == filter.is_empty() {
                    let message = "name runs or give a filter, as in --workload bfs; nothing is deleted";
                    return Err(Failure::Usage(message.to_owned()));
                }
                let mut opened = store.open_existing()?;
                let identities: Vec<_> = if runs.is_empty() {
                    opened.list(&filter.filter())?.into_iter().map(|row| row.identity).collect()
                } else {
                    runs.iter().map(|run| Ok(opened.find(run)?.identity)).collect::<Result<_, Failure>>()?
                };
                files::print(&format!("{} deleted\n", counted(opened.delete(&identities)?)))
            }
            What::Merge { from, store } => {
                let others = from
                    .iter()
                    .map(|path| Ok(Store::open_to_read(&StoreLocation::asked(Some(path))?)?))
                    .collect::<Result<Vec<_>, Failure>>()?;
                let mut opened = store.open()?;
                for (path, other) in from.iter().zip(&others) {
                    let new = opened.merge(other)?;
                    files::print(&format!("{}: {} new\n", path.display(), counted(new)))?;
                }
                Ok(())
            }
            What::Prune { store } => {
                files::print(&format!("{} deleted\n", counted(store.open_existing()?.prune()?)))
            }
            What::Query { sql, json, store } => {
                let grid = store.open_to_read()?.query(sql)?;
                files::print(&if *json { format!("{:#}\n", grid.json()) } else { columns(&grid) })
            }
        }
    }
}

fn counted(runs: usize) -> String {
    if runs == 1 { "1 run".to_owned() } else { format!("{runs} runs") }
}

impl FilterArgs {
    fn is_empty(&self) -> bool {
        let words = [&self.workload, &self.scheme, &self.gpu, &self.scale];
        words.iter().all(|word| word.is_none()) && !self.failed && self.limit.is_none()
    }

    fn filter(&self) -> Filter {
        Filter {
            workload: self.workload.clone(),
            scheme: self.scheme.clone(),
            gpu: self.gpu.clone(),
            scale: self.scale.clone(),
            failed: self.failed.then_some(true),
            limit: self.limit,
        }
    }
}

fn exported(records: &[Record], format: Format) -> Result<Vec<u8>, Failure> {
    match format {
        Format::Csv => Ok(store::csv(&store::wide_grid(records)).into_bytes()),
        Format::Json => Ok(format!("{:#}\n", store::json(records)?).into_bytes()),
        Format::Parquet => Ok(store::parquet(records)?),
    }
}

fn pretty(value: serde_json::Result<Value>) -> Result<String, Failure> {
    value.map(|value| format!("{value:#}\n")).map_err(|error| Failure::Work(error.to_string()))
}

fn list(rows: &[RunRow]) -> String {
    let mut text = format!(
        "{:<12} {:<18} {:<6} {:<16} {:<14} {:>12} {:>8}  {}\n",
        "run", "workload", "scale", "scheme", "gpu", "cycles", "seconds", "changes"
    );
    for row in rows {
        let cycles = row.cycles.map_or("failed".to_owned(), |cycles| cycles.to_string());
        text += &format!(
            "{:<12} {:<18} {:<6} {:<16} {:<14} {cycles:>12} {:>8.2}  {}\n",
            row.identity.short(),
            row.workload,
            row.scale,
            row.scheme,
            row.gpu,
            row.duration_s,
            row.overrides.join(" "),
        );
    }
    text + &format!("\n{}. All numbers of one: shrinkwarp store show RUN\n", counted(rows.len()))
}

fn show(record: &Record) -> String {
    let provenance = &record.provenance;
    let mut text = format!(
        "{}\n{} at {} scale, data set {}, seed {}, on {} with {}{}\n\
         model {}, program {}, on {}, {:.2} s\n\n",
        record.identity,
        record.workload,
        record.scale,
        record.data,
        record.seed,
        record.gpu,
        record.scheme,
        record.overrides.iter().map(|change| format!(", {change}")).collect::<String>(),
        provenance.model_version,
        provenance.code_version,
        provenance.host,
        provenance.duration_s,
    );
    let Some(result) = record.result() else {
        return text + &format!("failed: {}\n", record.error().unwrap_or_default());
    };
    let numbers = || result.counters.iter();
    let width = numbers().map(|(name, _)| name.len()).max().unwrap_or(0);
    text += &format!("{:<width$}  {}\n{:<width$}  {:.2}\n", "cycles", result.cycles, "IPC", result.ipc());
    for (name, value) in numbers() {
        text += &format!("{name:<width$}  {}\n", shrinkwarp_lab::run::number(value));
    }
    text
}

/// A grid as aligned columns.
fn columns(grid: &Grid) -> String {
    let cell = |value: &Value| match value {
        Value::Null => "–".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let rows: Vec<Vec<String>> = std::iter::once(grid.columns.clone())
        .chain(grid.rows.iter().map(|row| row.iter().map(cell).collect()))
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..grid.columns.len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
        cells.join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}
