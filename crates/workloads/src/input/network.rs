//! Graphs of the graph suites' own inputs: uniform random arcs as in GTgraph's files, roads, and co-authors.

use super::Rng;
use super::graph::Csr;

/// A directed graph of `edges` distinct arcs between random nodes, weights 0 to `max_weight`, in no order within a row.
///
/// Degrees are binomial: 95 to 164 for 1,024 nodes and 131,072 arcs, as in Pannotia's `1k_128k.gr`.
pub fn uniform(nodes: usize, edges: usize, max_weight: u32, rng: &mut Rng) -> Csr {
    let edges = edges.min(nodes * nodes.saturating_sub(1));
    let mut is_taken = vec![false; nodes * nodes];
    let mut rows: Vec<Vec<(i32, i32)>> = vec![Vec::new(); nodes];
    let mut left = edges;
    while left > 0 {
        let (tail, head) = (rng.below(nodes as u32) as usize, rng.below(nodes as u32) as usize);
        if tail == head || is_taken[tail * nodes + head] {
            continue;
        }
        is_taken[tail * nodes + head] = true;
        rows[tail].push((head as i32, rng.below(max_weight + 1) as i32));
        left -= 1;
    }
    from_rows(&rows)
}

/// The graph with every arc turned around, tails ascending within a row.
pub fn transposed(graph: &Csr) -> Csr {
    let mut rows: Vec<Vec<(i32, i32)>> = vec![Vec::new(); graph.nodes()];
    for node in 0..graph.nodes() {
        for edge in graph.out_edges(node) {
            rows[graph.col[edge] as usize].push((node as i32, graph.weight[edge]));
        }
    }
    from_rows(&rows)
}

/// Roads: crossings on a grid of `side` × `side`, numbered row by row, with `share` of the streets between neighbours, both
/// ways, of lengths 1 to `max_weight`; one street in 60 leads to a crossing far away, as bridges, tunnels and numbers out of
/// order do. A crossing has at most four streets, in no order. New York's roads have 264,346 crossings and 733,846 arcs: a
/// share of 0.70.
pub fn roads(side: usize, share: f64, max_weight: u32, rng: &mut Rng) -> Csr {
    const FAR_SHARE: f64 = 1.0 / 60.0;
    const MOST_STREETS: usize = 4;
    let crossings = side * side;
    let mut rows: Vec<Vec<(i32, i32)>> = vec![Vec::new(); crossings];
    for here in 0..crossings {
        for (near, exists) in [(here + 1, (here + 1) % side != 0), (here + side, here + side < crossings)] {
            if !exists || rng.unit() >= share {
                continue;
            }
            let is_far = rng.unit() < FAR_SHARE;
            let there = if is_far { rng.below(crossings as u32) as usize } else { near };
            let has_room = |crossing: usize| rows[crossing].len() < MOST_STREETS;
            if there == here || !has_room(here) || !has_room(there) {
                continue;
            }
            let weight = 1 + rng.below(max_weight) as i32;
            rows[here].push((there as i32, weight));
            rows[there].push((here as i32, weight));
        }
    }
    for streets in &mut rows {
        rng.shuffle(streets);
    }
    from_rows(&rows)
}

/// The roads of a grid of `side` crossings, numbered as the road files of the 9th DIMACS challenge are: county after county,
/// crossings in the order in which the county's streets, which are listed in no spatial order, first name them. (New York's
/// file begins with the streets 1–2, 3–4, 5–6, 7–8, 9–10, 9–11.) A county is a square of about `county` crossings.
pub fn in_order_of_streets(roads: &Csr, side: usize, county: usize, rng: &mut Rng) -> Csr {
    let county_side = county.isqrt().max(1);
    let counties = side.div_ceil(county_side);
    let mut streets: Vec<Vec<(usize, usize)>> = vec![Vec::new(); counties * counties];
    for here in 0..roads.nodes() {
        let (x, y) = (here % side, here / side);
        let own = &mut streets[y / county_side * counties + x / county_side];
        own.extend(roads.neighbours(here).iter().map(|&there| (here, there as usize)).filter(|(a, b)| a < b));
    }
    let mut number = vec![None; roads.nodes()];
    let mut named = 0;
    let mut name = |crossing: usize| {
        number[crossing].get_or_insert_with(|| {
            named += 1;
            named - 1
        });
    };
    for county in &mut streets {
        rng.shuffle(county);
        for &(here, there) in county.iter() {
            name(here);
            name(there);
        }
    }
    // Crossings without streets come last.
    (0..roads.nodes()).for_each(&mut name);
    let number: Vec<usize> = number.into_iter().flatten().collect();
    let mut rows: Vec<Vec<(i32, i32)>> = vec![Vec::new(); roads.nodes()];
    for here in 0..roads.nodes() {
        let arc = |edge: usize| (number[roads.col[edge] as usize] as i32, roads.weight[edge]);
        rows[number[here]] = roads.out_edges(here).map(arc).collect();
    }
    from_rows(&rows)
}

