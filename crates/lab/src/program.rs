//! CUDA programs of the user's own: what is run, in which folder and environment, and what comes back.
//!
//! A program runs in a process of its own with our runtime library in place of NVIDIA's. In experiments every run has a
//! private working folder and a small environment, so that runs side by side do not disturb each other and mean the same
//! tomorrow.
//!
//! | file      | question it answers                                                     |
//! |-----------|-------------------------------------------------------------------------|
//! | `spec`    | what is asked, and is it the same program as another?                   |
//! | `trial`   | how is it run once on a machine, and what did it leave?                 |
//! | `process` | how does a process end that may hang, flood or be interrupted?          |
//! | `folder`  | where does it run, so that nothing else sees its files?                 |
//! | `judge`   | is what it computed right, or how wrong is it?                          |
//! | `library` | where is the runtime library?                                           |
//! | `links`   | how does a program's loader find it?                                    |
//! | `shim`    | what is a `libcudart.so.12` made of?                                    |
//! | `result`  | what did the program's processes leave behind?                          |
//! | `hint`    | why does a program not find the library?                                |
//! | `page`    | how does it look as a page?                                             |

mod folder;
mod hint;
mod judge;
mod library;
mod links;
mod page;
mod process;
mod result;
mod shim;
mod spec;
mod trial;

pub use hint::{hint, loads_runtime};
pub use library::find_library;
pub use links::make_links;
pub use page::page;
pub use result::{NO_CALLS, NO_RUNTIME, ProgramResult, read_results};
pub use spec::{Program, ProgramSpec, approximable_variable};
pub(crate) use trial::{errors, perform, profile};
