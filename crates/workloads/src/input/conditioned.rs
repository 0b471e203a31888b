//! Matrices with a given condition number, by construction from their singular values.
//!
//! A = U Σ Vᵀ with random orthogonal U and V and singular values from 1 down to 1/κ in equal steps of their logarithm.
//! The orthogonal factors are those of the QR decomposition of normally distributed matrices, which gives each orthogonal
//! matrix the same chance (Stewart, SIAM J. Numer. Anal. 17(3), 1980): products of Householder reflections of normally
//! distributed vectors of falling length. Neither factor is ever formed.

use super::Rng;
use super::matrix::Matrix;

/// How the two orthogonal factors belong together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Factors {
    /// U and V have nothing to do with each other: a general matrix.
    #[default]
    Independent,
    /// U = V: symmetric and positive definite, which elimination without pivoting needs to be stable.
    Equal,
}

/// A square matrix whose condition number is 10^`condition_log10`.
pub fn conditioned(size: usize, condition_log10: f64, factors: Factors, rng: &mut Rng) -> Matrix {
    let mut a = vec![0.0; size * size];
    for index in 0..size {
        let share = if size > 1 { index as f64 / (size - 1) as f64 } else { 0.0 };
        a[index * size + index] = libm::pow(10.0, -condition_log10 * share);
    }
    for length in 2..=size {
        let left = householder(length, rng);
        let right = if factors == Factors::Equal { left.clone() } else { householder(length, rng) };
        reflect_rows(&mut a, size, &left);
        reflect_columns(&mut a, size, &right);
    }
    Matrix { rows: size, columns: size, values: a.iter().map(|&entry| entry as f32).collect() }
}

/// The unit vector v whose reflection I − 2vvᵀ takes a random vector to the first axis.
fn householder(len: usize, rng: &mut Rng) -> Vec<f64> {
    let norm = |vector: &[f64]| vector.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
    let mut vector: Vec<f64> = (0..len).map(|_| rng.normal()).collect();
    let length = norm(&vector);
    vector[0] += length.copysign(vector[0]);
    let length = norm(&vector).max(f64::MIN_POSITIVE);
    vector.iter().map(|entry| entry / length).collect()
}

/// A becomes (I − 2vvᵀ) A, where v acts on the last rows.
fn reflect_rows(a: &mut [f64], size: usize, v: &[f64]) {
    let first = size - v.len();
    let mut projection = vec![0.0; size];
    for (row, &weight) in a.chunks_exact(size).skip(first).zip(v) {
        for (sum, &entry) in projection.iter_mut().zip(row) {
            *sum += weight * entry;
        }
    }
    for (row, &weight) in a.chunks_exact_mut(size).skip(first).zip(v) {
        for (entry, &sum) in row.iter_mut().zip(&projection) {
            *entry -= 2.0 * weight * sum;
        }
    }
}

/// A becomes A (I − 2vvᵀ), where v acts on the last columns.
fn reflect_columns(a: &mut [f64], size: usize, v: &[f64]) {
    let first = size - v.len();
    for row in a.chunks_exact_mut(size) {
        let projection: f64 = row[first..].iter().zip(v).map(|(entry, weight)| entry * weight).sum();
        for (entry, &weight) in row[first..].iter_mut().zip(v) {
            *entry -= 2.0 * weight * projection;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::singular::condition_number;

    #[test]
    fn the_condition_number_is_the_one_asked_for() {
        for factors in [Factors::Equal, Factors::Independent] {
            for log10 in [1.0, 3.0, 5.0] {
                let matrix = conditioned(24, log10, factors, &mut Rng::new(5));
                let found = libm::log10(condition_number(&matrix));
                assert!((found - log10).abs() < 0.02, "{factors:?}: {found}, not {log10}");
            }
        }
    }

    #[test]
    fn equal_factors_give_a_symmetric_matrix() {
        let matrix = conditioned(8, 2.0, Factors::Equal, &mut Rng::new(1));
        for (row, column) in (0..8).flat_map(|row| (0..8).map(move |column| (row, column))) {
            let (one, other) = (matrix.values[row * 8 + column], matrix.values[column * 8 + row]);
            assert!((one - other).abs() < 1e-6, "{one} and {other}");
        }
    }
}
