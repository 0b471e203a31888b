//! Bars made of parts, in groups: where energy, time or traffic goes.

use super::canvas::{Area, Canvas};
use super::frame::Plot;
use super::legend::{Entry, Swatch};
use super::points::Point;
use super::scale::Extent;
use super::{Axis, Body, Colours};

const LEAST_BAR_PIXELS: f64 = 14.0;
const MOST_BAR_PIXELS: f64 = 40.0;
const GAP_SHARE: f64 = 0.2;

/// Bars made of parts.
#[derive(Debug, Clone)]
pub struct Stacked {
    /// The parts from the bottom up.
    pub parts: Vec<String>,
    /// The groups from left to right.
    pub groups: Vec<Group>,
}

/// Bars that belong together, such as the schemes of one workload.
#[derive(Debug, Clone)]
pub struct Group {
    /// The name of the group.
    pub name: String,
    /// The name of each bar, empty when there is but one, and the size of every part.
    pub bars: Vec<(String, Vec<f64>)>,
}

impl Group {
    /// A group of one bar.
    pub fn single(name: impl Into<String>, parts: Vec<f64>) -> Self {
        Self { name: name.into(), bars: vec![(String::new(), parts)] }
    }
}

impl Stacked {
    /// One band per bar and an empty one between groups of several bars.
    fn bands(&self) -> Vec<Option<(String, &[f64])>> {
        let mut bands = Vec::new();
        for group in &self.groups {
            if group.bars.len() > 1 && !bands.is_empty() {
                bands.push(None);
            }
            for (bar, parts) in &group.bars {
                let name = if bar.is_empty() { group.name.clone() } else { format!("{} {bar}", group.name) };
                bands.push(Some((name, parts.as_slice())));
            }
        }
        bands
    }
}

impl Body for Stacked {
    fn x_extent(&self) -> Extent {
        Extent::Names(
            self.bands().into_iter().map(|band| band.map_or(String::new(), |(name, _)| name)).collect(),
        )
    }

    fn names(&self) -> Vec<&str> {
        self.parts.iter().map(String::as_str).collect()
    }

    fn y_extent(&self, _: &Axis) -> Extent {
        let bars = self.groups.iter().flat_map(|group| &group.bars);
        Extent::of(bars.map(|(_, parts)| parts.iter().sum())).with_zero()
    }

    fn least_width(&self) -> f64 {
        self.bands().len() as f64 * LEAST_BAR_PIXELS
    }

    fn legend(&self, _: &Axis, colours: &Colours) -> Vec<Entry> {
        let named = self.parts.iter().enumerate();
        named
            .map(|(index, name)| Entry {
                swatch: Swatch::Square(colours.class(name, index)),
                name: name.clone(),
            })
            .collect()
    }

    fn draw(&self, plot: &Plot, canvas: &mut Canvas) {
        for (index, band) in self.bands().into_iter().enumerate() {
            let Some((name, parts)) = band else { continue };
            let (start, room) = plot.x.band(index);
            let width = (room * (1.0 - GAP_SHARE)).min(MOST_BAR_PIXELS);
            let left = start + (room - width) / 2.0;
            let mut below = 0.0;
            for (part, (size, part_name)) in parts.iter().zip(&self.parts).enumerate() {
                let (bottom, top) = (plot.y.at(below), plot.y.at(below + size));
                below += size;
                let tip = format!("{name}, {part_name}: {}", plot.y.axis().read_out(*size));
                let area = Area { left, top, width, height: (bottom - top).max(0.0) };
                canvas.rectangle(&plot.colours.class(part_name, part), area, &tip);
            }
        }
    }

    fn points(&self, _: &Axis) -> Vec<Point> {
        let bars = self.bands().into_iter().flatten();
        bars.flat_map(|(name, parts)| {
            let named = self.parts.iter().zip(parts);
            named.map(move |(part, size)| Point::ours(name.clone(), part, *size)).collect::<Vec<_>>()
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Chart;

    #[test]
    fn parts_stand_on_one_another_and_the_axis_holds_their_sum() {
        let groups = vec![Group::single("bfs", vec![1.0, 3.0])];
        let chart = Chart::stacked("Energy", Axis::new("energy").unit("mJ"), ["core", "DRAM"], groups);
        let svg = chart.svg();
        assert!(
            svg.contains("<title>bfs, core: 1 mJ</title>") && svg.contains("<title>bfs, DRAM: 3 mJ</title>")
        );
        assert!(matches!(chart.body().y_extent(&chart.y), Extent::Numbers(0.0, 4.0)));
    }
}
