//! Sparse matrices in compressed rows: uniformly random ones, and the stiffness matrix of a finite-element mesh.

use super::Rng;

/// A square matrix in compressed sparse rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Sparse {
    /// Where each row begins, and the end of the last.
    pub row_start: Vec<i32>,
    /// Columns, ascending in a row.
    pub column: Vec<i32>,
    /// Entries.
    pub value: Vec<f32>,
}

impl Sparse {
    /// Rows, and columns.
    pub fn rows(&self) -> usize {
        self.row_start.len() - 1
    }

    /// Where the entries of a row lie.
    pub fn entries(&self, row: usize) -> std::ops::Range<usize> {
        self.row_start[row] as usize..self.row_start[row + 1] as usize
    }

    /// A x on the CPU, in double precision inside.
    pub fn multiply(&self, x: &[f32]) -> Vec<f32> {
        let term = |i: usize| f64::from(self.value[i]) * f64::from(x[self.column[i] as usize]);
        (0..self.rows()).map(|row| self.entries(row).map(term).sum::<f64>() as f32).collect()
    }
}

/// Every entry is there with the same probability; values are uniform in [0, `largest`).
pub fn uniform(rows: usize, density: f64, largest: f32, rng: &mut Rng) -> Sparse {
    let mut matrix = Sparse { row_start: vec![0], column: Vec::new(), value: Vec::new() };
    // The gap between two entries, counted over the rows one after the other, is geometrically distributed.
    let mut gap = || (rng.exponential() / -libm::log(1.0 - density)) as usize;
    let mut place = gap();
    for row in 0..rows {
        while place < (row + 1) * rows {
            matrix.column.push((place - row * rows) as i32);
            place += 1 + gap();
        }
        matrix.row_start.push(matrix.column.len() as i32);
    }
    matrix.value = matrix.column.iter().map(|_| rng.uniform(0.0, largest)).collect();
    matrix
}

/// Nodes of a cubic element on a line, counted with both ends.
const NODES: usize = 4;
/// Stiffness and mass of a cubic element of length 1 on a line.
const STIFFNESS: [[f64; NODES]; NODES] = [
    [3.7, -4.725, 1.35, -0.325],
    [-4.725, 10.8, -7.425, 1.35],
    [1.35, -7.425, 10.8, -4.725],
    [-0.325, 1.35, -4.725, 3.7],
];
const MASS: [[f64; NODES]; NODES] = [
    [128.0 / 1680.0, 99.0 / 1680.0, -36.0 / 1680.0, 19.0 / 1680.0],
    [99.0 / 1680.0, 648.0 / 1680.0, -81.0 / 1680.0, -36.0 / 1680.0],
    [-36.0 / 1680.0, -81.0 / 1680.0, 648.0 / 1680.0, 99.0 / 1680.0],
    [19.0 / 1680.0, -36.0 / 1680.0, 99.0 / 1680.0, 128.0 / 1680.0],
];

/// The Laplace operator on a square of `elements` × `elements` bicubic elements, zero at the edge. Rows have 9 to 49 entries, 25 in the
/// mean; 128 elements give the 146,689 rows of the matrix Dubcova3, which Parboil's large data set is.
pub fn bicubic_laplacian(elements: usize) -> Sparse {
    let inner = elements * (NODES - 1) - 1;
    let [stiffness, mass] = [STIFFNESS, MASS].map(|local| assemble(elements, local));
    let mut matrix = Sparse { row_start: vec![0], column: Vec::new(), value: Vec::new() };
    for y in 0..inner {
        for x in 0..inner {
            for (&(other_y, stiffness_y), &(_, mass_y)) in stiffness[y].iter().zip(&mass[y]) {
                for (&(other_x, stiffness_x), &(_, mass_x)) in stiffness[x].iter().zip(&mass[x]) {
                    matrix.column.push((other_y * inner + other_x) as i32);
                    matrix.value.push((stiffness_y * mass_x + mass_y * stiffness_x) as f32);
                }
            }
            matrix.row_start.push(matrix.column.len() as i32);
        }
    }
    matrix
}

/// The matrix of a line of elements without its two end nodes: for each node, its neighbours in order and the entries.
fn assemble(elements: usize, local: [[f64; NODES]; NODES]) -> Vec<Vec<(usize, f64)>> {
    let all = elements * (NODES - 1) + 1;
    let mut rows = vec![std::collections::BTreeMap::new(); all];
    for element in 0..elements {
        let first = element * (NODES - 1);
        for (i, row) in local.iter().enumerate() {
            for (j, entry) in row.iter().enumerate() {
                *rows[first + i].entry(first + j).or_insert(0.0) += entry;
            }
        }
    }
    let inner = |node: usize| (1..all - 1).contains(&node);
    (1..all - 1)
        .map(|node| {
            let entries = rows[node].iter().filter(|&(&other, _)| inner(other));
            entries.map(|(&other, &entry)| (other - 1, entry)).collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uniform_matrix_has_the_density_asked_for_and_ascending_columns() {
        let matrix = uniform(1000, 0.01, 10.0, &mut Rng::new(1));
        assert!((9_600..10_400).contains(&matrix.column.len()), "{}", matrix.column.len());
        for row in 0..1000 {
            assert!(matrix.column[matrix.entries(row)].is_sorted_by(|a, b| a < b));
        }
    }

    #[test]
    fn the_laplacian_of_a_constant_is_zero_away_from_the_edge() {
        let matrix = bicubic_laplacian(4);
        assert_eq!(matrix.rows(), 11 * 11);
        let product = matrix.multiply(&[1.0; 121]);
        // The node in the middle is two elements away from the edge.
        assert!(product[5 * 11 + 5].abs() < 1e-5, "{}", product[60]);
        assert!(product[0].abs() > 0.01);
    }
}
