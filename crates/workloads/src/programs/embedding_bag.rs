//! Embedding-bag: sums of table rows chosen by skewed indices.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::input::rng::Zipf;
use crate::workload::{Class, ElementType, OURS, Workload, approximable, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "embedding-bag",
    summary: "sums of embedding rows by Zipf-distributed indices",
    class: Class::Mixed,
    papers: &[],
    is_cache_sensitive: false,
    buffers: &[
        approximable("table", ElementType::F32),
        exact("indices", ElementType::I32),
        exact("offsets", ElementType::I32),
        approximable("out", ElementType::F32),
    ],
    input: None,
    data_sets: OURS,
    ptx: include_str!("../../kernels/embedding-bag.ptx"),
    run,
};

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let (rows, dimensions, bags) = host.scale().pick((500, 32, 20), (32_768, 64, 1024), (1 << 18, 128, 8192));
    let mut rng = host.rng(1);
    let table: Vec<f32> = (0..rows * dimensions).map(|_| (rng.normal() * 0.05) as f32).collect();
    let popularity = Zipf::new(rows, 1.05);
    let mut names: Vec<i32> = (0..rows as i32).collect();
    rng.shuffle(&mut names);
    let (mut indices, mut offsets) = (Vec::new(), vec![0i32]);
    for _ in 0..bags {
        indices.extend((0..=rng.below(40)).map(|_| names[popularity.draw(&mut rng)]));
        offsets.push(indices.len() as i32);
    }

    let table_buffer = host.upload("table", &table)?;
    let index_buffer = host.upload("indices", &indices)?;
    let offset_buffer = host.upload("offsets", &offsets)?;
    let out = host.zeros::<f32>("out", bags * dimensions)?;
    let arguments = args![table_buffer, index_buffer, offset_buffer, out, dimensions];
    host.launch("embedding_bag", [bags as u32, 1, 1], [dimensions as u32, 1, 1], arguments)?;
    let mut expected = Vec::with_capacity(bags * dimensions);
    for bag in offsets.windows(2) {
        let chosen = &indices[bag[0] as usize..bag[1] as usize];
        let column =
            |c: usize| chosen.iter().map(|&row| f64::from(table[row as usize * dimensions + c])).sum::<f64>();
        expected.extend((0..dimensions).map(|c| column(c) as f32));
    }
    host.check("out", out, &expected, Tolerance::relative(1e-5))
}
