//! What all charts share: title, legend, axes, grid, and the room that is left for the marks.

use super::canvas::{Area, Canvas, pixels, text_width};
use super::scale::{Extent, Ruler, Tick};
use super::{Chart, Colours, legend};
use crate::markup::escaped;

/// The width of a page.
pub(super) const WIDTH: f64 = 860.0;
const MOST_WIDTH: f64 = 1500.0;
/// How far a page may shrink a chart.
const LEAST_SHARE: f64 = 0.72;
const MARGIN: f64 = 14.0;
const TITLE_HEIGHT: f64 = 26.0;
const TICK_FONT_PIXELS: f64 = 11.0;
const LABEL_HEIGHT: f64 = 18.0;
/// The angle by which names are turned that do not fit their band.
const TURN_DEGREES: f64 = -45.0;
/// Turned names cannot stand closer than this, and none is left out.
const LINE_HEIGHT: f64 = 12.0;
/// A name longer than this is cut, so that it does not eat the plot.
const LONGEST_NAME: usize = 28;

/// The room for the marks, and how values map into it.
pub(super) struct Plot<'a> {
    pub(super) area: Area,
    pub(super) x: Ruler<'a>,
    pub(super) y: Ruler<'a>,
    pub(super) colours: &'a Colours,
}

/// The whole picture.
pub(super) fn draw(chart: &Chart, style: Option<&str>, colours: &Colours) -> String {
    let body = chart.body();
    let (x_extent, y_extent) = (body.x_extent(), body.y_extent(&chart.y));
    let entries = body.legend(&chart.y, colours);

    // Left of the plot: the names or numbers of the vertical axis; their texts do not depend on its length.
    let plot_height = body.plot_height();
    let y_texts = Ruler::new(&chart.y, &y_extent, plot_height, 0.0).ticks();
    let caption_width = if chart.y.label.is_empty() || is_named(&y_extent) { 0.0 } else { LABEL_HEIGHT };
    let left = MARGIN + caption_width + widest(&y_texts) + 8.0;
    // The last number is below the end of the axis, half of it beyond.
    let x_texts = Ruler::new(&chart.x, &x_extent, 0.0, chart.width).ticks();
    let overhang = if is_named(&x_extent) { 0.0 } else { widest(&x_texts) / 2.0 };
    let right = body.tail_width(&chart.x) + MARGIN.max(overhang + 4.0);
    let names_width =
        if let Extent::Names(names) = &x_extent { LINE_HEIGHT * names.len() as f64 } else { 0.0 };
    let plot_width =
        body.least_width().clamp(chart.width - left - right, MOST_WIDTH - left - right).max(names_width);
    let width = left + plot_width + right;
    let legend_rows = legend::layout(&entries, plot_width).1;
    let top = MARGIN + TITLE_HEIGHT + legend_rows * legend::ROW_HEIGHT + 8.0 + body.headroom(&chart.y);
    let area = Area { left, top, width: plot_width, height: plot_height };

    let x = Ruler::new(&chart.x, &x_extent, left, left + plot_width);
    let y = Ruler::new(&chart.y, &y_extent, top + plot_height, top);
    let plot = Plot { area, x, y, colours };
    let below = Below::of(&plot);
    let height = top + plot_height + below.height + MARGIN;

    let mut canvas = Canvas::default();
    canvas.rectangle("card", Area { left: 0.0, top: 0.0, width, height }, "");
    canvas.text("title", (MARGIN, MARGIN + 12.0), &chart.title);
    legend::draw(&entries, (left, MARGIN + TITLE_HEIGHT), plot_width, &mut canvas);
    draw_y_axis(&plot, &mut canvas);
    draw_x_axis(&plot, &below, &mut canvas);
    body.draw(&plot, &mut canvas);
    draw_reference(&plot, &mut canvas);
    wrapped(chart, style, (width, height), &canvas.into_text())
}

fn wrapped(chart: &Chart, style: Option<&str>, (width, height): (f64, f64), marks: &str) -> String {
    // Within HTML the namespace is known.
    let namespace = if style.is_some() { " xmlns=\"http://www.w3.org/2000/svg\"" } else { "" };
    // A page may shrink a chart while its texts can be read; a narrower window scrolls it.
    let least = if style.is_none() {
        format!(" style=\"min-width:{}px\"", pixels((LEAST_SHARE * width).round()))
    } else {
        String::new()
    };
    let style = style.map_or(String::new(), |style| format!("<style>{style}</style>"));
    let (width, height, title) = (pixels(width), pixels(height), escaped(&chart.title));
    let description = escaped(&description(chart));
    format!(
        "<svg class=\"chart\"{namespace} viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\"{least} \
         role=\"img\" aria-label=\"{title}\"><title>{title}</title><desc>{description}</desc>{style}{marks}</svg>\n"
    )
}

