//! What the programs on the landscapes of the ecology collection share: the mesh, its random values, and its buffers.

use crate::error::{Failure, InputFileError};
use crate::host::{Buffer, Host};
use crate::input::graph::{self, Csr};
use crate::workload::{BufferInfo, DataSet, ElementType, exact};

/// The buffers that come first: the graph, and whether a node is left.
pub(crate) const GRAPH: &[BufferInfo] =
    &[exact("row", ElementType::I32), exact("col", ElementType::I32), exact("is_left", ElementType::I32)];

/// The only input.
pub(crate) const DATA_SETS: &[DataSet] = &[DataSet::new(
    "mesh",
    "as ecology1: cells of a square mesh and their four neighbours; values rand() % 2048",
)];

/// Values of nodes are below this, so that some neighbours have the same.
const VALUES: i32 = 2048;
/// What the originals call `srand` with.
const SEED: u32 = 7;

/// A graph with a value for each node.
pub(crate) struct Landscape {
    pub graph: Csr,
    pub value: Vec<i32>,
}

/// The graph on the device.
pub(crate) struct DeviceGraph {
    pub row: Buffer<i32>,
    pub col: Buffer<i32>,
    /// Not 0 after a round that left nodes for the next one.
    pub is_left: Buffer<i32>,
}

impl Landscape {
    /// The given graph, or a mesh with `small_side` cells in a row at small scale.
    pub fn of(host: &Host<'_>, small_side: usize) -> Result<Self, Failure> {
        let graph = match host.input_text()? {
            Some(text) => graph::parse(text)?.symmetric(),
            None => mesh(host, small_side)?,
        };
        let mut rand = host.c_rand(SEED);
        let value = (0..graph.nodes()).map(|_| rand.rand() % VALUES).collect();
        Ok(Self { graph, value })
    }

    /// Allocates and fills the first buffers.
    pub fn upload(&self, host: &mut Host<'_>) -> Result<DeviceGraph, Failure> {
        Ok(DeviceGraph {
            row: host.upload("row", &self.graph.row[..self.graph.nodes()])?,
            col: host.upload("col", &self.graph.col)?,
            is_left: host.zeros("is_left", 1)?,
        })
    }
}

/// A mesh of cells with their four neighbours.
fn mesh(host: &Host<'_>, small_side: usize) -> Result<Csr, InputFileError> {
    let side = host.size(host.scale().pick(20, small_side, 1000), 1..=4096)?;
    Ok(graph::road(side, side, 0.0, 1, &mut host.rng(1)))
}
