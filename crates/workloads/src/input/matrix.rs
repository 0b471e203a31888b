//! Dense matrices: the formula-made ones of linear-algebra suites, a user's `.npy`, and plain CPU products.

use super::Rng;
use crate::error::InputFileError;

/// A dense matrix, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// Entries.
    pub values: Vec<f32>,
}

/// A matrix made by the kind of formula that linear-algebra benchmarks use: smooth along rows, all entries different.
pub fn waves(rows: usize, columns: usize) -> Matrix {
    let entry = |index: usize| {
        let (row, column) = (index / columns, index % columns);
        (row as f32 * (column + 1) as f32) / rows as f32 / columns as f32
    };
    Matrix { rows, columns, values: (0..rows * columns).map(entry).collect() }
}

/// A matrix of uniform random numbers in [0, 1).
pub fn uniform(rows: usize, columns: usize, rng: &mut Rng) -> Matrix {
    Matrix { rows, columns, values: (0..rows * columns).map(|_| rng.uniform(0.0, 1.0)).collect() }
}

/// PolyBench's matrix: the product of row and column, divided by the rows.
pub fn products(rows: usize, columns: usize) -> Matrix {
    let entry = |index: usize| (index / columns) as f32 * (index % columns) as f32 / rows as f32;
    Matrix { rows, columns, values: (0..rows * columns).map(entry).collect() }
}

/// PolyBench's vector.
pub fn multiples_of_pi(len: usize) -> Vec<f32> {
    (0..len).map(|index| (index as f64 * std::f64::consts::PI) as f32).collect()
}

/// A symmetric matrix whose entries decay exponentially away from the diagonal, 10 exp(-rate |i - j|): the input of
/// elimination benchmarks.
pub fn decaying(size: usize, rate: f64) -> Vec<f32> {
    let entry = |index: usize| {
        let distance = (index / size).abs_diff(index % size);
        (10.0 * libm::exp(-rate * distance as f64)) as f32
    };
    (0..size * size).map(entry).collect()
}

/// A square matrix of numbers with one decimal place between -0.9 and 0.9, as in the files of Rodinia's gaussian (those have 4.5
/// characters for an entry).
pub fn one_decimal(size: usize, rng: &mut Rng) -> Vec<f32> {
    (0..size * size).map(|_| (rng.below(19) as f32 - 9.0) / 10.0).collect()
}

/// The product of a lower triangle with ones on its diagonal and an upper triangle, both of uniform numbers in [0, 1), as in the
/// files of Rodinia's lud.
pub fn triangles(size: usize, rng: &mut Rng) -> Vec<f32> {
    let packed: Vec<f32> = (0..size * size).map(|_| rng.uniform(0.0, 1.0)).collect();
    triangles_product(&packed, size)
}

/// L U on the CPU, of triangles in one matrix (the diagonal of L is 1).
pub fn triangles_product(packed: &[f32], size: usize) -> Vec<f32> {
    let lower =
        |row: usize, column: usize| if row == column { 1.0 } else { f64::from(packed[row * size + column]) };
    let mut result = Vec::with_capacity(size * size);
    for row in 0..size {
        let mut sums = vec![0.0f64; size];
        for inner in 0..=row {
            let factor = lower(row, inner);
            for (sum, &upper) in
                sums[inner..].iter_mut().zip(&packed[inner * size + inner..(inner + 1) * size])
            {
                *sum += factor * f64::from(upper);
            }
        }
        result.extend(sums.iter().map(|&sum| sum as f32));
    }
    result
}

/// A x on the CPU, in double precision inside.
pub fn multiply(a: &[f32], x: &[f32], columns: usize) -> Vec<f32> {
    let dot = |row: &[f32]| row.iter().zip(x).map(|(&a, &x)| f64::from(a) * f64::from(x)).sum::<f64>();
    a.chunks_exact(columns).map(|row| dot(row) as f32).collect()
}

/// Aᵀ x on the CPU, in double precision inside.
pub fn multiply_transposed(a: &[f32], x: &[f32], columns: usize) -> Vec<f32> {
    let mut sums = vec![0.0f64; columns];
    for (row, &x) in a.chunks_exact(columns).zip(x) {
        for (sum, &a) in sums.iter_mut().zip(row) {
            *sum += f64::from(a) * f64::from(x);
        }
    }
    sums.iter().map(|&sum| sum as f32).collect()
}

