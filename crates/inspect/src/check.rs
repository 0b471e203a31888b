//! The summary of a PTX file without mistakes, or its mistakes as JSON.

use std::path::Path;

use serde_json::{Map, Value, json};
use shrinkwarp_emu::device::LoadError;
use shrinkwarp_emu::load::unsupported;
use shrinkwarp_ptx::ast::{Function, Module};
use shrinkwarp_ptx::isa::{Opcode, StateSpace, UnitClass};
use shrinkwarp_ptx::{Diagnostic, Summary, bytes_in};

/// Opcodes named in the instruction mix; the others are counted together.
const NAMED_OPCODES: usize = 8;

/// The summary as tables.
pub fn text(path: &Path, module: &Module) -> String {
    let rows = summaries(module);
    let total = Totals::of(&rows);
    let (major, minor) = module.version;
    let kernels = rows.iter().filter(|(function, _)| function.is_kernel()).count();
    let mut text = format!(
        "{}: PTX {major}.{minor} for {}, {}, {}, {}\n\n",
        path.display(),
        module.target.join(" "),
        counted(kernels, "kernel"),
        counted(rows.len() - kernels, "function"),
        counted(total.instructions, "instruction"),
    );
    text += &table(&rows);
    text += &format!("\nmodule data: {}\n", module_data(module));
    text += &format!("units: {}\n", unit_mix(&total));
    text += &format!("opcodes: {}\n", opcode_mix(&total));
    text + &not_executable(&unsupported(module)) + "\n"
}

/// The summary as JSON.
pub fn json(path: &Path, module: &Module) -> Value {
    let rows = summaries(module);
    let functions: Vec<Value> =
        rows.iter().map(|(function, summary)| function_json(function, summary)).collect();
    let (major, minor) = module.version;
    json!({
        "file": path.display().to_string(),
        "is_valid": true,
        "version": format!("{major}.{minor}"),
        "target": module.target,
        "address_size_bits": module.address_size_bits,
        "global_bytes": bytes_in(&module.globals, StateSpace::Global),
        "const_bytes": bytes_in(&module.globals, StateSpace::Constant),
        "shared_bytes": bytes_in(&module.globals, StateSpace::Shared),
        "functions": functions,
        "unsupported": unsupported(module)
            .iter()
            .map(|error| json!({ "line": error.line, "message": error.message }))
            .collect::<Vec<Value>>(),
    })
}

/// Whether a file has nothing that PTX consists of: it may be blank, or only comments.
pub fn is_empty(module: &Module) -> bool {
    module.version == (0, 0) && module.functions.is_empty() && module.globals.is_empty()
}

/// The mistakes of a file as JSON.
pub fn mistakes_json(path: &Path, found: &[Diagnostic]) -> Value {
    let mistakes: Vec<Value> = found
        .iter()
        .map(|diagnostic| {
            json!({
                "line": diagnostic.span.line,
                "column": diagnostic.span.column,
                "start_byte": diagnostic.span.start,
                "end_byte": diagnostic.span.end,
                "message": diagnostic.message,
                "hint": diagnostic.hint,
            })
        })
        .collect();
    json!({ "file": path.display().to_string(), "is_valid": false, "mistakes": mistakes })
}

fn function_json(function: &Function, summary: &Summary) -> Value {
    let units: Map<String, Value> = UnitClass::ALL
        .iter()
        .zip(summary.by_unit)
        .map(|(unit, count)| (unit.name().to_owned(), count.into()))
        .collect();
    let opcodes: Map<String, Value> = summary
        .by_opcode
        .iter()
        .map(|(opcode, count)| (opcode.info().mnemonic.to_owned(), (*count).into()))
        .collect();
    json!({
        "name": function.name,
        "is_kernel": function.is_kernel(),
        "instructions": summary.instructions,
        "blocks": summary.blocks,
        "needed_registers": summary.needed_register_words,
        "declared_registers": summary.declared_register_words,
        "needed_predicates": summary.needed_predicates,
        "parameter_bytes": summary.parameter_bytes,
        "shared_bytes": summary.shared_bytes,
        "local_bytes": summary.local_bytes,
        "units": units,
        "opcodes": opcodes,
    })
}

