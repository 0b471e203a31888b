//! Graphs: recorded by a stream or made node by node, then launched as often as wanted.

use std::ffi::{c_int, c_uint, c_void};

use super::callbacks::HostFunction;
use super::launch::Extents;
use super::streams::known;
use super::volumes::{VolumeCopy, volume};
use crate::error::CudaError;
use crate::failure::Failure;
use crate::foreign::{In, Out};
use crate::guard::call;
use crate::runtime::{
    Arguments, Capture, CopyKind, Graph, LaunchRequest, PreparedLaunch, Runtime, Span, Work,
};
use crate::version::RuntimeVersion;

/// `cudaKernelNodeParams`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct KernelNode {
    function: u64,
    grid: Extents,
    block: Extents,
    shared_bytes: c_uint,
    arguments: In<*const c_void>,
    extra: u64,
}

impl KernelNode {
    /// As a launch was made.
    pub(super) fn of(prepared: &mut PreparedLaunch) -> Self {
        Self {
            function: prepared.function,
            grid: prepared.launch.grid.into(),
            block: prepared.launch.block.into(),
            shared_bytes: prepared.launch.dynamic_shared_bytes,
            arguments: In::at(prepared.list_arguments()),
            extra: 0,
        }
    }
}

/// `cudaMemsetParams`; the width counts elements.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct FillNode {
    to: u64,
    pitch_bytes: usize,
    value: c_uint,
    element_bytes: c_uint,
    width: usize,
    height: usize,
}

impl FillNode {
    /// As rows are filled.
    pub(super) fn of(to: Span, element: &[u8], [row_bytes, height, _]: [u64; 3]) -> Self {
        let bytes = element.len().max(1);
        Self {
            to: to.address,
            pitch_bytes: to.pitch_bytes as usize,
            value: element.iter().rev().fold(0, |value, &byte| value << 8 | c_uint::from(byte)),
            element_bytes: bytes as c_uint,
            width: row_bytes as usize / bytes,
            height: height as usize,
        }
    }
}

/// `cudaHostNodeParams`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct HostNode {
    function: Option<HostFunction>,
    data: u64,
}

impl HostNode {
    /// As a node calls it.
    pub(super) fn of(function: HostFunction, data: u64) -> Self {
        Self { function: Some(function), data }
    }

    /// What the node does.
    pub(super) fn work(&self) -> Result<Work, Failure> {
        Ok(Work::Host(self.function.ok_or(CudaError::InvalidValue)?, self.data))
    }
}

/// The functions of this family that call the host.
pub const OTHER_NAMES: &[&str] = &["cudaGraphLaunch", "cudaGraphLaunch_ptsz"];

