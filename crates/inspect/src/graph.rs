//! A function's control-flow graph, ready to be printed.

use serde_json::{Value, json};
use shrinkwarp_ptx::ast::{Function, Instruction};
use shrinkwarp_ptx::flow::ControlFlow;

/// A control-flow graph with the source text of its instructions.
pub struct Graph<'a> {
    /// Name of the function.
    pub name: &'a str,
    /// Blocks in source order.
    pub blocks: Vec<GraphBlock<'a>>,
}

/// One basic block.
pub struct GraphBlock<'a> {
    /// Line number and text of each instruction.
    pub lines: Vec<(u32, &'a str)>,
    /// Indices of the blocks control can go to.
    pub successors: Vec<usize>,
    /// Whether control can leave the function here.
    pub leaves: bool,
    /// Where threads that part at the end of this block meet again, if they can part.
    pub meeting: Option<Meeting>,
}

/// Where diverged threads meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meeting {
    /// At the start of this block.
    Block(usize),
    /// Only after leaving the function.
    End,
}

impl<'a> Graph<'a> {
    /// The graph of a function whose source is given.
    pub fn new(function: &'a Function, source: &'a str) -> Graph<'a> {
        let flow = ControlFlow::of(function);
        let instructions = function.body.as_ref().map_or(&[][..], |body| &body.instructions);
        let blocks = flow
            .blocks
            .iter()
            .map(|block| GraphBlock {
                lines: instructions[block.start..block.end].iter().map(|each| line(each, source)).collect(),
                successors: block.successors.iter().map(|id| id.index()).collect(),
                leaves: block.leaves,
                meeting: can_part(&instructions[block.end - 1]).then(|| {
                    let point = flow.reconvergence(block.end - 1).and_then(|at| flow.block_of(at));
                    point.map_or(Meeting::End, |block| Meeting::Block(block.index()))
                }),
            })
            .collect();
        Graph { name: &function.name, blocks }
    }

    /// The graph as indented text.
    pub fn text(&self) -> String {
        let instructions: usize = self.blocks.iter().map(|block| block.lines.len()).sum();
        let mut text = format!("{}: {} blocks, {instructions} instructions\n", self.name, self.blocks.len());
        for (index, block) in self.blocks.iter().enumerate() {
            text += &format!("\nB{index}  {}\n", block.title());
            for (line, instruction) in &block.lines {
                text += &format!("  {line:>6}  {instruction}\n");
            }
        }
        text
    }

    /// The graph as JSON.
    pub fn json(&self) -> Value {
        let blocks: Vec<Value> = self
            .blocks
            .iter()
            .map(|block| {
                let lines: Vec<Value> =
                    block.lines.iter().map(|(line, text)| json!({ "line": line, "text": text })).collect();
                json!({
                    "instructions": lines,
                    "successors": block.successors,
                    "leaves": block.leaves,
                    "can_diverge": block.meeting.is_some(),
                    "reconverges_at_block": match block.meeting {
                        Some(Meeting::Block(index)) => Some(index),
                        Some(Meeting::End) | None => None,
                    },
                })
            })
            .collect();
        json!({ "function": self.name, "blocks": blocks })
    }
}

impl GraphBlock<'_> {
    /// Where control goes and where threads meet, in words.
    pub fn title(&self) -> String {
        let mut targets: Vec<String> = self.successors.iter().map(|index| format!("B{index}")).collect();
        if self.leaves {
            targets.push("end".to_owned());
        }
        let mut title = format!("to {}", targets.join(", "));
        match self.meeting {
            Some(Meeting::Block(index)) => title += &format!("; threads meet at B{index}"),
            Some(Meeting::End) => title += "; threads meet at the end",
            None => {}
        }
        title
    }
}

/// Whether threads of a warp can go different ways here.
fn can_part(last: &Instruction) -> bool {
    let opcode = last.opcode();
    let is_indexed = opcode.is_branch() && last.operands.len() > 1;
    is_indexed || (opcode.is_branch() || opcode.leaves()) && last.guard.is_some()
}

/// The first line of an instruction, without the rest of a call that is spread over several.
fn line<'a>(instruction: &Instruction, source: &'a str) -> (u32, &'a str) {
    let text = instruction.span.text(source);
    (instruction.span.line, text.lines().next().unwrap_or(text).trim_end())
}
