//! The time that this thread has run: what other programs use does not count.
//!
//! Where the system does not say, the time that has passed.

use std::time::{Duration, Instant};

/// Processor seconds that the calling thread has used, to the nanosecond; 0 where the system does not say. Differences of it do
/// not depend on what else the machine does.
pub fn thread_cpu_seconds() -> f64 {
    thread_time().unwrap_or_default().as_secs_f64()
}

/// How long `operation` kept the processor busy, in seconds; never 0.
pub(super) fn seconds_of(operation: impl FnOnce()) -> f64 {
    let (wall_start, start) = (Instant::now(), thread_time());
    operation();
    let spent = match (start, thread_time()) {
        (Some(start), Some(end)) => end.saturating_sub(start),
        _ => wall_start.elapsed(),
    };
    spent.as_secs_f64().max(1e-9)
}

/// Processor time of this thread. The counter under `/proc` is the same one, but only as of the last tick.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn thread_time() -> Option<Duration> {
    #[repr(C)]
    struct Timespec {
        seconds: i64,
        nanoseconds: i64,
    }
    const CLOCK_THREAD_CPUTIME_ID: i32 = 3;
    unsafe extern "C" {
        fn clock_gettime(clock: i32, time: *mut Timespec) -> i32;
    }
    let mut time = Timespec { seconds: 0, nanoseconds: 0 };
    // SAFETY: the standard library links the C library; the structure is its `timespec` on 64-bit Linux.
    let status = unsafe { clock_gettime(CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    (status == 0).then(|| Duration::new(time.seconds as u64, time.nanoseconds as u32))
}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
fn thread_time() -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    #[test]
    fn work_takes_time_and_nothing_takes_almost_none() {
        let spin = || {
            black_box((0..1_000_000u64).fold(0, |sum, value| sum ^ black_box(value)));
        };
        let before = thread_time();
        assert!(seconds_of(spin) > 0.0);
        assert!(before.is_none() || thread_time() > before);
        assert!(seconds_of(|| ()) >= 1e-9);
    }
}
