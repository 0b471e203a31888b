//! Nodes of graphs: what they were made with.

use std::ffi::{c_int, c_uint};

use super::graphs::{FillNode, HostNode, KernelNode, graph_of};
use super::volumes::VolumeCopy;
use crate::error::CudaError;
use crate::failure::Failure;
use crate::foreign::{Out, host_bytes_mut};
use crate::runtime::{PreparedLaunch, Runtime, Work};

/// Bytes of `cudaLaunchAttributeValue`.
const ATTRIBUTE_BYTES: u64 = 64;

api! {
    "What a kernel's node launches. The arguments are those of the node itself, until it is changed."
    fn [cudaGraphKernelNodeGetParams](runtime, node: u64, kernel: Out<KernelNode>) {
        kernel.set(KernelNode::of(launch_of(runtime, node)?))
    }

    "What a copy's node copies."
    fn [cudaGraphMemcpyNodeGetParams](runtime, node: u64, copy: Out<VolumeCopy>) {
        match *work_of(runtime, node)? {
            Work::Copy { to, from, extents, kind } => copy.set(VolumeCopy::of(to, from, extents, kind)),
            _ => Err(CudaError::InvalidValue.into()),
        }
    }

    "What a fill's node fills."
    fn [cudaGraphMemsetNodeGetParams](runtime, node: u64, fill: Out<FillNode>) {
        match work_of(runtime, node)? {
            Work::Fill { to, element, extents } => fill.set(FillNode::of(*to, element, *extents)),
            _ => Err(CudaError::InvalidValue.into()),
        }
    }

    "What a host node calls."
    fn [cudaGraphHostNodeGetParams](runtime, node: u64, host: Out<HostNode>) {
        match *work_of(runtime, node)? {
            Work::Host(function, data) => host.set(HostNode::of(function, data)),
            _ => Err(CudaError::InvalidValue.into()),
        }
    }

    "The event that a node records."
    fn [cudaGraphEventRecordNodeGetEvent](runtime, node: u64, event: Out<u64>) {
        match *work_of(runtime, node)? {
            Work::Event(recorded) => event.set(recorded),
            _ => Err(CudaError::InvalidValue.into()),
        }
    }

    "The graph in a node, as a graph of its own: changes to it do not reach the node."
    fn [cudaGraphChildGraphNodeGetGraph](runtime, node: u64, child: Out<u64>) {
        match work_of(runtime, node)?.clone() {
            Work::Graph(graph) => child.set(runtime.context()?.graphs.add(graph)),
            _ => Err(CudaError::InvalidValue.into()),
        }
    }

    "Attributes of a kernel's node, ignored: they steer caches, priorities and clusters."
    fn [cudaGraphKernelNodeSetAttribute](runtime, node: u64, _attribute: c_int, _value: u64) {
        launch_of(runtime, node).map(drop)
    }

    "An attribute of a kernel's node: none is set."
    fn [cudaGraphKernelNodeGetAttribute](runtime, node: u64, _attribute: c_int, value: u64) {
        launch_of(runtime, node)?;
        host_bytes_mut(value, ATTRIBUTE_BYTES).map(|bytes| bytes.fill(0))
    }

    "The attributes of another node: there are none."
    fn [cudaGraphKernelNodeCopyAttributes](runtime, node: u64, other: u64) {
        launch_of(runtime, other)?;
        launch_of(runtime, node).map(drop)
    }

    "The flags of an instantiated graph: none."
    fn [cudaGraphExecGetFlags](runtime, executable: u64, flags: Out<c_uint>) {
        runtime.context()?.executables.get(executable)?;
        flags.set(0)
    }
}

fn work_of(runtime: &mut Runtime, node: u64) -> Result<&mut Work, Failure> {
    let node = graph_of(runtime, node)?.node_mut(node).ok_or(CudaError::InvalidValue)?;
    Ok(&mut node.work)
}

fn launch_of(runtime: &mut Runtime, node: u64) -> Result<&mut PreparedLaunch, Failure> {
    match work_of(runtime, node)? {
        Work::Launch(prepared) => Ok(prepared),
        _ => Err(CudaError::InvalidValue.into()),
    }
}
