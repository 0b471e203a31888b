//! The subcommands, one file each. Adding one is its file, a `mod` line, a variant and an arm.

mod analyze;
mod approx;
mod bench;
mod calibrate;
mod compare;
mod completions;
mod decode;
mod encode;
mod exec;
mod hardware;
mod launch;
mod list;
mod man;
mod profile;
mod ptx;
mod reproduce;
mod run;
mod serve;
mod store;
mod sweep;
mod workloads;

use clap::{Parser, Subcommand};

use crate::failure::Failure;

/// See what memory compression would do for a GPU workload.
#[derive(Parser, Debug)]
#[command(name = "shrinkwarp", version, propagate_version = true, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Analyze(analyze::Analyze),
    Run(run::Run),
    Compare(compare::Compare),
    Sweep(sweep::Sweep),
    Reproduce(reproduce::Reproduce),
    Launch(launch::Launch),
    Exec(exec::Exec),
    List(list::List),
    Store(store::StoreCommand),
    Serve(serve::Serve),
    Workloads(workloads::Workloads),
    Profile(profile::Profile),
    Approx(approx::Approx),
    Calibrate(calibrate::Calibrate),
    Hardware(hardware::Hardware),
    Ptx(ptx::Ptx),
    Encode(encode::Encode),
    Decode(decode::Decode),
    Bench(bench::Bench),
    Completions(completions::Completions),
    Man(man::Man),
}

impl Cli {
    /// Does what the command line asks.
    pub fn run(self) -> Result<(), Failure> {
        match self.command {
            Command::Analyze(command) => command.run(),
            Command::Run(command) => command.run(),
            Command::Compare(command) => command.run(),
            Command::Sweep(command) => command.run(),
            Command::Reproduce(command) => command.run(),
            Command::Launch(command) => command.run(),
            Command::Exec(command) => command.run(),
            Command::List(command) => command.run(),
            Command::Store(command) => command.run(),
            Command::Serve(command) => command.run(),
            Command::Workloads(command) => command.run(),
            Command::Profile(command) => command.run(),
            Command::Approx(command) => command.run(),
            Command::Calibrate(command) => command.run(),
            Command::Hardware(command) => command.run(),
            Command::Ptx(command) => command.run(),
            Command::Encode(command) => command.run(),
            Command::Decode(command) => command.run(),
            Command::Bench(command) => command.run(),
            Command::Completions(command) => command.run(),
            Command::Man(command) => command.run(),
        }
    }
}