api! {
    "Begins to capture a stream's work into a graph."
    fn [cudaStreamBeginCapture, cudaStreamBeginCapture_ptsz](runtime, stream: u64, _mode: c_int) {
        let context = known(runtime, stream)?;
        if stream == 0 || context.capture.is_some() {
            let message = "only one stream at a time can capture a graph, and not the default stream";
            return Err(Failure::new(CudaError::NotSupported, message));
        }
        context.capture = Some(Capture { stream, graph: Graph::default() });
        Ok(())
    }

    "Ends the capture and returns the graph."
    fn [cudaStreamEndCapture, cudaStreamEndCapture_ptsz](runtime, stream: u64, graph: Out<u64>) {
        let context = known(runtime, stream)?;
        match context.capture.take() {
            Some(capture) if capture.stream == stream => graph.set(context.graphs.add(capture.graph)),
            other => {
                context.capture = other;
                Err(CudaError::InvalidValue.into())
            }
        }
    }

    "Whether a stream is capturing a graph."
    fn [cudaStreamIsCapturing, cudaStreamIsCapturing_ptsz](runtime, stream: u64, status: Out<c_int>) {
        let is_capturing = known(runtime, stream)?.is_capturing(stream);
        status.set(c_int::from(is_capturing))
    }

    "Whether a stream is capturing a graph, and the number of the capture."
    fn [cudaStreamGetCaptureInfo, cudaStreamGetCaptureInfo_ptsz, cudaStreamGetCaptureInfo_v2, cudaStreamGetCaptureInfo_v2_ptsz, cudaStreamGetCaptureInfo_v3, cudaStreamGetCaptureInfo_v3_ptsz](
        runtime, stream: u64, status: Out<c_int>, id: Out<u64>,
    ) {
        let is_capturing = known(runtime, stream)?.is_capturing(stream);
        id.set_if_wanted(u64::from(is_capturing));
        status.set(c_int::from(is_capturing))
    }

    "The capture mode, ignored."
    fn [cudaThreadExchangeStreamCaptureMode](_runtime, _mode: Out<c_int>) {
        Ok(())
    }

    "An empty graph."
    fn [cudaGraphCreate](runtime, graph: Out<u64>, _flags: c_uint) {
        graph.set(runtime.context()?.graphs.add(Graph::default()))
    }

    "Ends a graph."
    fn [cudaGraphDestroy](runtime, graph: u64) {
        runtime.context()?.graphs.remove(graph).map(drop)
    }

    "A copy of a graph."
    fn [cudaGraphClone](runtime, clone: Out<u64>, graph: u64) {
        let context = runtime.context()?;
        let copy = context.graphs.get(graph)?.clone();
        clone.set(context.graphs.add(copy))
    }

    "Adds a kernel."
    fn [cudaGraphAddKernelNode](
        runtime, node: Out<u64>, graph: u64, after: In<u64>, after_count: usize, kernel: In<KernelNode>,
    ) {
        let work = Work::Launch(prepared(runtime, &kernel.get()?)?);
        add(runtime, node, graph, (after, after_count), work)
    }

    "Adds a copy."
    fn [cudaGraphAddMemcpyNode](
        runtime, node: Out<u64>, graph: u64, after: In<u64>, after_count: usize, copy: In<VolumeCopy>,
    ) {
        let work = volume(runtime, &copy.get()?)?;
        add(runtime, node, graph, (after, after_count), work)
    }

    "Adds a copy of bytes."
    fn [cudaGraphAddMemcpyNode1D](
        runtime, node: Out<u64>, graph: u64, after: In<u64>, after_count: usize, to: u64, from: u64, bytes: usize,
        kind: c_int,
    ) {
        let kind = CopyKind::from_number(kind)?;
        let (to, from) = (Span::plane(to, 0), Span::plane(from, 0));
        add(runtime, node, graph, (after, after_count), Work::Copy { to, from, extents: [bytes as u64, 1, 1], kind })
    }

    "Adds a fill."
    fn [cudaGraphAddMemsetNode](
        runtime, node: Out<u64>, graph: u64, after: In<u64>, after_count: usize, fill: In<FillNode>,
    ) {
        let work = filled(&fill.get()?)?;
        add(runtime, node, graph, (after, after_count), work)
    }

    "Adds a host function."
    fn [cudaGraphAddHostNode](
        runtime, node: Out<u64>, graph: u64, after: In<u64>, after_count: usize, host: In<HostNode>,
    ) {
        let work = host.get()?.work()?;
        add(runtime, node, graph, (after, after_count), work)
    }

    "Adds an empty node, which only orders others."
    fn [cudaGraphAddEmptyNode](runtime, node: Out<u64>, graph: u64, after: In<u64>, after_count: usize) {
        add(runtime, node, graph, (after, after_count), Work::Nothing)
    }

    "Adds a graph as a node."
    fn [cudaGraphAddChildGraphNode](
        runtime, node: Out<u64>, graph: u64, after: In<u64>, after_count: usize, child: u64,
    ) {
        let child = runtime.context()?.graphs.get(child)?.clone();
        add(runtime, node, graph, (after, after_count), Work::Graph(child))
    }

    "Adds an event record."
    fn [cudaGraphAddEventRecordNode](
        runtime, node: Out<u64>, graph: u64, after: In<u64>, after_count: usize, event: u64,
    ) {
        runtime.context()?.events.get(event)?;
        add(runtime, node, graph, (after, after_count), Work::Event(event))
    }

    "Adds a wait for an event: all work before it is already done."
    fn [cudaGraphAddEventWaitNode](
        runtime, node: Out<u64>, graph: u64, after: In<u64>, after_count: usize, event: u64,
    ) {
        runtime.context()?.events.get(event)?;
        add(runtime, node, graph, (after, after_count), Work::Nothing)
    }

    "Uploads a graph: there is nothing to do."
    fn [cudaGraphUpload, cudaGraphUpload_ptsz](runtime, _executable: u64) {
        runtime.context().map(drop)
    }

    "The nodes of a graph."
    fn [cudaGraphGetNodes](runtime, graph: u64, nodes: Out<u64>, count: Out<usize>) {
        let handles: Vec<u64> =
            runtime.context()?.graphs.get(graph)?.nodes.iter().map(|node| node.handle).collect();
        list(&handles, nodes, count)
    }

    "The type of a node."
    fn [cudaGraphNodeGetType](runtime, node: u64, kind: Out<c_int>) {
        let found = graph_of(runtime, node)?.node_mut(node).map(|node| node.work.clone());
        kind.set(match found.ok_or(CudaError::InvalidValue)? {
            Work::Launch(_) => 0,
            Work::Copy { .. } => 1,
            Work::Fill { .. } => 2,
            Work::Host(..) => 3,
            Work::Graph(_) => 4,
            Work::Nothing => 5,
            Work::Event(_) => 7,
        })
    }

    "Instantiates a graph, so that it can be launched."
    fn [cudaGraphInstantiate, cudaGraphInstantiateWithFlags, cudaGraphInstantiateWithParams, cudaGraphInstantiateWithParams_ptsz](
        runtime, executable: Out<u64>, graph: u64,
    ) {
        let context = runtime.context()?;
        let copy = context.graphs.get(graph)?.clone();
        executable.set(context.executables.add(copy))
    }

    "Destroys an instantiated graph."
    fn [cudaGraphExecDestroy](runtime, executable: u64) {
        runtime.context()?.executables.remove(executable).map(drop)
    }

    "Replaces the nodes of an instantiated graph by those of another."
    fn [cudaGraphExecUpdate](runtime, executable: u64, graph: u64, first: Out<c_int>, second: Out<c_int>) {
        let context = runtime.context()?;
        let copy = context.graphs.get(graph)?.clone();
        *context.executables.get_mut(executable)? = copy;
        let result = if context.version == RuntimeVersion::V11 { second } else { first };
        result.set_if_wanted(0);
        Ok(())
    }

    "Changes a kernel node of an instantiated graph."
    fn [cudaGraphExecKernelNodeSetParams](runtime, executable: u64, node: u64, kernel: In<KernelNode>) {
        let work = Work::Launch(prepared(runtime, &kernel.get()?)?);
        change(runtime.context()?.executables.get_mut(executable)?, node, work)
    }

    "Changes a copy node of an instantiated graph."
    fn [cudaGraphExecMemcpyNodeSetParams1D](
        runtime, executable: u64, node: u64, to: u64, from: u64, bytes: usize, kind: c_int,
    ) {
        let kind = CopyKind::from_number(kind)?;
        let (to, from) = (Span::plane(to, 0), Span::plane(from, 0));
        let work = Work::Copy { to, from, extents: [bytes as u64, 1, 1], kind };
        change(runtime.context()?.executables.get_mut(executable)?, node, work)
    }

    "Changes a fill node of an instantiated graph."
    fn [cudaGraphExecMemsetNodeSetParams](runtime, executable: u64, node: u64, fill: In<FillNode>) {
        let work = filled(&fill.get()?)?;
        change(runtime.context()?.executables.get_mut(executable)?, node, work)
    }

    "Changes the kernel of a node."
    fn [cudaGraphKernelNodeSetParams](runtime, node: u64, kernel: In<KernelNode>) {
        let work = Work::Launch(prepared(runtime, &kernel.get()?)?);
        change(graph_of(runtime, node)?, node, work)
    }
}

