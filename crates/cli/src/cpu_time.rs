//! Processor time, for figures that must not depend on what else the machine does.

/// Processor seconds that the calling thread has used; 0 where the system does not tell.
pub fn thread_cpu_seconds() -> f64 {
    // The first field is the time on a processor in nanoseconds.
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds: f64 = text.split(' ').next().and_then(|field| field.parse().ok()).unwrap_or(0.0);
    nanoseconds / 1e9
}