fn summaries(module: &Module) -> Vec<(&Function, Summary)> {
    let defined = module.functions.iter().filter(|function| function.body.is_some());
    defined.map(|function| (function, Summary::of(function))).collect()
}

fn table(rows: &[(&Function, Summary)]) -> String {
    let width = rows.iter().map(|(function, _)| function.name.chars().count()).max().unwrap_or(0).max(6);
    let mut text = format!(
        "{:<width$}  {:>12}  {:>6}  {:>9}  {:>8}  {:>10}  {:>8}  {:>7}  {:>7}\n",
        "kernel",
        "instructions",
        "blocks",
        "registers",
        "declared",
        "predicates",
        "shared B",
        "local B",
        "param B",
    );
    for (function, summary) in rows {
        text += &format!(
            "{:<width$}  {:>12}  {:>6}  {:>9}  {:>8}  {:>10}  {:>8}  {:>7}  {:>7}\n",
            function.name,
            summary.instructions,
            summary.blocks,
            summary.needed_register_words,
            summary.declared_register_words,
            summary.needed_predicates,
            summary.shared_bytes,
            summary.local_bytes,
            summary.parameter_bytes,
        );
    }
    text
}

/// Counts over all functions of a file.
struct Totals {
    instructions: usize,
    by_unit: [usize; UnitClass::ALL.len()],
    by_opcode: Vec<usize>,
}

impl Totals {
    fn of(rows: &[(&Function, Summary)]) -> Totals {
        let mut totals = Totals {
            instructions: 0,
            by_unit: [0; UnitClass::ALL.len()],
            by_opcode: vec![0; Opcode::ALL.len()],
        };
        for (_, summary) in rows {
            totals.instructions += summary.instructions;
            for (total, count) in totals.by_unit.iter_mut().zip(summary.by_unit) {
                *total += count;
            }
            for (opcode, count) in &summary.by_opcode {
                totals.by_opcode[*opcode as usize] += count;
            }
        }
        totals
    }

    fn share(&self, count: usize) -> String {
        format!("{:.1} %", 100.0 * count as f64 / self.instructions.max(1) as f64)
    }
}

fn unit_mix(total: &Totals) -> String {
    let used = UnitClass::ALL.iter().zip(total.by_unit).filter(|(_, count)| *count > 0);
    used.map(|(unit, count)| format!("{} {}", unit.name(), total.share(count))).collect::<Vec<_>>().join(", ")
}

fn opcode_mix(total: &Totals) -> String {
    let mut used: Vec<(Opcode, usize)> = Opcode::ALL
        .iter()
        .copied()
        .zip(total.by_opcode.iter().copied())
        .filter(|(_, count)| *count > 0)
        .collect();
    // Opcodes of equal count stay in table order.
    used.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let (named, others) = used.split_at(used.len().min(NAMED_OPCODES));
    let mut parts: Vec<String> = named
        .iter()
        .map(|(opcode, count)| format!("{} {}", opcode.info().mnemonic, total.share(*count)))
        .collect();
    if !others.is_empty() {
        let rest = others.iter().map(|(_, count)| count).sum();
        parts.push(format!("{} others {}", others.len(), total.share(rest)));
    }
    parts.join(", ")
}

/// What the emulator would refuse to load; nothing to say when it takes everything.
fn not_executable(errors: &[LoadError]) -> String {
    if errors.is_empty() {
        return String::new();
    }
    errors.iter().fold("not executable here:\n".to_owned(), |text, error| {
        text + &format!("  line {}: {}\n", error.line, error.message)
    })
}

fn module_data(module: &Module) -> String {
    let spaces = [StateSpace::Global, StateSpace::Constant, StateSpace::Shared];
    let parts = spaces.map(|space| format!("{} {} B", space.spelling(), bytes_in(&module.globals, space)));
    parts.join(", ")
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
