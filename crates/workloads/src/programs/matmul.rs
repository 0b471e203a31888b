//! Dense matrix product as MapReduce: one record for each element of the result.

use super::mars::{self, Input, address_words};
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::workload::{BufferInfo, Class, DataSet, ElementType, Paper, Workload, approximable};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "matmul",
    summary: "dense matrix product, straight from global memory",
    class: Class::Float,
    papers: &[(Paper::Latte, "MM")],
    is_cache_sensitive: true,
    buffers: &BUFFERS,
    input: None,
    data_sets: &[DataSet::new("mars", "as Mars generates: rand() % 100 as floats").revised(2)],
    ptx: include_str!("../../kernels/matmul.ptx"),
    run,
};

const BUFFERS: [BufferInfo; 11] = mars::map_buffers(
    &[approximable("a", ElementType::F32), approximable("b", ElementType::F32)],
    approximable("keys", ElementType::F32),
);

/// Numbers are whole and below this.
const NUMBERS: u32 = 100;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let size: usize = host.size(host.scale().pick(20, 192, 512), 1..=4096)?.next_multiple_of(4);
    // The kernel reads four numbers at a time. Rows at small scale are half as long as the result is wide, which keeps the
    // number of thread blocks; at paper scale they have their 1,024 numbers, whose lines share an L1 set, and the result is a
    // quarter.
    let length = if host.has_properties() { size } else { host.scale().pick(size, size / 2, 1024) };
    let mut rng = host.rng(1);
    let mut numbers = || -> Vec<f32> { (0..size * length).map(|_| rng.below(NUMBERS) as f32).collect() };
    // The second matrix is stored by columns.
    let (a, b) = (numbers(), numbers());
    let a_buffer = host.upload("a", &a)?;
    let b_buffer = host.upload("b", &b)?;
    let (a_words, b_words) = (address_words(a_buffer), address_words(b_buffer));
    let key = [a_words[0], a_words[1], b_words[0], b_words[1]];
    let places = (0..size).flat_map(|row| (0..size).map(move |column| (row, column)));
    let input = Input {
        keys: key.repeat(size * size),
        values: places
            .clone()
            .flat_map(|(row, column)| [row, column, size, length].map(|number| number as i32))
            .collect(),
        key_words: 4,
        value_words: 4,
    };
    let product = mars::map::<f32>(host, &input)?;
    let element = |(row, column): (usize, usize)| -> f32 {
        let (a, b) = (&a[row * length..(row + 1) * length], &b[column * length..(column + 1) * length]);
        a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum::<f64>() as f32
    };
    let expected: Vec<f32> = places.clone().map(element).collect();
    let positions: Vec<i32> = places.flat_map(|(row, column)| [row as i32, column as i32]).collect();
    host.check("keys", product.keys, &expected, Tolerance::relative(1e-5))?;
    host.check("values", product.values, &positions, Tolerance::Exact)
}
