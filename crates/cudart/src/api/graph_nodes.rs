//! Nodes of graphs: which waits for which, memory, nodes by one description, changes.

use std::ffi::{c_char, c_int, c_uint};
use std::fmt::Write;

use super::graphs::{FillNode, HostNode, KernelNode, add, change, filled, graph_of, list, prepared};
use super::symbols::inside;
use super::volumes::{VolumeCopy, volume};
use crate::error::CudaError;
use crate::failure::Failure;
use crate::foreign::{In, Out, host_bytes_mut, text};
use crate::runtime::{CopyKind, Runtime, Span, Work};
use crate::version::RuntimeVersion;

/// `cudaMemAllocNodeParams`, behind the properties of the pool and the list of who may access it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct MemoryNode {
    pool: [u64; 11],
    access: [u64; 2],
    bytes: usize,
    address: u64,
}

/// `cudaGraphNodeParams`: the type of a node, then its description.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct NodeDescription {
    kind: c_int,
    reserved: [c_int; 3],
}

/// Where the description of a node begins.
const DESCRIPTION_AT: u64 = 16;
/// Where a description of a copy has the copy itself, behind flags and a context.
const COPY_AT: u64 = 16;

api! {
    "Lets nodes wait for others."
    fn [cudaGraphAddDependencies](runtime, graph: u64, from: In<u64>, to: In<u64>, fourth: u64, fifth: usize) {
        let count = plain_or_with_data(runtime, fourth, fifth)?;
        add_edges(runtime, graph, from, to, count)
    }

    "The same, with data of the dependencies, which are ignored."
    fn [cudaGraphAddDependencies_v2](runtime, graph: u64, from: In<u64>, to: In<u64>, _data: u64, count: usize) {
        add_edges(runtime, graph, from, to, count)
    }

    "Lets nodes no longer wait for others."
    fn [cudaGraphRemoveDependencies](runtime, graph: u64, from: In<u64>, to: In<u64>, fourth: u64, fifth: usize) {
        let count = plain_or_with_data(runtime, fourth, fifth)?;
        remove_edges(runtime, graph, from, to, count)
    }

    "The same, with data of the dependencies, which are ignored."
    fn [cudaGraphRemoveDependencies_v2](runtime, graph: u64, from: In<u64>, to: In<u64>, _data: u64, count: usize) {
        remove_edges(runtime, graph, from, to, count)
    }

    "The nodes that wait for none."
    fn [cudaGraphGetRootNodes](runtime, graph: u64, nodes: Out<u64>, count: Out<usize>) {
        let graph = runtime.context()?.graphs.get(graph)?;
        let is_root = |handle: u64| graph.edges.iter().all(|&(_, second)| second != handle);
        let roots: Vec<u64> = graph.nodes.iter().map(|node| node.handle).filter(|&handle| is_root(handle)).collect();
        list(&roots, nodes, count)
    }

    "The dependencies of a graph, pair by pair."
    fn [cudaGraphGetEdges](runtime, graph: u64, from: Out<u64>, to: Out<u64>, fourth: u64, fifth: u64) {
        let count = Out::at(plain_or_with_data(runtime, fourth, fifth as usize)? as u64);
        let (first, second): (Vec<u64>, Vec<u64>) = runtime.context()?.graphs.get(graph)?.edges.iter().copied().unzip();
        if from.address() != 0 && to.address() != 0 {
            let room = In::<usize>::at(count.address()).get()?;
            list(&first, from, count)?;
            count.set(room)?;
            return list(&second, to, count);
        }
        count.set(first.len())
    }

    "The nodes that a node waits for."
    fn [cudaGraphNodeGetDependencies](runtime, node: u64, nodes: Out<u64>, third: u64, fourth: u64) {
        let count = Out::at(plain_or_with_data(runtime, third, fourth as usize)? as u64);
        let edges = &graph_of(runtime, node)?.edges;
        let found: Vec<u64> = edges.iter().filter(|edge| edge.1 == node).map(|edge| edge.0).collect();
        list(&found, nodes, count)
    }

    "The nodes that wait for a node."
    fn [cudaGraphNodeGetDependentNodes](runtime, node: u64, nodes: Out<u64>, third: u64, fourth: u64) {
        let count = Out::at(plain_or_with_data(runtime, third, fourth as usize)? as u64);
        let edges = &graph_of(runtime, node)?.edges;
        let found: Vec<u64> = edges.iter().filter(|edge| edge.0 == node).map(|edge| edge.1).collect();
        list(&found, nodes, count)
    }

    "Takes a node out of its graph."
    fn [cudaGraphDestroyNode](runtime, node: u64) {
        graph_of(runtime, node)?.remove(node);
        Ok(())
    }

    "The node of a copy of a graph: it has the same handle."
    fn [cudaGraphNodeFindInClone](runtime, found: Out<u64>, node: u64, clone: u64) {
        let graph = runtime.context()?.graphs.get_mut(clone)?;
        graph.node_mut(node).ok_or(CudaError::InvalidValue)?;
        found.set(node)
    }

    "Whether a node of an instantiated graph is done."
    fn [cudaGraphNodeSetEnabled](runtime, executable: u64, node: u64, is_enabled: c_uint) {
        let graph = runtime.context()?.executables.get_mut(executable)?;
        graph.node_mut(node).ok_or(CudaError::InvalidValue)?.is_disabled = is_enabled == 0;
        Ok(())
    }

    "Tells whether a node of an instantiated graph is done."
    fn [cudaGraphNodeGetEnabled](runtime, executable: u64, node: u64, is_enabled: Out<c_uint>) {
        let graph = runtime.context()?.executables.get_mut(executable)?;
        is_enabled.set(c_uint::from(!graph.node_mut(node).ok_or(CudaError::InvalidValue)?.is_disabled))
    }

    "Writes a graph as a file for Graphviz."
    fn [cudaGraphDebugDotPrint](runtime, graph: u64, path: In<c_char>, _flags: c_uint) {
        let path = text(path)?;
        let graph = runtime.context()?.graphs.get(graph)?;
        let mut dot = String::from("digraph {\n");
        for node in &graph.nodes {
            let _ = writeln!(dot, "  n{:x} [label=\"{}\"];", node.handle, node.work.name());
        }
        for (first, second) in &graph.edges {
            let _ = writeln!(dot, "  n{first:x} -> n{second:x};");
        }
        dot.push_str("}\n");
        std::fs::write(&path, dot)
            .map_err(|error| Failure::new(CudaError::FileNotFound, format!("{path}: {error}")))
    }

    "Adds memory: it is there from now on, at one address for every launch."
    fn [cudaGraphAddMemAllocNode](
        runtime, node: Out<u64>, graph: u64, after: In<u64>, after_count: usize, memory: In<MemoryNode>,
    ) {
        add_memory(runtime, memory.address())?;
        add(runtime, node, graph, (after, after_count), Work::Nothing)
    }

    "Adds the end of memory, which stays until the program ends: a graph can be launched again."
    fn [cudaGraphAddMemFreeNode](
        runtime, node: Out<u64>, graph: u64, after: In<u64>, after_count: usize, _address: u64,
    ) {
        add(runtime, node, graph, (after, after_count), Work::Nothing)
    }

    "Memory that graphs keep: none."
    fn [cudaDeviceGraphMemTrim](runtime, _device: c_int) {
        runtime.context().map(drop)
    }

    "Counts of memory that graphs keep: none."
    fn [cudaDeviceGetGraphMemAttribute](runtime, _device: c_int, _attribute: c_int, bytes: Out<u64>) {
        runtime.context()?;
        bytes.set(0)
    }

    "Resets such a count."
    fn [cudaDeviceSetGraphMemAttribute](runtime, _device: c_int, _attribute: c_int) {
        runtime.context().map(drop)
    }

    "Adds a copy to a variable."
    fn [cudaGraphAddMemcpyNodeToSymbol](
        runtime, node: Out<u64>, graph: u64, after: In<u64>, after_count: usize, symbol: u64, from: u64, bytes: usize,
        offset: usize, kind: c_int,
    ) {
        let to = inside(runtime, symbol, bytes, offset)?;
        let work = copied(to, from, bytes, kind)?;
        add(runtime, node, graph, (after, after_count), work)
    }

    "Adds a copy from a variable."
    fn [cudaGraphAddMemcpyNodeFromSymbol](
        runtime, node: Out<u64>, graph: u64, after: In<u64>, after_count: usize, to: u64, symbol: u64, bytes: usize,
        offset: usize, kind: c_int,
    ) {
        let from = inside(runtime, symbol, bytes, offset)?;
        let work = copied(to, from, bytes, kind)?;
        add(runtime, node, graph, (after, after_count), work)
    }

    "Adds a node of any type."
    fn [cudaGraphAddNode](
        runtime, node: Out<u64>, graph: u64, after: In<u64>, fourth: u64, fifth: u64, sixth: u64,
    ) {
        let has_data = runtime.context()?.version >= RuntimeVersion::V13;
        let (count, description) = if has_data { (fifth, sixth) } else { (fourth, fifth) };
        let work = described(runtime, description)?;
        add(runtime, node, graph, (after, count as usize), work)
    }

    "The same, with data of the dependencies, which are ignored."
    fn [cudaGraphAddNode_v2](
        runtime, node: Out<u64>, graph: u64, after: In<u64>, _data: u64, count: usize, description: u64,
    ) {
        let work = described(runtime, description)?;
        add(runtime, node, graph, (after, count), work)
    }

    "Changes a node of any type."
    fn [cudaGraphNodeSetParams](runtime, node: u64, description: u64) {
        let work = described(runtime, description)?;
        change(graph_of(runtime, node)?, node, work)
    }

    "Changes a node of any type of an instantiated graph."
    fn [cudaGraphExecNodeSetParams](runtime, executable: u64, node: u64, description: u64) {
        let work = described(runtime, description)?;
        change(runtime.context()?.executables.get_mut(executable)?, node, work)
    }

    "Changes a copy."
    fn [cudaGraphMemcpyNodeSetParams](runtime, node: u64, copy: In<VolumeCopy>) {
        let work = volume(runtime, &copy.get()?)?;
        change(graph_of(runtime, node)?, node, work)
    }

    "Changes a copy of an instantiated graph."
    fn [cudaGraphExecMemcpyNodeSetParams](runtime, executable: u64, node: u64, copy: In<VolumeCopy>) {
        let work = volume(runtime, &copy.get()?)?;
        change(runtime.context()?.executables.get_mut(executable)?, node, work)
    }

    "Changes a copy of bytes."
    fn [cudaGraphMemcpyNodeSetParams1D](runtime, node: u64, to: u64, from: u64, bytes: usize, kind: c_int) {
        let work = copied(to, from, bytes, kind)?;
        change(graph_of(runtime, node)?, node, work)
    }

    "Changes a fill."
    fn [cudaGraphMemsetNodeSetParams](runtime, node: u64, fill: In<FillNode>) {
        let work = filled(&fill.get()?)?;
        change(graph_of(runtime, node)?, node, work)
    }

    "Changes a call of the host."
    fn [cudaGraphHostNodeSetParams](runtime, node: u64, host: In<HostNode>) {
        let work = host.get()?.work()?;
        change(graph_of(runtime, node)?, node, work)
    }

    "Changes a call of the host of an instantiated graph."
    fn [cudaGraphExecHostNodeSetParams](runtime, executable: u64, node: u64, host: In<HostNode>) {
        let work = host.get()?.work()?;
        change(runtime.context()?.executables.get_mut(executable)?, node, work)
    }

    "Changes a copy to a variable."
    fn [cudaGraphMemcpyNodeSetParamsToSymbol](
        runtime, node: u64, symbol: u64, from: u64, bytes: usize, offset: usize, kind: c_int,
    ) {
        let work = copied(inside(runtime, symbol, bytes, offset)?, from, bytes, kind)?;
        change(graph_of(runtime, node)?, node, work)
    }

    "Changes a copy from a variable."
    fn [cudaGraphMemcpyNodeSetParamsFromSymbol](
        runtime, node: u64, to: u64, symbol: u64, bytes: usize, offset: usize, kind: c_int,
    ) {
        let work = copied(to, inside(runtime, symbol, bytes, offset)?, bytes, kind)?;
        change(graph_of(runtime, node)?, node, work)
    }

    "Changes a copy to a variable of an instantiated graph."
    fn [cudaGraphExecMemcpyNodeSetParamsToSymbol](
        runtime, executable: u64, node: u64, symbol: u64, from: u64, bytes: usize, offset: usize, kind: c_int,
    ) {
        let work = copied(inside(runtime, symbol, bytes, offset)?, from, bytes, kind)?;
        change(runtime.context()?.executables.get_mut(executable)?, node, work)
    }

    "Changes a copy from a variable of an instantiated graph."
    fn [cudaGraphExecMemcpyNodeSetParamsFromSymbol](
        runtime, executable: u64, node: u64, to: u64, symbol: u64, bytes: usize, offset: usize, kind: c_int,
    ) {
        let work = copied(to, inside(runtime, symbol, bytes, offset)?, bytes, kind)?;
        change(runtime.context()?.executables.get_mut(executable)?, node, work)
    }

    "Changes the graph in a node of an instantiated graph."
    fn [cudaGraphExecChildGraphNodeSetParams](runtime, executable: u64, node: u64, child: u64) {
        let context = runtime.context()?;
        let work = Work::Graph(context.graphs.get(child)?.clone());
        change(context.executables.get_mut(executable)?, node, work)
    }
}

