//! A CUDA runtime library over a simulated GPU: programs built for NVIDIA's `libcudart` run on it unchanged.
//!
//! | module         | question it answers                                                              |
//! |----------------|-----------------------------------------------------------------------------------|
//! | [`api`]        | which functions can a program call? One file a family                             |
//! | [`fat_binary`] | where is the PTX in what the compiler made?                                       |
//! | [`runtime`]    | what is the state behind the functions: device, modules, streams, launches?       |
//! | [`error`], [`failure`] | which code does a program see, what does a person read?                   |
//! | [`foreign`]    | how are a C caller's pointers read and written? The only place that trusts them   |
//! | [`properties`] | how does `cudaDeviceProp` lie in memory, for each version of the runtime?         |
//! | [`settings`]   | what do the `SHRINKWARP_*` variables ask for?                                     |
//! | [`result`]     | what is left behind when the program ends?                                        |
//! | [`version`]    | which libcudart did the program ask for?                                          |

pub mod api;
pub mod error;
pub mod failure;
pub mod fat_binary;
pub mod foreign;
pub mod guard;
pub mod properties;
pub mod result;
pub mod runtime;
pub mod settings;
pub mod version;
