//! Does every instruction family do what the standard says, corner cases included?
//!
//! Each `filetests/FAMILY/NAME.ptx` holds kernels and, in comments, how to run them:
//!
//! | line                              | meaning                                                       |
//! |-----------------------------------|---------------------------------------------------------------|
//! | `// run: KERNEL GRID BLOCK`       | launch with this grid and this thread-block size               |
//! | `// shared: BYTES`                | dynamic shared memory of that launch                          |
//! | `// arg: u32 7`                   | a scalar argument (u32, s32, u64, f32, f64; hex bits allowed) |
//! | `// arg: buffer u32 4`            | a zeroed buffer of this number of elements                    |
//! | `// arg: buffer u32 = 1 2 3`      | a buffer with contents                                        |
//! | `// texture: image 1 f32x1 4x2 …` | binds a `.texref`, see `filetest/texture.rs`                  |
//! | `// expect: u32 1 2 3`            | contents of the first buffer at the end                       |
//! | `// fault: TEXT`                  | the launch stops, and the message holds the text              |
//! | `// output: TEXT`                 | what printf wrote; `\n` is a new line                         |
//! | `// refused: TEXT`                | the module cannot be loaded, and the message holds the text   |
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[path = "filetest/texture.rs"]
mod texture;

use std::fs;
use std::path::{Path, PathBuf};

use shrinkwarp_emu::device::Device;
use shrinkwarp_emu::functional::Functional;
use shrinkwarp_emu::launch::Launch;
use texture::TextureLine;

#[test]
fn every_filetest_gives_what_it_expects() {
    let mut files = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests"), &mut files);
    assert!(files.len() > 10, "the filetests are missing");
    let wrong: Vec<String> = files.iter().flat_map(|file| check(file)).collect();
    assert!(wrong.is_empty(), "{} filetests fail:\n{}", wrong.len(), wrong.join("\n"));
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "ptx") {
            files.push(path);
        }
    }
}

/// One launch and what it must do.
#[derive(Default)]
struct Execution {
    kernel: String,
    grid: u32,
    block: u32,
    shared: u32,
    arguments: Vec<Argument>,
    textures: Vec<TextureLine>,
    expected: Vec<u8>,
    fault: Option<String>,
    output: Option<String>,
}

enum Argument {
    Scalar(Vec<u8>),
    Buffer(Vec<u8>),
}

fn check(path: &Path) -> Vec<String> {
    let source = fs::read_to_string(path).unwrap();
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let (runs, refused) = directives(&source);
    if let Some(text) = refused {
        let error = Functional::new().load_module(&source).err().map(|error| error.to_string());
        let is_right = error.as_ref().is_some_and(|error| error.contains(&text));
        return if is_right { Vec::new() } else { vec![format!("{name}: {error:?} does not say {text:?}")] };
    }
    assert!(!runs.is_empty(), "{name} has no run line");
    runs.iter()
        .filter_map(|run| execute(run, &source).err())
        .map(|error| format!("{name}: {error}"))
        .collect()
}

fn directives(source: &str) -> (Vec<Execution>, Option<String>) {
    let mut runs: Vec<Execution> = Vec::new();
    let mut refused = None;
    for line in source.lines() {
        let Some((key, value)) = line.strip_prefix("// ").and_then(|rest| rest.split_once(": ")) else {
            continue;
        };
        let words: Vec<&str> = value.split_whitespace().collect();
        match (key, runs.last_mut()) {
            ("run", _) => runs.push(Execution {
                kernel: words[0].into(),
                grid: words[1].parse().unwrap(),
                block: words[2].parse().unwrap(),
                ..Execution::default()
            }),
            ("refused", _) => refused = Some(value.to_owned()),
            ("shared", Some(run)) => run.shared = value.parse().unwrap(),
            ("texture", Some(run)) => run.textures.push(TextureLine::parse(&words)),
            ("arg", Some(run)) => run.arguments.push(argument(&words)),
            ("expect", Some(run)) => {
                run.expected.extend(words[1..].iter().flat_map(|word| bytes(words[0], word)));
            }
            ("fault", Some(run)) => run.fault = Some(value.to_owned()),
            ("output", Some(run)) => run.output = Some(value.replace("\\n", "\n")),
            _ => {}
        }
    }
    (runs, refused)
}