/// Co-authors: a newcomer writes with one to six others, mostly with those who write much (Barabási and Albert, 1999), who
/// have up to 336 co-authors. That gives the degrees of DBLP's 299,067 authors and 977,676 pairs. Numbers are in no order.
pub fn coauthors(nodes: usize, rng: &mut Rng) -> Csr {
    const MAX_DEGREE: u32 = 336;
    let mut names: Vec<u32> = (0..nodes as u32).collect();
    rng.shuffle(&mut names);
    // Every author once for each co-author, and once more, so that newcomers can be drawn.
    let mut drawn: Vec<u32> = vec![0];
    let mut degree = vec![0u32; nodes];
    let mut edges = Vec::with_capacity(nodes * 7);
    for author in 1..nodes as u32 {
        // One to five, 3.1 in the mean.
        let others = 1 + rng.below(5) + u32::from(rng.below(9) == 0);
        for _ in 0..others {
            let other = drawn[rng.below(drawn.len() as u32) as usize];
            if other == author || degree[other as usize] >= MAX_DEGREE {
                continue;
            }
            degree[other as usize] += 1;
            drawn.extend([other, author]);
            let (a, b) = (names[author as usize], names[other as usize]);
            edges.push((a, b, 1));
            edges.push((b, a, 1));
        }
        drawn.push(author);
    }
    Csr::from_edges(nodes, edges)
}

/// A graph with `degree` random arcs from every node, weights 1 to `max_weight`: Lonestar's uniform random graphs.
pub fn regular(nodes: usize, degree: usize, max_weight: u32, rng: &mut Rng) -> Csr {
    let row = |_| -> Vec<(i32, i32)> {
        (0..degree).map(|_| (rng.below(nodes as u32) as i32, 1 + rng.below(max_weight) as i32)).collect()
    };
    from_rows(&(0..nodes).map(row).collect::<Vec<_>>())
}

fn from_rows(rows: &[Vec<(i32, i32)>]) -> Csr {
    let mut row = vec![0i32];
    let (mut col, mut weight) = (Vec::new(), Vec::new());
    for arcs in rows {
        col.extend(arcs.iter().map(|&(head, _)| head));
        weight.extend(arcs.iter().map(|&(_, weight)| weight));
        row.push(col.len() as i32);
    }
    Csr { row, col, weight }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uniform_arcs_are_distinct_and_degrees_are_binomial() {
        let graph = uniform(1024, 131_072, 100, &mut Rng::new(1));
        assert_eq!(graph.edges(), 131_072);
        let degrees: Vec<usize> = (0..1024).map(|node| graph.out_edges(node).len()).collect();
        // Mean 128, deviation 10.6: four deviations either way hold 1,024 draws.
        assert!(degrees.iter().all(|&degree| (80..176).contains(&degree)), "{degrees:?}");
        for node in 0..1024 {
            let mut heads = graph.neighbours(node).to_vec();
            heads.sort_unstable();
            heads.dedup();
            assert_eq!(heads.len(), graph.out_edges(node).len());
        }
    }

    #[test]
    fn a_transposed_graph_has_every_arc_turned_around() {
        let graph = uniform(50, 400, 9, &mut Rng::new(2));
        let arcs = |graph: &Csr, turned: bool| {
            let mut arcs: Vec<(usize, usize, i32)> = (0..graph.nodes())
                .flat_map(|tail| graph.out_edges(tail).map(move |edge| (tail, edge)))
                .map(|(tail, edge)| {
                    let head = graph.col[edge] as usize;
                    let (from, to) = if turned { (head, tail) } else { (tail, head) };
                    (from, to, graph.weight[edge])
                })
                .collect();
            arcs.sort_unstable();
            arcs
        };
        assert_eq!(arcs(&graph, false), arcs(&transposed(&graph), true));
    }

    #[test]
    fn other_numbers_give_the_same_roads() {
        let roads = roads(20, 0.70, 100, &mut Rng::new(1));
        let renumbered = in_order_of_streets(&roads, 20, 100, &mut Rng::new(2));
        let signature = |graph: &Csr| {
            let mut rows: Vec<Vec<i32>> = (0..graph.nodes())
                .map(|node| {
                    let mut weights: Vec<i32> =
                        graph.out_edges(node).map(|edge| graph.weight[edge]).collect();
                    weights.sort_unstable();
                    weights
                })
                .collect();
            rows.sort_unstable();
            rows
        };
        assert_eq!(signature(&roads), signature(&renumbered));
        assert!(renumbered.neighbours(0).contains(&1), "the first street names the first two crossings");
    }

    #[test]
    fn roads_and_coauthors_have_the_published_degrees() {
        let roads = roads(200, 0.70, 100, &mut Rng::new(1));
        let per_crossing = roads.edges() as f64 / roads.nodes() as f64;
        assert!((2.7..2.9).contains(&per_crossing), "{per_crossing}");
        let authors = coauthors(20_000, &mut Rng::new(1));
        let per_author = authors.edges() as f64 / authors.nodes() as f64;
        assert!((5.9..6.5).contains(&per_author), "{per_author}");
    }
}