/// What the chart is, in a sentence for readers who do not see it.
fn description(chart: &Chart) -> String {
    let names: Vec<String> =
        chart.body().legend(&chart.y, &Colours::default()).into_iter().map(|entry| entry.name).collect();
    let across = if chart.x.label.is_empty() { String::new() } else { format!(" by {}", chart.x.caption()) };
    let of = if names.is_empty() { String::new() } else { format!(" of {}", names.join(", ")) };
    format!("{}{of}{across}.", chart.y.caption())
}

fn draw_y_axis(plot: &Plot, canvas: &mut Canvas) {
    let Area { left, top, width, height } = plot.area;
    let is_named = plot.y.is_named();
    for tick in plot.y.ticks() {
        if !is_named {
            canvas.line("grid", (left, tick.at), (left + width, tick.at));
        }
        canvas.text("soft end", (left - 7.0, tick.at + 4.0), &cut(&tick.text));
    }
    if !is_named {
        let middle = top + height / 2.0;
        let caption = plot.y.axis().caption();
        canvas.turned_text("middle", (MARGIN + 10.0, middle), -90.0, &caption);
    }
}

/// How the ticks below the plot are written.
struct Below {
    height: f64,
    is_turned: bool,
    /// Every how many-th tick has a text.
    every: usize,
}

impl Below {
    fn of(plot: &Plot) -> Self {
        let ticks = plot.x.ticks();
        let room = plot.area.width / ticks.len().max(1) as f64;
        let widest = widest(&ticks);
        let label_height = if plot.x.axis().label.is_empty() { 0.0 } else { LABEL_HEIGHT };
        let is_turned = plot.x.is_named() && widest + 6.0 > room;
        // A name that is not written is lost; a number lies between its neighbours.
        let every = if plot.x.is_named() { 1 } else { ((widest + 8.0) / room).ceil().max(1.0) as usize };
        let text_height =
            if is_turned { 12.0 + widest * TURN_DEGREES.to_radians().sin().abs() } else { 20.0 };
        Self { height: text_height + label_height, is_turned, every }
    }
}

fn draw_x_axis(plot: &Plot, below: &Below, canvas: &mut Canvas) {
    let Area { left, top, width, height } = plot.area;
    let bottom = top + height;
    canvas.line("axis", (left, bottom), (left + width, bottom));
    for tick in plot.x.ticks().iter().step_by(below.every) {
        if below.is_turned {
            canvas.turned_text("soft end", (tick.at + 4.0, bottom + 12.0), TURN_DEGREES, &cut(&tick.text));
        } else {
            canvas.text("soft middle", (tick.at, bottom + 15.0), &cut(&tick.text));
        }
        if !plot.x.is_named() {
            // Rows are compared along the horizontal axis, so the grid lines are vertical.
            let from = if plot.y.is_named() { top } else { bottom };
            let class = if plot.y.is_named() { "grid" } else { "axis" };
            canvas.line(class, (tick.at, from), (tick.at, bottom + 4.0));
        }
    }
    let caption = plot.x.axis().caption();
    canvas.text("middle", (left + width / 2.0, bottom + below.height - 2.0), &caption);
}

fn draw_reference(plot: &Plot, canvas: &mut Canvas) {
    let Area { left, top, width, height } = plot.area;
    if let Some(value) = plot.y.axis().reference
        && !plot.y.is_named()
        && plot.y.holds(value)
    {
        let y = plot.y.at(value);
        canvas.line("reference", (left, y), (left + width, y));
    }
    if let Some(value) = plot.x.axis().reference
        && plot.x.holds(value)
    {
        let x = plot.x.at(value);
        canvas.line("reference", (x, top), (x, top + height));
    }
}

fn is_named(extent: &Extent) -> bool {
    matches!(extent, Extent::Names(_))
}

fn widest(ticks: &[Tick]) -> f64 {
    ticks.iter().map(|tick| text_width(&cut(&tick.text), TICK_FONT_PIXELS)).fold(0.0, f64::max)
}

fn cut(name: &str) -> String {
    if name.chars().count() <= LONGEST_NAME {
        return name.to_owned();
    }
    name.chars().take(LONGEST_NAME - 1).chain(['…']).collect()
}