/// Does everything in a graph. The runtime is not held while a function of the host is called.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphLaunch(executable: u64, stream: u64) -> c_int {
    let mut all = Vec::new();
    let code = call("cudaGraphLaunch", |runtime| {
        let context = known(runtime, stream)?;
        let graph = context.executables.get(executable)?.clone();
        if !context.record(stream, || Work::Graph(graph.clone())) {
            all = graph.flat();
        }
        Ok(())
    });
    if code != 0 {
        return code;
    }
    for work in all {
        if let Work::Host(function, data) = work {
            function(data);
            continue;
        }
        let code = call("cudaGraphLaunch", |runtime| runtime.context()?.perform(&work));
        if code != 0 {
            return code;
        }
    }
    0
}

/// The same for programs whose default stream is the thread's.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphLaunch_ptsz(executable: u64, stream: u64) -> c_int {
    cudaGraphLaunch(executable, stream)
}

/// Adds a node that waits for an array of others.
pub(super) fn add(
    runtime: &mut Runtime,
    handle: Out<u64>,
    graph: u64,
    (after, after_count): (In<u64>, usize),
    work: Work,
) -> Result<(), Failure> {
    let after: Vec<u64> = (0..after_count).map(|at| after.get_at(at)).collect::<Result<_, _>>()?;
    let context = runtime.context()?;
    let node = context.new_node(work);
    handle.set_if_wanted(node.handle);
    context.graphs.get_mut(graph)?.add(node, &after);
    Ok(())
}

