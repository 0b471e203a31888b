//! What is left behind when the program ends: one file, whole or not there at all.
//!
//! It is written at exit, under another name first. A child that was forked leaves none, since what it knows is its
//! parent's; a program that ends by a signal or `_exit` leaves none either.

use std::io::Write;
use std::path::Path;
use std::sync::OnceLock;

use serde_json::{Value, json};
use shrinkwarp_emu::memory::{Allocation, LOCAL_END, LOCAL_START};
use shrinkwarp_machine::result::{LaunchResult, result_of};
use shrinkwarp_machine::summary::summary;
use shrinkwarp_machine::traffic::TrafficTap;

use crate::guard::{runtime, tell};
use crate::runtime::Context;

/// The process that made the device.
static OWNER: OnceLock<u32> = OnceLock::new();

/// Writes the result of this process when it ends.
pub fn write_at_exit() {
    if OWNER.set(std::process::id()).is_ok() {
        // SAFETY: the handler takes no arguments, returns, and does not unwind.
        unsafe { libc::atexit(at_exit) };
    }
}

extern "C" fn at_exit() {
    // A panic must not leave a C function; what is lost is the result of a run that has gone wrong anyway.
    let _ = std::panic::catch_unwind(finish);
}

fn finish() {
    if OWNER.get() != Some(&std::process::id()) {
        return;
    }
    let mut runtime = runtime();
    let Some(context) = runtime.existing_context() else { return };
    context.flush_printed();
    if let (Some(path), Some(tap)) = (context.settings.profile.clone(), context.tap.take()) {
        leave("SHRINKWARP_PROFILE", &path, &profile(context, &tap));
    }
    if let Some(path) = context.settings.result.clone() {
        let result = result(context);
        leave("SHRINKWARP_RESULT", &path, format!("{result:#}\n").as_bytes());
    }
}

fn leave(variable: &str, path: &Path, bytes: &[u8]) {
    if let Err(error) = replace(path, bytes) {
        tell(&format!("{variable}: {}: {error}", path.display()));
    }
}

/// The sampled blocks of memory that was ever allocated, and of local memory: instructions have addresses of their own,
/// whose bytes are not those of device memory.
fn profile(context: &Context, tap: &TrafficTap) -> Vec<u8> {
    let allocations = context.machine.memory().allocations();
    let is_allocated = |address: u64| {
        let after = allocations.partition_point(|allocation| allocation.start() <= address);
        after > 0 && address < allocations[after - 1].end()
    };
    let mut sample = tap.take();
    sample.retain(|address| is_allocated(address) || (LOCAL_START..LOCAL_END).contains(&address));
    sample.to_bytes()
}

/// The same keys as `shrinkwarp run --json` has, and the text that it prints without.
fn result(context: &mut Context) -> Value {
    let launches = std::mem::take(&mut context.launches);
    let counters = context.machine.counters();
    let phases = context.machine.l1_record();
    let settings = &context.settings;
    let mut result = json!({
        "program": std::env::args().collect::<Vec<_>>(),
        "gpu": settings.gpu.name,
        "scheme": settings.scheme.spec.name,
        "set": settings.overrides,
        "fault": context.fault.map(|code| code as i32),
        "refused_launches": context.refused,
        "faulted_launches": context.faulted,
        "spilled_launches": context.spilled_launches,
        "stray_reads": context.machine.memory().stray_reads(),
        "stray_writes": context.machine.memory().stray_writes(),
        "allocated_bytes": context.machine.memory().allocations().iter().map(Allocation::bytes).sum::<u64>(),
    });
    let measured = match counters {
        Some(counters) => {
            match result_of(&settings.gpu, counters, launches, phases.as_ref(), &settings.energy) {
                Ok(executed) => {
                    let text =
                        summary(&settings.gpu, &executed.launches, &executed.machine, &executed.energy);
                    result["summary"] = json!(text);
                    executed.result.json()
                }
                Err(error) => json!({ "error": error.to_string() }),
            }
        }
        None => json!({
            "thread_instructions": launches.iter().map(|launch| launch.thread_instructions).sum::<u64>(),
            "launches": launches.iter().map(LaunchResult::from).collect::<Vec<_>>(),
        }),
    };
    if let (Value::Object(fields), Value::Object(measured)) = (&mut result, measured) {
        fields.extend(measured);
    }
    result
}

fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.persist(path).map(drop).map_err(|error| error.error)
}
