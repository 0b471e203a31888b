//! How the nodes of a cluster do it: a job array of Slurm, each task a shard of many runs.
//!
//! A task is this same program with `--shard K/N --results FOLDER`; what it needs of the sweep is the sweep file and the
//! list of runs that are left, both in a folder that all nodes see. Slurm starts about two tasks a second, so a task
//! should last for a while. A task that a lost node took with it is started again by Slurm and goes on where its file
//! ends; what a failed task left undone is submitted again by the process that collects.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::shard::Todo;
use crate::LabError;
use crate::run::Run;

/// A job array.
#[derive(Clone, Debug)]
pub struct Slurm {
    /// This program.
    pub program: PathBuf,
    /// The sweep file.
    pub sweep_file: PathBuf,
    /// A folder that all nodes see.
    pub folder: PathBuf,
    /// Tasks of the array.
    pub tasks: usize,
    /// More options for `sbatch`, such as `--partition=long`.
    pub options: Vec<String>,
}

impl Slurm {
    /// Submits what is left, for the `attempt`-th time. The child ends when all tasks have.
    pub fn submit(&self, pending: &[&Run], attempt: usize) -> Result<Child, LabError> {
        let folder = self.attempt_folder(attempt);
        fs::create_dir_all(&folder).map_err(|error| LabError::file(&folder, error))?;
        Todo::in_folder(&folder).write(pending)?;
        let tasks = self.tasks.clamp(1, pending.len().max(1));
        self.command(&folder, tasks).spawn().map_err(|error| {
            let message =
                format!("sbatch: {error}; --engine slurm needs Slurm's commands, --engine local does not");
            LabError::Work(message)
        })
    }

    /// Where the files of an attempt are: a task of an earlier one that still lives cannot disturb it.
    pub fn attempt_folder(&self, attempt: usize) -> PathBuf {
        self.folder.join(format!("attempt-{attempt}"))
    }

    fn command(&self, folder: &Path, tasks: usize) -> Command {
        let mut command = Command::new("sbatch");
        command
            .arg("--wait")
            .arg("--requeue")
            .arg("--job-name=shrinkwarp")
            .arg(format!("--array=1-{tasks}"))
            .arg(format!("--output={}", folder.join("task-%a.log").display()))
            // A user who requeues a task wants to see what it said before.
            .arg("--open-mode=append")
            .args(&self.options)
            .arg(format!("--wrap={}", self.script(folder, tasks)))
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        command
    }

    /// What a task runs.
    fn script(&self, folder: &Path, tasks: usize) -> String {
        format!(
            "exec {} sweep {} --shard \"$SLURM_ARRAY_TASK_ID/{tasks}\" --results {} --threads \"${{SLURM_CPUS_PER_TASK:-1}}\"",
            quoted(&self.program),
            quoted(&self.sweep_file),
            quoted(folder),
        )
    }
}

/// A path as a word of the shell.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_a_shard_of_this_program() {
        let slurm = Slurm {
            program: "/opt/it's/shrinkwarp".into(),
            sweep_file: "sweep.toml".into(),
            folder: "/scratch/results".into(),
            tasks: 8,
            options: vec!["--partition=long".into()],
        };
        let command = slurm.command(&slurm.attempt_folder(2), 8);
        let arguments: Vec<_> = command.get_args().map(|argument| argument.to_string_lossy()).collect();
        assert!(arguments.contains(&"--array=1-8".into()) && arguments.contains(&"--partition=long".into()));
        assert_eq!(
            arguments.last().unwrap(),
            "--wrap=exec '/opt/it'\\''s/shrinkwarp' sweep 'sweep.toml' --shard \"$SLURM_ARRAY_TASK_ID/8\" \
             --results '/scratch/results/attempt-2' --threads \"${SLURM_CPUS_PER_TASK:-1}\""
        );
    }
}