/// Tells how many there are, and fills the array where there is one: `count` then says how many it holds.
pub(super) fn list(found: &[u64], array: Out<u64>, count: Out<usize>) -> Result<(), Failure> {
    if array.address() == 0 {
        return count.set(found.len());
    }
    let room = In::<usize>::at(count.address()).get()?;
    for (at, value) in found.iter().enumerate().take(room) {
        crate::foreign::host_bytes_mut(array.address() + 8 * at as u64, 8)?
            .copy_from_slice(&value.to_le_bytes());
    }
    count.set(found.len().min(room))
}

pub(super) fn change(graph: &mut Graph, node: u64, work: Work) -> Result<(), Failure> {
    let node = graph.node_mut(node).ok_or(CudaError::InvalidValue)?;
    node.work = work;
    Ok(())
}

/// The graph that has a node.
pub(super) fn graph_of(runtime: &mut Runtime, node: u64) -> Result<&mut Graph, Failure> {
    let mut graphs = runtime.context()?.graphs.iter_mut();
    let found = graphs.find(|graph| graph.nodes.iter().any(|known| known.handle == node));
    found.ok_or_else(|| CudaError::InvalidValue.into())
}

pub(super) fn prepared(runtime: &mut Runtime, node: &KernelNode) -> Result<PreparedLaunch, Failure> {
    let request = LaunchRequest {
        grid: node.grid.into(),
        block: node.block.into(),
        shared_bytes: u64::from(node.shared_bytes),
        arguments: Arguments::of(node.arguments, node.extra)?,
        is_cooperative: false,
    };
    super::launch::prepare(runtime, node.function, &request)
}

pub(super) fn filled(fill: &FillNode) -> Result<Work, Failure> {
    let bytes = fill.element_bytes as usize;
    let element = fill.value.to_le_bytes().get(..bytes).ok_or(CudaError::InvalidValue)?.to_vec();
    let extents = [(fill.width * bytes) as u64, fill.height.max(1) as u64, 1];
    Ok(Work::Fill { to: Span::plane(fill.to, fill.pitch_bytes as u64), element, extents })
}
