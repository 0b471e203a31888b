//! The control-flow graph as a drawing: blocks in one column in source order, forward edges on the right, backward
//! edges on the left, each in a lane of its own; dashed lines lead to where diverged threads meet.

use crate::graph::{Graph, Meeting};

const LINE_HEIGHT_PX: usize = 15;
const CHARACTER_WIDTH_PX: usize = 8;
const PADDING_PX: usize = 8;
const GAP_PX: usize = 28;
const LANE_PX: usize = 12;
const MARGIN_PX: usize = 16;

/// A block's box; the last one is the end of the function.
struct Frame {
    top: usize,
    bottom: usize,
}

/// An edge between two frames that does not simply fall through.
struct Edge {
    from: usize,
    to: usize,
    is_meeting: bool,
    lane: usize,
}

/// The drawing as an SVG document.
pub fn draw(graph: &Graph<'_>) -> String {
    let frames = frames(graph);
    let (mut forward, mut backward): (Vec<Edge>, Vec<Edge>) =
        edges(graph).partition(|edge| edge.to > edge.from);
    let left_lanes = assign_lanes(&mut backward);
    let right_lanes = assign_lanes(&mut forward);
    let longest =
        graph.blocks.iter().flat_map(|block| block.lines.iter().map(|(_, line)| line.chars().count() + 7));
    let titles = graph.blocks.iter().map(|block| block.title().chars().count() + 6);
    let width = longest.chain(titles).max().unwrap_or(10) * CHARACTER_WIDTH_PX + 2 * PADDING_PX;
    let left = MARGIN_PX + (left_lanes + 1) * LANE_PX;
    let right = left + width;
    let total_width = right + (right_lanes + 1) * LANE_PX + MARGIN_PX;
    let total_height = frames.last().map_or(0, |frame| frame.bottom) + MARGIN_PX;
    let mut svg = header(total_width, total_height, graph.name);
    for (index, frame) in frames.iter().enumerate() {
        svg += &boxed(graph, index, frame, left, width);
    }
    for index in 0..graph.blocks.len() {
        if falls_through(graph, index) {
            svg += &fall_through(&frames, index, left + width / 2);
        }
    }
    for edge in &forward {
        svg += &side_path(&frames, edge, right, right + (edge.lane + 1) * LANE_PX);
    }
    for edge in &backward {
        svg += &side_path(&frames, edge, left, left - (edge.lane + 1) * LANE_PX);
    }
    svg + "</svg>\n"
}

fn header(width: usize, height: usize, name: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"monospace\" font-size=\"12\">\n\
         <title>Control flow of {}</title>\n\
         <defs><marker id=\"arrow\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"4\" orient=\"auto\">\
         <path d=\"M0,0 L8,4 L0,8 z\"/></marker></defs>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        escaped(name)
    )
}

fn frames(graph: &Graph<'_>) -> Vec<Frame> {
    let heights = graph.blocks.iter().map(|block| (block.lines.len() + 1) * LINE_HEIGHT_PX + 2 * PADDING_PX);
    let mut top = MARGIN_PX;
    heights
        .chain([LINE_HEIGHT_PX + 2 * PADDING_PX])
        .map(|height| {
            let frame = Frame { top, bottom: top + height };
            top += height + GAP_PX;
            frame
        })
        .collect()
}

fn falls_through(graph: &Graph<'_>, index: usize) -> bool {
    let block = &graph.blocks[index];
    let is_last = index + 1 == graph.blocks.len();
    block.successors.contains(&(index + 1)) || is_last && block.leaves
}

/// Every edge that needs a lane; the end of the function is one past the last block.
fn edges<'a>(graph: &'a Graph<'_>) -> impl Iterator<Item = Edge> + 'a {
    let end = graph.blocks.len();
    graph.blocks.iter().enumerate().flat_map(move |(from, block)| {
        let leaving = block.leaves.then_some(end);
        let targets = block.successors.iter().copied().chain(leaving).filter(move |to| *to != from + 1);
        let meeting = block.meeting.map(|meeting| match meeting {
            Meeting::Block(index) => index,
            Meeting::End => end,
        });
        let solid = targets.map(move |to| Edge { from, to, is_meeting: false, lane: 0 });
        solid.chain(meeting.map(move |to| Edge { from, to, is_meeting: true, lane: 0 }))
    })
}

/// Gives overlapping edges different lanes, short edges the inner ones. Returns the number of lanes.
fn assign_lanes(edges: &mut [Edge]) -> usize {
    edges.sort_by_key(|edge| (edge.from.abs_diff(edge.to), edge.from));
    let mut lanes: Vec<Vec<(usize, usize)>> = Vec::new();
    for edge in edges {
        let (low, high) = (edge.from.min(edge.to), edge.from.max(edge.to));
        let is_free =
            |lane: &Vec<(usize, usize)>| lane.iter().all(|(start, end)| high < *start || low > *end);
        edge.lane = lanes.iter().position(is_free).unwrap_or(lanes.len());
        if edge.lane == lanes.len() {
            lanes.push(Vec::new());
        }
        lanes[edge.lane].push((low, high));
    }
    lanes.len()
}

fn boxed(graph: &Graph<'_>, index: usize, frame: &Frame, left: usize, width: usize) -> String {
    let height = frame.bottom - frame.top;
    let (x, mut y) = (left + PADDING_PX, frame.top + PADDING_PX + LINE_HEIGHT_PX - 3);
    let mut svg = format!(
        "<rect x=\"{left}\" y=\"{}\" width=\"{width}\" height=\"{height}\" rx=\"4\" fill=\"#f6f8fa\" stroke=\"#444\"/>\n",
        frame.top
    );
    let Some(block) = graph.blocks.get(index) else {
        return svg + &format!("<text x=\"{x}\" y=\"{y}\" font-weight=\"bold\">end</text>\n");
    };
    svg += &format!(
        "<text x=\"{x}\" y=\"{y}\" font-weight=\"bold\">B{index}  {}</text>\n",
        escaped(&block.title())
    );
    for (line, instruction) in &block.lines {
        y += LINE_HEIGHT_PX;
        svg += &format!(
            "<text x=\"{x}\" y=\"{y}\" xml:space=\"preserve\"><tspan fill=\"#888\">{line:>5}</tspan>  {}</text>\n",
            escaped(instruction)
        );
    }
    svg
}

fn fall_through(frames: &[Frame], index: usize, x: usize) -> String {
    let (from, to) = (frames[index].bottom, frames[index + 1].top);
    format!("<path d=\"M{x},{from} V{to}\" stroke=\"black\" fill=\"none\" marker-end=\"url(#arrow)\"/>\n")
}

/// Out of the lower half of one box, along the lane, into the upper half of the other.
fn side_path(frames: &[Frame], edge: &Edge, side: usize, lane: usize) -> String {
    let offset = if edge.is_meeting { PADDING_PX / 2 } else { PADDING_PX };
    let start = frames[edge.from].bottom - offset;
    let end = frames[edge.to].top + offset;
    let style = if edge.is_meeting { "stroke=\"#2a6\" stroke-dasharray=\"4 3\"" } else { "stroke=\"black\"" };
    format!(
        "<path d=\"M{side},{start} H{lane} V{end} H{side}\" {style} fill=\"none\" marker-end=\"url(#arrow)\"/>\n"
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
