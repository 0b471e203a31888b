//! A process that may hang, write without end, leave others behind or be interrupted: it ends all the same, and what is
//! kept of its output is bounded.

use std::collections::VecDeque;
use std::io::{self, PipeReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Bytes kept of the beginning of the output, and as many of its end.
const KEPT_BYTES: usize = 32 << 10;
/// How often a process is looked at whose output tells nothing.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// How long processes that the program left behind may still write.
const LEFT_BEHIND: Duration = Duration::from_millis(500);

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By itself, or by a signal that another process sent.
    Exited(ExitStatus),
    /// It took too long and was killed.
    TimedOut,
    /// The experiment was interrupted, and the process was killed.
    Interrupted,
}

/// What may end a process early.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits<'a> {
    /// The longest time that it may take.
    pub timeout: Option<Duration>,
    /// Set when the experiment is over.
    pub interrupt: Option<&'a AtomicBool>,
}

/// Runs a command to its end, with no input. Gives how it ended and what it wrote to standard output and standard error,
/// in order, without the middle where it is long.
pub fn run(command: &mut Command, limits: Limits<'_>) -> io::Result<(Ending, String)> {
    let (reader, writer) = io::pipe()?;
    command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
    // A group of its own: Ctrl-C reaches this process, which ends the whole group.
    command.process_group(0);
    let mut child = command.spawn()?;
    // The command holds the writing ends of the pipe; without this there would be no end of the output.
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let kept = Arc::new(Mutex::new(Kept::default()));
    let (sender, is_closed) = channel();
    std::thread::spawn({
        let kept = Arc::clone(&kept);
        move || collect(reader, &kept, &sender)
    });
    let ending = wait(&mut child, &is_closed, limits)?;
    end_group(child.id());
    let _ = is_closed.recv_timeout(LEFT_BEHIND);
    let text = kept.lock().unwrap_or_else(PoisonError::into_inner).text();
    Ok((ending, text))
}

fn wait(child: &mut Child, is_closed: &Receiver<()>, limits: Limits<'_>) -> io::Result<Ending> {
    let started = Instant::now();
    let mut writes = true;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Ending::Exited(status));
        }
        let is_interrupted = limits.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
        let is_late = limits.timeout.is_some_and(|timeout| started.elapsed() >= timeout);
        if is_interrupted || is_late {
            end_group(child.id());
            let _ = child.kill();
            child.wait()?;
            return Ok(if is_interrupted { Ending::Interrupted } else { Ending::TimedOut });
        }
        // The end of the output mostly is the end of the process.
        if writes && is_closed.recv_timeout(LOOK_EVERY).is_ok() {
            writes = false;
        } else if !writes {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Kills a process and those it started, unless they left its group. The shell's own `kill` is always there.
fn end_group(process: u32) {
    let kill = format!("kill -KILL -{process}");
    let _ = Command::new("/bin/sh")
        .args(["-c", &kill])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
}

fn collect(mut reader: PipeReader, kept: &Mutex<Kept>, is_closed: &Sender<()>) {
    let mut buffer = [0; 16 << 10];
    while let Ok(count @ 1..) = reader.read(&mut buffer) {
        kept.lock().unwrap_or_else(PoisonError::into_inner).add(&buffer[..count]);
    }
    let _ = is_closed.send(());
}

/// The beginning and the end of an output.
#[derive(Debug, Default)]
struct Kept {
    begin: Vec<u8>,
    end: VecDeque<u8>,
    omitted_bytes: u64,
}

impl Kept {
    fn add(&mut self, bytes: &[u8]) {
        let room = KEPT_BYTES - self.begin.len();
        let (begin, rest) = bytes.split_at(room.min(bytes.len()));
        self.begin.extend_from_slice(begin);
        self.end.extend(rest);
        let surplus = self.end.len().saturating_sub(KEPT_BYTES);
        self.end.drain(..surplus);
        self.omitted_bytes += surplus as u64;
    }

    fn text(&self) -> String {
        let mut bytes = self.begin.clone();
        if self.omitted_bytes > 0 {
            bytes.extend_from_slice(format!("\n[{} bytes are not kept]\n", self.omitted_bytes).as_bytes());
        }
        bytes.extend(&self.end);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limits: Limits<'_>) -> (Ending, String) {
        run(Command::new("/bin/sh").args(["-c", script]), limits).unwrap()
    }

    fn code(ending: Ending) -> Option<i32> {
        match ending {
            Ending::Exited(status) => status.code(),
            _ => None,
        }
    }

    #[test]
    fn both_outputs_come_in_order_and_input_is_empty() {
        let (ending, output) = shell("echo one; echo two >&2; cat; exit 3", Limits::default());
        assert_eq!((code(ending), output.as_str()), (Some(3), "one\ntwo\n"));
    }

    #[test]
    fn a_flood_is_kept_in_part() {
        let (ending, output) = shell("echo begin; head -c 9000000 /dev/zero; echo end", Limits::default());
        assert_eq!(code(ending), Some(0));
        assert!(output.starts_with("begin\n") && output.ends_with("end\n"));
        assert!(output.len() < 3 * KEPT_BYTES && output.contains(" bytes are not kept]"), "{}", output.len());
    }

    #[test]
    fn a_program_that_hangs_is_ended_with_what_it_started() {
        let timeout = Some(Duration::from_secs(2));
        let started = Instant::now();
        let (ending, output) = shell("echo $$; sleep 60 & sleep 60", Limits { timeout, ..Limits::default() });
        assert_eq!(ending, Ending::TimedOut);
        assert!(started.elapsed() < Duration::from_secs(20));
        let group = output.trim().to_owned();
        assert!(!group.is_empty());
        // A signal takes effect when the process is next run.
        let deadline = Instant::now() + Duration::from_secs(10);
        while lives(&group) {
            assert!(Instant::now() < deadline, "a process of the group goes on");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Whether a process of this group runs; one that has ended and is not reaped yet does not.
    fn lives(group: &str) -> bool {
        let processes = std::fs::read_dir("/proc").unwrap();
        let states =
            processes.filter_map(|entry| std::fs::read_to_string(entry.ok()?.path().join("stat")).ok());
        { states }.any(|state| {
            let fields: Vec<&str> = state.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
            fields.first() != Some(&"Z") && fields.get(2) == Some(&group)
        })
    }

    #[test]
    fn an_interruption_ends_it() {
        let interrupt = AtomicBool::new(true);
        let limits = Limits { interrupt: Some(&interrupt), ..Limits::default() };
        assert_eq!(shell("sleep 60", limits).0, Ending::Interrupted);
    }

    #[test]
    fn a_process_left_behind_does_not_hold_the_run() {
        let started = Instant::now();
        let (ending, output) = shell("(sleep 60 &) ; echo done", Limits::default());
        assert_eq!((code(ending), output.as_str()), (Some(0), "done\n"));
        assert!(started.elapsed() < Duration::from_secs(20));
    }
}
