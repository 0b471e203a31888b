//! The functions that programs call, one file a family.
//!
//! | file           | family                                                                    |
//! |----------------|---------------------------------------------------------------------------|
//! | `registration` | what a program's start-up code calls                                      |
//! | `launch`       | launches                                                                  |
//! | `functions`    | attributes of kernels, occupancy                                          |
//! | `memory`       | device memory                                                             |
//! | `host_memory`  | pinned and managed memory                                                 |
//! | `copies`       | copies and fills                                                          |
//! | `volumes`      | copies of three dimensions                                                |
//! | `arrays`       | CUDA arrays                                                               |
//! | `surfaces`     | surface objects and references                                            |
//! | `pools`        | memory pools                                                              |
//! | `graphs`       | graphs: recorded, made, launched                                          |
//! | `graph_nodes`  | nodes of graphs: dependencies, memory, changes                            |
//! | `graph_parameters` | what nodes were made with                                             |
//! | `driver`       | the driver API                                                            |
//! | `linker`       | the linker of the driver API                                              |
//! | `textures`     | texture objects and references                                            |
//! | `symbols`      | `__device__` and `__constant__` variables                                 |
//! | `streams`, `events` | order and simulated time                                             |
//! | `callbacks`    | functions of the host in a stream                                         |
//! | `devices`      | the device, its attributes and limits                                     |
//! | `errors`       | the last error, and what codes mean                                       |
//! | `approximable` | our own extension, `shrinkwarp.h`                                         |
//! | `missing`      | functions that only say that they are missing                             |
//!
//! An asynchronous function has one argument more than its twin, the stream, at the end. Work is done when it is asked
//! for, so both are one function; on every ABI that CUDA has, an argument that is never read is harmless.

/// Functions that return an error code. A row is what it does, its names, its arguments (the first is the runtime) and
/// its work, which gives a `Result`.
macro_rules! api {
    ($($what:literal fn [$($name:ident),+] $arguments:tt $body:block)*) => {
        $($(api!(@one $what $name $arguments $body);)+)*

        /// The functions of this family.
        pub const NAMES: &[&str] = &[$($(stringify!($name),)+)*];
    };
    (@one $what:literal $name:ident ($runtime:ident $(, $argument:ident : $ty:ty)* $(,)?) $body:block) => {
        #[doc = $what]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($argument: $ty),*) -> i32 {
            $crate::guard::call(stringify!($name), |$runtime| $body)
        }
    };
}

pub mod approximable;
pub mod arrays;
pub mod callbacks;
pub mod copies;
pub mod devices;
pub mod driver;
pub mod errors;
pub mod events;
pub mod functions;
pub mod graph_nodes;
pub mod graph_parameters;
pub mod graphs;
pub mod host_memory;
pub mod launch;
pub mod linker;
pub mod memory;
pub mod missing;
pub mod pools;
pub mod registration;
pub mod streams;
pub mod surfaces;
pub mod symbols;
pub mod textures;
pub mod volumes;

/// Every family that works: its title and its functions.
pub const FAMILIES: &[(&str, &[&str])] = &[
    ("registration", registration::NAMES),
    ("launches", launch::NAMES),
    ("kernels and occupancy", functions::NAMES),
    ("device memory", memory::NAMES),
    ("memory pools", pools::NAMES),
    ("pinned and managed memory", host_memory::NAMES),
    ("copies and fills", copies::NAMES),
    ("copies of three dimensions", volumes::NAMES),
    ("arrays", arrays::NAMES),
    ("texel formats", arrays::OTHER_NAMES),
    ("textures", textures::NAMES),
    ("surfaces", surfaces::NAMES),
    ("variables", symbols::NAMES),
    ("streams", streams::NAMES),
    ("events", events::NAMES),
    ("callbacks", callbacks::NAMES),
    ("graphs", graphs::NAMES),
    ("nodes of graphs", graph_nodes::NAMES),
    ("parameters of nodes", graph_parameters::NAMES),
    ("launches of graphs", graphs::OTHER_NAMES),
    ("device", devices::NAMES),
    ("errors", errors::NAMES),
    ("driver API (libcuda.so.1)", driver::NAMES),
    ("driver API, as the runtime API", driver::SAME_NAMES),
    ("driver API, linker", linker::NAMES),
    ("driver API, errors", driver::OTHER_NAMES),
    ("approximable memory (shrinkwarp.h)", approximable::NAMES),
];

/// The table of docs/cudart.md: each family with its functions, then those that are missing. A function for programs
/// whose default stream is the thread's (`…_ptds`, `…_ptsz`) goes with its twin.
pub fn support_table() -> String {
    let is_twin = |name: &str| name.ends_with("_ptds") || name.ends_with("_ptsz");
    let list = |names: &[&str]| -> String {
        let names: Vec<_> =
            names.iter().filter(|name| !is_twin(name)).map(|name| format!("`{name}`")).collect();
        names.join(", ")
    };
    let rows = FAMILIES.iter().map(|(family, names)| format!("| {family} | {} |\n", list(names)));
    format!(
        "| family | functions |\n| --- | --- |\n{}| missing | {} |\n",
        rows.collect::<String>(),
        list(missing::NAMES)
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_page_has_the_table_of_today() {
        let page = include_str!("../../../docs/cudart.md");
        assert!(
            page.contains(&support_table()),
            "put the output of `cargo run -p shrinkwarp-cudart --example support_table` into docs/cudart.md"
        );
    }

    #[test]
    fn no_function_is_listed_twice() {
        let mut names = BTreeSet::new();
        let working = FAMILIES.iter().flat_map(|(_, names)| names.iter());
        for name in working.chain(missing::NAMES) {
            assert!(names.insert(name), "{name}");
        }
    }
}