/// A B on the CPU for square matrices, in double precision inside.
pub fn product(a: &[f32], b: &[f32], size: usize) -> Vec<f32> {
    let mut result = Vec::with_capacity(size * size);
    for row in a.chunks_exact(size) {
        result.extend(multiply_transposed(b, row, size));
    }
    result
}

const NPY_MAGIC: &[u8] = b"\x93NUMPY";

/// Reads a one- or two-dimensional little-endian f32 or f64 `.npy` array in C order.
pub fn parse_npy(bytes: &[u8]) -> Result<Matrix, InputFileError> {
    let wrong = |what: &str| InputFileError::at(0, what.to_owned());
    if !bytes.starts_with(NPY_MAGIC) || bytes.len() < 12 {
        return Err(wrong("not a .npy array (its magic number is missing)"));
    }
    let (header_start, header_len): (usize, usize) = match bytes[6] {
        1 => (10, usize::from(u16::from_le_bytes([bytes[8], bytes[9]]))),
        _ => (12, u32::from_le_bytes([bytes[8], bytes[9], bytes[10], bytes[11]]) as usize),
    };
    let header = bytes.get(header_start..header_start.saturating_add(header_len));
    let header = header
        .and_then(|header| std::str::from_utf8(header).ok())
        .ok_or_else(|| wrong("the .npy header is truncated"))?;
    let element_bytes = match () {
        () if header.contains("'<f4'") => 4,
        () if header.contains("'<f8'") => 8,
        () => return Err(wrong("the .npy array must hold <f4 or <f8 numbers")),
    };
    if header.contains("'fortran_order': True") {
        return Err(wrong("the .npy array is in Fortran order; save it in C order"));
    }
    let shape =
        header.split_once("'shape': (").and_then(|(_, rest)| rest.split_once(')')).map(|(shape, _)| shape);
    let extents: Vec<usize> =
        shape.unwrap_or_default().split(',').map_while(|extent| extent.trim().parse().ok()).collect();
    let (rows, columns) = match extents[..] {
        [columns] => (1, columns),
        [rows, columns] => (rows, columns),
        _ => return Err(wrong("the .npy array must have one or two dimensions")),
    };
    let data = &bytes[header_start + header_len..];
    if rows == 0 || columns == 0 {
        return Err(wrong("the .npy array is empty"));
    }
    let wanted = rows.checked_mul(columns).and_then(|count| count.checked_mul(element_bytes));
    if wanted != Some(data.len()) || data.is_empty() {
        return Err(wrong("the .npy data does not fill its shape"));
    }
    let number = |chunk: &[u8]| match *chunk {
        [a, b, c, d] => f32::from_le_bytes([a, b, c, d]),
        [a, b, c, d, e, f, g, h] => f64::from_le_bytes([a, b, c, d, e, f, g, h]) as f32,
        _ => 0.0,
    };
    Ok(Matrix { rows, columns, values: data.chunks_exact(element_bytes).map(number).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn npy(header: &str, data: &[u8]) -> Vec<u8> {
        let mut bytes = NPY_MAGIC.to_vec();
        bytes.extend_from_slice(&[1, 0]);
        bytes.extend_from_slice(&(header.len() as u16).to_le_bytes());
        bytes.extend_from_slice(header.as_bytes());
        bytes.extend_from_slice(data);
        bytes
    }

    #[test]
    fn an_array_reads_back_and_a_cut_one_is_refused() {
        let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }\n";
        let data: Vec<u8> = [1.5f32, -2.0].iter().flat_map(|value| value.to_le_bytes()).collect();
        let matrix = parse_npy(&npy(header, &data)).unwrap();
        assert_eq!((matrix.rows, matrix.columns, matrix.values), (1, 2, vec![1.5, -2.0]));
        assert!(parse_npy(&npy(header, &data[..7])).is_err());
        assert!(parse_npy(&npy("{'descr': '<i4', 'shape': (1,2)}", &data)).is_err());
        for end in 0..20 {
            assert!(parse_npy(&npy(header, &data)[..end]).is_err());
        }
    }

    #[test]
    fn a_transposed_product_is_the_product_with_the_transpose() {
        let a = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(multiply(&a, &[1.0, 10.0], 2), [21.0, 43.0]);
        assert_eq!(multiply_transposed(&a, &[1.0, 10.0], 2), [31.0, 42.0]);
        assert_eq!(product(&a, &a, 2), [7.0, 10.0, 15.0, 22.0]);
    }
}
