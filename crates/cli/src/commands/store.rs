//! `shrinkwarp store`: which results are kept, what is known of one, and how others read them.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use serde_json::Value;
use shrinkwarp_lab::run::Record;
use shrinkwarp_lab::store::{self, Filter, Store, StoreLocation};

use crate::failure::Failure;
use crate::files;
use crate::keeping::StoreArgs;

/// Show, export, query, merge and delete the results in a store
#[derive(Args, Debug)]
pub struct StoreCommand {
    #[command(subcommand)]
    what: What,
    /// Store of results: a file [default: shrinkwarp/runs.sqlite in your data directory]
    #[arg(long, value_name = "PATH", global = true)]
    store: Option<PathBuf>,
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
    },
    /// Show all numbers of one run
    Show {
        /// First digits of the run's identity, as `shrinkwarp store list` shows it
        run: String,
        /// Print JSON instead of text, with configurations and time series
        #[arg(long)]
        json: bool,
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
    },
    /// Delete runs: those named, or all that match the options below
    Delete {
        /// First digits of the identities of runs
        runs: Vec<String>,
        #[command(flatten)]
        filter: FilterArgs,
    },
    /// Copy the runs of other stores into this one; runs that it already has are not replaced
    Merge {
        /// Stores to read
        #[arg(required = true, value_name = "FILE")]
        from: Vec<PathBuf>,
    },
    /// Delete the runs of earlier versions of the simulator's model, which no command reuses, and shrink the file
    Prune {},
    /// Query the store in SQL
    ///
    /// `geomean(x)` is the geometric mean; the view `numbers` has a row for each counter of each run.
    Query {
        /// SQL query, as in "SELECT scheme, geomean(value) FROM numbers WHERE name = 'derived.ipc' GROUP BY scheme"
        sql: String,
        /// Print JSON instead of a table
        #[arg(long)]
        json: bool,
    },
}

/// Which runs.
#[derive(Args, Debug)]
struct FilterArgs {
    /// Only runs of this workload
    #[arg(long, value_name = "NAME")]
    workload: Option<String>,
    /// Only runs with this scheme
    #[arg(long, value_name = "NAME")]
    scheme: Option<String>,
    /// Only runs on this GPU
    #[arg(long, value_name = "NAME")]
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
        let kept = StoreArgs { store: self.store.clone() };
        match &self.what {
            What::List { filter, json } => {
                let rows = kept.open_to_read()?.list(&filter.filter())?;
                files::print(&if *json { pretty(serde_json::to_value(&rows))? } else { store::list(&rows) })
            }
            What::Show { run, json } => {
                let record = kept.open_to_read()?.find(run)?;
                files::print(&if *json {
                    format!("{:#}\n", store::json(&[record])?[0])
                } else {
                    store::show(&record)
                })
            }
            What::Export { format: Format::Parquet, output: None, .. } if io::stdout().is_terminal() => {
                let message = "--format parquet: binary output does not go to a terminal; give --output FILE";
                Err(Failure::Usage(message.to_owned()))
            }
            What::Export { filter, format, output } => {
                let records = kept.open_to_read()?.records(&filter.filter())?;
                let bytes = exported(&records, *format)?;
                match output {
                    Some(path) => Ok(files::replace(path, |file| file.write_all(&bytes))?),
                    None => files::print_bytes(&bytes),
                }
            }
            What::Delete { runs, filter } => {
                if runs.is_empty() == filter.is_empty() {
                    let message = "name runs or give a filter, as in --workload bfs; nothing is deleted";
                    return Err(Failure::Usage(message.to_owned()));
                }
                let mut opened = kept.open_existing()?;
                let identities: Vec<_> = if runs.is_empty() {
                    opened.list(&filter.filter())?.into_iter().map(|row| row.identity).collect()
                } else {
                    runs.iter().map(|run| Ok(opened.find(run)?.identity)).collect::<Result<_, Failure>>()?
                };
                files::print(&format!("{} deleted\n", store::counted(opened.delete(&identities)?)))
            }
            What::Merge { from } => {
                let others = from
                    .iter()
                    .map(|path| Ok(Store::open_to_read(&StoreLocation::asked(Some(path))?)?))
                    .collect::<Result<Vec<_>, Failure>>()?;
                let mut opened = kept.open()?;
                for (path, other) in from.iter().zip(&others) {
                    let new = opened.merge(other)?;
                    files::print(&format!("{}: {} new\n", path.display(), store::counted(new)))?;
                }
                Ok(())
            }
            What::Prune {} => {
                files::print(&format!("{} deleted\n", store::counted(kept.open_existing()?.prune()?)))
            }
            What::Query { sql, json } => {
                let grid = kept.open_to_read()?.query(sql)?;
                files::print(&if *json { format!("{:#}\n", grid.json()) } else { store::columns(&grid) })
            }
        }
    }
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
