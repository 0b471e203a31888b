//! Running a CUDA program with our runtime library in place of NVIDIA's.
//!
//! | file      | question it answers                                                     |
//! |-----------|-------------------------------------------------------------------------|
//! | `library` | where is the runtime library?                                           |
//! | `links`   | how does a program's loader find it?                                    |
//! | `shim`    | what is a `libcudart.so.12` made of?                                    |
//! | `results` | what did the program's processes leave behind?                          |
//! | `hint`    | why does a program not find the library?                                |
//! | `page`    | how does it look as a page?                                             |

mod hint;
mod library;
mod links;
mod page;
mod results;
mod shim;

pub use hint::hint;
pub use library::find_library;
pub use links::make_links;
pub use page::page;
pub use results::{ProgramResult, read_results};
