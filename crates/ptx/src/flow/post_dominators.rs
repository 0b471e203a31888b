//! Immediate post-dominators: dominators of the reversed graph, from one virtual exit.
//!
//! A block that can never reach the end (an infinite loop) gets an edge to the exit of its own, so that every block
//! has a post-dominator.

use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};

use super::blocks::{BasicBlock, BlockId};

/// For every block its immediate post-dominator; `None` is the virtual exit.
pub(super) fn immediate(blocks: &[BasicBlock]) -> Vec<Option<BlockId>> {
    let mut reversed: DiGraph<(), ()> = DiGraph::with_capacity(blocks.len() + 1, 2 * blocks.len());
    for _ in 0..=blocks.len() {
        reversed.add_node(());
    }
    let exit = NodeIndex::new(blocks.len());
    for (index, block) in blocks.iter().enumerate() {
        for successor in &block.successors {
            reversed.add_edge(NodeIndex::new(successor.index()), NodeIndex::new(index), ());
        }
    }
    for (index, reaches_exit) in exit_edges(blocks).into_iter().enumerate() {
        if reaches_exit {
            reversed.add_edge(exit, NodeIndex::new(index), ());
        }
    }
    let dominators = simple_fast(&reversed, exit);
    (0..blocks.len())
        .map(|index| {
            dominators.immediate_dominator(NodeIndex::new(index)).filter(|dominator| *dominator != exit)
        })
        .map(|dominator| dominator.map(|node| BlockId(node.index() as u32)))
        .collect()
}

/// Which blocks have an edge to the exit: those that leave, and the last of every set of blocks that cannot.
fn exit_edges(blocks: &[BasicBlock]) -> Vec<bool> {
    let mut predecessors = vec![Vec::new(); blocks.len()];
    for (index, block) in blocks.iter().enumerate() {
        for successor in &block.successors {
            predecessors[successor.index()].push(index);
        }
    }
    let mut has_edge: Vec<bool> = blocks.iter().map(|block| block.leaves).collect();
    let mut reaches = vec![false; blocks.len()];
    let leaving = (0..blocks.len()).filter(|index| blocks[*index].leaves);
    mark_backwards(&predecessors, &mut reaches, leaving.collect());
    for index in (0..blocks.len()).rev() {
        if !reaches[index] {
            has_edge[index] = true;
            mark_backwards(&predecessors, &mut reaches, vec![index]);
        }
    }
    has_edge
}

fn mark_backwards(predecessors: &[Vec<usize>], reaches: &mut [bool], mut pending: Vec<usize>) {
    while let Some(block) = pending.pop() {
        if !std::mem::replace(&mut reaches[block], true) {
            pending.extend(predecessors[block].iter().filter(|predecessor| !reaches[**predecessor]));
        }
    }
}
