//! Singular values and the condition number of a matrix.
//!
//! One-sided Jacobi (Hestenes, J. SIAM 6(1), 1958): pairs of columns are rotated until all are orthogonal; their lengths are
//! then the singular values. It is slower than bidiagonalisation and finds small singular values to full relative
//! accuracy, which a condition number needs.

use super::matrix::Matrix;

/// Sweeps over all pairs of columns; convergence is quadratic and mostly needs under ten.
const MAX_SWEEPS: u32 = 40;
/// Columns whose cosine is below this are orthogonal.
const ORTHOGONAL: f64 = 1e-14;

/// The largest singular value over the smallest: infinite for a singular matrix.
pub fn condition_number(matrix: &Matrix) -> f64 {
    let values = singular_values(matrix);
    match (values.first(), values.last()) {
        (Some(&largest), Some(&smallest)) if smallest > 0.0 => largest / smallest,
        _ => f64::INFINITY,
    }
}

/// The min(rows, columns) singular values, largest first.
pub fn singular_values(matrix: &Matrix) -> Vec<f64> {
    let mut columns = as_columns(matrix);
    for _ in 0..MAX_SWEEPS {
        if !sweep(&mut columns) {
            break;
        }
    }
    let mut values: Vec<f64> = columns.iter().map(|column| dot(column, column).sqrt()).collect();
    values.sort_by(|a, b| b.total_cmp(a));
    values
}

/// The columns of the matrix or of its transpose, whichever has fewer.
fn as_columns(matrix: &Matrix) -> Vec<Vec<f64>> {
    let &Matrix { rows, columns, ref values } = matrix;
    let entry = |row: usize, column: usize| f64::from(values[row * columns + column]);
    if rows < columns {
        (0..rows).map(|row| (0..columns).map(|column| entry(row, column)).collect()).collect()
    } else {
        (0..columns).map(|column| (0..rows).map(|row| entry(row, column)).collect()).collect()
    }
}

/// Makes every pair of columns orthogonal once; whether any was not.
fn sweep(columns: &mut [Vec<f64>]) -> bool {
    let mut has_rotated = false;
    for second in 1..columns.len() {
        let (before, rest) = columns.split_at_mut(second);
        for first in before {
            has_rotated |= rotate(first, &mut rest[0]);
        }
    }
    has_rotated
}

fn rotate(a: &mut [f64], b: &mut [f64]) -> bool {
    let (aa, bb, ab) = (dot(a, a), dot(b, b), dot(a, b));
    if ab.abs() <= ORTHOGONAL * (aa * bb).sqrt() {
        return false;
    }
    let zeta = (bb - aa) / (2.0 * ab);
    let tangent = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
    let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
    let sine = cosine * tangent;
    for (a, b) in a.iter_mut().zip(b) {
        (*a, *b) = (cosine * *a - sine * *b, sine * *a + cosine * *b);
    }
    true
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: usize, columns: usize, values: &[f32]) -> Matrix {
        Matrix { rows, columns, values: values.to_vec() }
    }

    #[test]
    fn known_matrices_have_their_known_singular_values() {
        // [[3, 0], [4, 5]] has singular values √45 and √5.
        let values = singular_values(&matrix(2, 2, &[3.0, 0.0, 4.0, 5.0]));
        assert!((values[0] - 45f64.sqrt()).abs() < 1e-12 && (values[1] - 5f64.sqrt()).abs() < 1e-12);
        // A row has one: its length.
        assert_eq!(singular_values(&matrix(1, 2, &[3.0, 4.0])), [5.0]);
        assert_eq!(singular_values(&matrix(2, 1, &[3.0, 4.0])), [5.0]);
    }

    #[test]
    fn a_singular_matrix_has_no_finite_condition_number() {
        let condition = condition_number(&matrix(2, 2, &[1.0, 2.0, 2.0, 4.0]));
        assert!(condition > 1e15, "{condition}");
        assert_eq!(condition_number(&matrix(2, 2, &[0.0; 4])), f64::INFINITY);
    }
}