/// From 13.x on, data of the dependencies stand before the last argument.
fn plain_or_with_data(runtime: &mut Runtime, plain: u64, behind_data: usize) -> Result<usize, Failure> {
    let has_data = runtime.context()?.version >= RuntimeVersion::V13;
    Ok(if has_data { behind_data } else { plain as usize })
}

fn pairs(from: In<u64>, to: In<u64>, count: usize) -> Result<Vec<(u64, u64)>, Failure> {
    (0..count).map(|at| Ok((from.get_at(at)?, to.get_at(at)?))).collect()
}

fn add_edges(
    runtime: &mut Runtime,
    graph: u64,
    from: In<u64>,
    to: In<u64>,
    count: usize,
) -> Result<(), Failure> {
    let pairs = pairs(from, to, count)?;
    runtime.context()?.graphs.get_mut(graph)?.edges.extend(pairs);
    Ok(())
}

fn remove_edges(
    runtime: &mut Runtime,
    graph: u64,
    from: In<u64>,
    to: In<u64>,
    count: usize,
) -> Result<(), Failure> {
    let pairs = pairs(from, to, count)?;
    runtime.context()?.graphs.get_mut(graph)?.edges.retain(|edge| !pairs.contains(edge));
    Ok(())
}

fn copied(to: u64, from: u64, bytes: usize, kind: c_int) -> Result<Work, Failure> {
    let kind = CopyKind::from_number(kind)?;
    let (to, from) = (Span::plane(to, 0), Span::plane(from, 0));
    Ok(Work::Copy { to, from, extents: [bytes as u64, 1, 1], kind })
}

