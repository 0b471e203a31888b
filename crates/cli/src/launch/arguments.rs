//! Kernel arguments: from TOML values to the bytes of the parameter space.

use std::collections::BTreeMap;

use shrinkwarp_emu::kernel::{Kernel, Parameter};
use toml::{Spanned, Value};

use super::initial::element_bytes;
use super::mistake::Mistake;
use shrinkwarp_lab::suggestion::suggestion;

/// Packs arguments by the kernel's parameters. `buffers` has the address of each buffer.
pub fn pack(
    kernel: &Kernel,
    arguments: &Spanned<Vec<Spanned<Value>>>,
    kernel_span: std::ops::Range<usize>,
    buffers: &BTreeMap<&str, u64>,
) -> Result<Vec<u8>, Mistake> {
    let given = arguments.get_ref();
    if given.len() != kernel.parameters.len() {
        let span = if arguments.span().is_empty() { kernel_span } else { arguments.span() };
        let message = format!("{} arguments are given, {} are needed", given.len(), kernel.parameters.len());
        return Err(Mistake::new(span, message).with_help(format!("the kernel is {}", kernel.signature())));
    }
    let mut bytes = vec![0; kernel.parameter_bytes as usize];
    for (argument, parameter) in given.iter().zip(&kernel.parameters) {
        let value = convert(argument, parameter, buffers).map_err(|message| {
            let help = format!("parameter {} of {}", parameter.name, kernel.signature());
            Mistake::new(argument.span(), message).with_help(help)
        })?;
        let start = parameter.offset as usize;
        if let Some(target) = bytes.get_mut(start..start + value.len()) {
            target.copy_from_slice(&value);
        }
    }
    Ok(bytes)
}

fn convert(
    argument: &Spanned<Value>,
    parameter: &Parameter,
    buffers: &BTreeMap<&str, u64>,
) -> Result<Vec<u8>, String> {
    let (ty, bytes) = (parameter.ty.as_str(), parameter.bytes as usize);
    match argument.get_ref() {
        Value::String(name) => address_bytes(name, 0, parameter, buffers),
        Value::Boolean(value) => Ok(integer_bytes(i64::from(*value), bytes)),
        Value::Integer(value) if matches!(ty, "f32" | "f64") => Ok(float_bytes(*value as f64, ty)),
        Value::Integer(value) => {
            check_range(*value, ty)?;
            Ok(integer_bytes(*value, bytes))
        }
        Value::Float(value) if matches!(ty, "f32" | "f64" | "b32" | "b64") => Ok(float_bytes(*value, ty)),
        Value::Float(value) => Err(format!("{value} is not an integer; this parameter is .{ty}")),
        Value::Array(elements) => array_bytes(elements, parameter),
        Value::Table(table) => table_bytes(table, parameter, buffers),
        Value::Datetime(_) => Err("a date cannot be an argument".into()),
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
        return Err(format!("there is no buffer {name:?}: {}", suggestion(name, &known)));
    };
    if !matches!(ty, "u64" | "b64" | "s64" | "u32" | "b32") {
        return Err(format!("a buffer is an address; this parameter is .{ty}"));
    }
    Ok((address + offset_bytes).to_le_bytes()[..parameter.bytes as usize].to_vec())
}

/// `{ buffer = "x", offset_bytes = 64 }`, or a number with its type: `{ f32 = 2.5 }`.
fn table_bytes(
    table: &toml::Table,
    parameter: &Parameter,
    buffers: &BTreeMap<&str, u64>,
) -> Result<Vec<u8>, String> {
    let offset = table.get("offset_bytes").map_or(Some(0), Value::as_integer);
    let offset = offset.and_then(|offset| u32::try_from(offset).ok());
    if let (Some(Value::String(name)), Some(offset)) = (table.get("buffer"), offset) {
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

fn integer_bytes(value: i64, bytes: usize) -> Vec<u8> {
    let wide = i128::from(value).to_le_bytes();
    wide[..bytes.min(wide.len())].to_vec()
}

fn float_bytes(value: f64, ty: &str) -> Vec<u8> {
    match ty {
        "f32" | "b32" => (value as f32).to_le_bytes().to_vec(),
        _ => value.to_le_bytes().to_vec(),
    }
}

fn check_range(value: i64, ty: &str) -> Result<(), String> {
    let (low, high) = match ty {
        "u8" => (0, i64::from(u8::MAX)),
        "s8" => (i64::from(i8::MIN), i64::from(i8::MAX)),
        "u16" => (0, i64::from(u16::MAX)),
        "s16" => (i64::from(i16::MIN), i64::from(i16::MAX)),
        // Compilers write signed parameters as .u32 and .b32, so both ranges are fine.
        "u32" | "b32" | "s32" => (i64::from(i32::MIN), i64::from(u32::MAX)),
        _ => (i64::MIN, i64::MAX),
    };
    if (low..=high).contains(&value) {
        Ok(())
    } else {
        Err(format!("{value} does not fit a .{ty} parameter"))
    }
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