fn argument(words: &[&str]) -> Argument {
    match words {
        ["buffer", ty, "=", values @ ..] => {
            Argument::Buffer(values.iter().flat_map(|value| bytes(ty, value)).collect())
        }
        ["buffer", ty, count] => {
            Argument::Buffer(vec![0; bytes(ty, "0").len() * count.parse::<usize>().unwrap()])
        }
        [ty, value] => Argument::Scalar(bytes(ty, value)),
        other => panic!("bad argument {other:?}"),
    }
}

/// One value: decimal in its type, or its bits in hexadecimal.
fn bytes(ty: &str, word: &str) -> Vec<u8> {
    if let Some(hex) = word.strip_prefix("0x") {
        let bits = u64::from_str_radix(hex, 16).unwrap().to_le_bytes();
        return bits[..bytes(ty, "0").len()].to_vec();
    }
    match ty {
        "u8" => vec![word.parse::<i32>().unwrap() as u8],
        "u16" => (word.parse::<i32>().unwrap() as u16).to_le_bytes().to_vec(),
        "u32" | "s32" => (word.parse::<i64>().unwrap() as u32).to_le_bytes().to_vec(),
        "u64" | "s64" => (word.parse::<i128>().unwrap() as u64).to_le_bytes().to_vec(),
        "f32" => word.parse::<f32>().unwrap().to_le_bytes().to_vec(),
        "f64" => word.parse::<f64>().unwrap().to_le_bytes().to_vec(),
        other => panic!("unknown type {other}"),
    }
}

fn execute(run: &Execution, source: &str) -> Result<(), String> {
    let mut device = Functional::new();
    let module = device.load_module(source).map_err(|error| error.to_string())?;
    let kernel = module.kernels.get(&run.kernel).ok_or_else(|| format!("no kernel {}", run.kernel))?;
    let mut parameters = vec![0; kernel.parameter_bytes as usize];
    let mut first_buffer = None;
    let mut addresses = vec![0; run.arguments.len()];
    for ((index, argument), parameter) in run.arguments.iter().enumerate().zip(&kernel.parameters) {
        let value = match argument {
            Argument::Scalar(bytes) => bytes.clone(),
            Argument::Buffer(contents) => {
                let address = device.alloc(contents.len() as u64).unwrap();
                device.copy_in(address, contents).unwrap();
                first_buffer.get_or_insert(address);
                addresses[index] = address;
                address.to_le_bytes().to_vec()
            }
        };
        let start = parameter.offset as usize;
        parameters[start..start + value.len()].copy_from_slice(&value);
    }
    for texture in &run.textures {
        let handle = module.variables[&texture.name].address;
        device.bind_texture(handle, texture.at(addresses[texture.argument])).unwrap();
    }
    let mut launch = Launch::new([run.grid, 1, 1], [run.block, 1, 1], parameters);
    launch.dynamic_shared_bytes = run.shared;
    launch.max_thread_instructions = Some(1_000_000);
    let result = device.launch(kernel, &launch).map_err(|error| error.to_string());
    match (&run.fault, result) {
        (Some(text), Err(error)) if error.contains(text) => return Ok(()),
        (Some(text), Err(error)) => return Err(format!("{error:?} does not say {text:?}")),
        (Some(text), Ok(_)) => return Err(format!("{}: no fault {text:?}", run.kernel)),
        (None, Err(error)) => return Err(error),
        (None, Ok(report)) => {
            let printed = String::from_utf8_lossy(&report.output).into_owned();
            if run.output.as_ref().is_some_and(|output| *output != printed) {
                return Err(format!("{}: printed {printed:?}", run.kernel));
            }
        }
    }
    let mut contents = vec![0; run.expected.len()];
    if let Some(address) = first_buffer {
        device.copy_out(address, &mut contents).unwrap();
    }
    let words =
        |bytes: &[u8]| bytes.chunks(4).map(|chunk| format!("{chunk:02x?}")).collect::<Vec<_>>().join(" ");
    if contents == run.expected {
        return Ok(());
    }
    Err(format!("{}: got {} expected {}", run.kernel, words(&contents), words(&run.expected)))
}