/// Allocates what a description asks for, and writes the address into it.
fn add_memory(runtime: &mut Runtime, description: u64) -> Result<(), Failure> {
    let bytes = In::<MemoryNode>::at(description).get()?.bytes;
    let address = runtime.context()?.alloc(bytes as u64)?;
    let place = description + std::mem::offset_of!(MemoryNode, address) as u64;
    host_bytes_mut(place, 8)?.copy_from_slice(&address.to_le_bytes());
    Ok(())
}

/// What a description of a node asks for.
fn described(runtime: &mut Runtime, description: u64) -> Result<Work, Failure> {
    let at = description + DESCRIPTION_AT;
    Ok(match In::<NodeDescription>::at(description).get()?.kind {
        0 => Work::Launch(prepared(runtime, &In::<KernelNode>::at(at).get()?)?),
        1 => volume(runtime, &In::<VolumeCopy>::at(at + COPY_AT).get()?)?,
        2 => filled(&In::<FillNode>::at(at).get()?)?,
        3 => In::<HostNode>::at(at).get()?.work()?,
        4 => Work::Graph(runtime.context()?.graphs.get(In::<u64>::at(at).get()?)?.clone()),
        // Nothing, a wait for an event, and the end of memory.
        5 | 6 | 11 => Work::Nothing,
        7 => Work::Event(In::<u64>::at(at).get()?),
        10 => {
            add_memory(runtime, at)?;
            Work::Nothing
        }
        kind => {
            let message = format!("nodes of type {kind} (semaphores, conditions, batches) are not supported");
            return Err(Failure::new(CudaError::NotSupported, message));
        }
    })
}
