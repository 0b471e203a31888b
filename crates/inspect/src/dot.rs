//! The control-flow graph for Graphviz. Dashed edges lead to where diverged threads meet.

use crate::graph::{Graph, Meeting};

/// The graph in the dot language.
pub fn write(graph: &Graph<'_>) -> String {
    let mut text =
        format!("digraph \"{}\" {{\n  node [shape=box, fontname=monospace];\n", escaped(graph.name));
    if graph.blocks.iter().any(|block| block.leaves || block.meeting == Some(Meeting::End)) {
        text += "  end [shape=ellipse];\n";
    }
    for (index, block) in graph.blocks.iter().enumerate() {
        let lines: String = block.lines.iter().map(|(_, line)| escaped(line) + "\\l").collect();
        text += &format!("  b{index} [label=\"B{index}\\l{lines}\"];\n");
    }
    for (index, block) in graph.blocks.iter().enumerate() {
        for successor in &block.successors {
            text += &format!("  b{index} -> b{successor};\n");
        }
        if block.leaves {
            text += &format!("  b{index} -> end;\n");
        }
        match block.meeting {
            Some(Meeting::Block(point)) => {
                text += &format!("  b{index} -> b{point} [style=dashed, constraint=false];\n");
            }
            Some(Meeting::End) => text += &format!("  b{index} -> end [style=dashed, constraint=false];\n"),
            None => {}
        }
    }
    text + "}\n"
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
