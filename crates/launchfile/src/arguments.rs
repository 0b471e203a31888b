//! Kernel arguments: from TOML values to the bytes of the parameter space.

use std::collections::BTreeMap;

use shrinkwarp_emu::kernel::{Kernel, Parameter};
use shrinkwarp_report::suggestion::suggestion;
use toml::{Spanned, Value};

use super::initial::element_bytes;
use super::number::Number;
use shrinkwarp_formats::Dtype;
use shrinkwarp_report::excerpt::Mistake;

/// Packs arguments by the kernel's parameters, or says what is wrong with each. `buffers` has the address of each
/// buffer.
pub fn pack(
    kernel: &Kernel,
    arguments: &Spanned<Vec<Spanned<Value>>>,
    kernel_span: std::ops::Range<usize>,
    buffers: &BTreeMap<&str, u64>,
) -> Result<Vec<u8>, Vec<Mistake>> {
    let given = arguments.get_ref();
    if given.len() != kernel.parameters.len() {
        let span = if arguments.span().is_empty() { kernel_span } else { arguments.span() };
        let message = format!("{} arguments are given, {} are needed", given.len(), kernel.parameters.len());
        return Err(vec![
            Mistake::new(span, message).with_help(format!("the kernel is {}", kernel.signature())),
        ]);
    }
    let mut bytes = vec![0; kernel.parameter_bytes as usize];
    let mut mistakes = Vec::new();
    for (argument, parameter) in given.iter().zip(&kernel.parameters) {
        let start = parameter.offset as usize;
        match convert(argument, parameter, buffers) {
            Ok(value) => bytes[start..start + value.len()].copy_from_slice(&value),
            Err(message) => {
                let help = format!("parameter {} of {}", parameter.name, kernel.signature());
                mistakes.push(Mistake::new(argument.span(), message).with_help(help));
            }
        }
    }
    if mistakes.is_empty() { Ok(bytes) } else { Err(mistakes) }
}

/// The bytes of one argument, as many as the parameter has.
fn convert(
    argument: &Spanned<Value>,
    parameter: &Parameter,
    buffers: &BTreeMap<&str, u64>,
) -> Result<Vec<u8>, String> {
    match argument.get_ref() {
        Value::Array(elements) => array_bytes(elements, parameter),
        Value::Table(table) => table_bytes(table, parameter, buffers),
        Value::String(name) => address_bytes(name, 0, parameter, buffers),
        Value::Boolean(value) => number_bytes(Number::Integer(i64::from(*value)), parameter),
        Value::Integer(value) => number_bytes(Number::Integer(*value), parameter),
        Value::Float(value) => number_bytes(Number::Float(*value), parameter),
        Value::Datetime(_) => Err("a date cannot be an argument".into()),
    }
}

/// The bytes of a number, as many as the parameter has, or why it does not fit.
pub fn number_bytes(number: Number, parameter: &Parameter) -> Result<Vec<u8>, String> {
    let ty = parameter.ty.as_str();
    match number {
        _ if ty.contains('[') => Err(format!(
            "this parameter is .{ty}, a structure; give its {} bytes as an array",
            parameter.bytes
        )),
        number if ty.starts_with('f') => float_bytes(number, ty),
        Number::Integer(value) => integer_bytes(value, parameter),
        Number::Float(_) if matches!(ty, "b32" | "b64") => float_bytes(number, ty),
        Number::Float(value) => Err(format!("{value} is not an integer; this parameter is .{ty}")),
    }
}

/// The address of a byte of a buffer.
fn address_bytes(
    name: &str,
    offset_bytes: u64,
    parameter: &Parameter,
    buffers: &BTreeMap<&str, u64>,
) -> Result<Vec<u8>, String> {
    let ty = parameter.ty.as_str();
    let Some(address) = buffers.get(name) else {
        let known: Vec<_> = buffers.keys().copied().collect();
        return Err(format!("unknown buffer {name:?}: {}", suggestion(name, &known)));
    };
    if !matches!(ty, "u64" | "b64" | "s64" | "u32" | "b32") {
        return Err(format!("a buffer is an address; this parameter is .{ty}"));
    }
    let bytes = (address + offset_bytes).to_le_bytes();
    let (low, high) = bytes.split_at(parameter.bytes as usize);
    if high.iter().any(|&byte| byte != 0) {
        return Err(format!("the address of {name:?} has more than the 32 bits of this .{ty} parameter"));
    }
    Ok(low.to_vec())
}

/// `{ buffer = "x", offset_bytes = 64 }`, or a number with its type: `{ f32 = 2.5 }`.
fn table_bytes(
    table: &toml::Table,
    parameter: &Parameter,
    buffers: &BTreeMap<&str, u64>,
) -> Result<Vec<u8>, String> {
    let offset = table.get("offset_bytes").map_or(Some(0), Value::as_integer);
    let offset = offset.and_then(|offset| u32::try_from(offset).ok());
    let is_address = table.keys().all(|key| matches!(key.as_str(), "buffer" | "offset_bytes"));
    if let (true, Some(Value::String(name)), Some(offset)) = (is_address, table.get("buffer"), offset) {
        return address_bytes(name, u64::from(offset), parameter, buffers);
    }
    let mut entries = table.iter();
    let (Some((name, value)), None) = (entries.next(), entries.next()) else {
        return Err("a table is { buffer = \"x\", offset_bytes = 64 } or { f32 = 2.5 }".into());
    };
    let typed = element_bytes(name, value)?;
    let has_float_parameter = parameter.ty.starts_with('f');
    let is_bits = parameter.ty.starts_with('b');
    if typed.len() != parameter.bytes as usize || (!is_bits && name.contains('f') != has_float_parameter) {
        return Err(format!("{name} does not fit; this parameter is .{}", parameter.ty));
    }
    Ok(typed)
}

fn float_bytes(value: Number, ty: &str) -> Result<Vec<u8>, String> {
    let dtype = match ty {
        "f64" | "b64" => Dtype::F64,
        "f16" => Dtype::F16,
        _ => Dtype::F32,
    };
    let mut bytes = Vec::new();
    value.append(&mut bytes, dtype)?;
    Ok(bytes)
}

/// Compilers write signed parameters as .u32 and .b32, so these take both ranges; narrow ones keep to their own.
fn integer_bytes(value: i64, parameter: &Parameter) -> Result<Vec<u8>, String> {
    let (ty, bits) = (parameter.ty.as_str(), 8 * parameter.bytes);
    let is_narrow = bits < 32;
    let low = if is_narrow && ty.starts_with('u') { 0 } else { -(1i128 << (bits - 1)) };
    let high = if is_narrow && ty.starts_with('s') { 1i128 << (bits - 1) } else { 1i128 << bits };
    if !(low..high).contains(&i128::from(value)) {
        return Err(format!("{value} does not fit a .{ty} parameter"));
    }
    Ok(i128::from(value).to_le_bytes()[..parameter.bytes as usize].to_vec())
}

/// A structure passed by value: its bytes.
fn array_bytes(elements: &[Value], parameter: &Parameter) -> Result<Vec<u8>, String> {
    let byte = |element: &Value| element.as_integer().and_then(|value| u8::try_from(value).ok());
    let bytes: Option<Vec<u8>> = elements.iter().map(byte).collect();
    match bytes {
        Some(bytes) if bytes.len() == parameter.bytes as usize => Ok(bytes),
        Some(bytes) => Err(format!("{} bytes for a parameter of {}", bytes.len(), parameter.bytes)),
        None => Err("an array is taken as bytes: integers from 0 to 255".into()),
    }
}
