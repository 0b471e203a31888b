//! What programs did, as a page.

use serde_json::Value;
use shrinkwarp_report::page::{Card, Page};

use super::result::ProgramResult;

/// A page with a part for each program.
pub fn page(results: &[ProgramResult]) -> String {
    let lead = "A CUDA program on a simulated GPU: its kernels, and what the machine did for them.";
    let mut page = Page::new("shrinkwarp exec", lead);
    for (number, result) in results.iter().enumerate() {
        page.heading(&format!("program-{number}"), &result.program());
        page.cards(&cards(result));
        let header = ["launch", "kernel", "cycles", "thread instructions", "IPC", "thread blocks per SM"];
        let rows: Vec<Vec<String>> =
            result.launches().iter().enumerate().map(|(at, launch)| row(at, launch)).collect();
        page.table(&header, &rows);
        page.text(&result.text());
    }
    page.html()
}

fn cards(result: &ProgramResult) -> Vec<Card> {
    let number = |name: &str| result.value[name].as_u64().unwrap_or(0);
    let text = |name: &str| result.value[name].as_str().unwrap_or("").to_owned();
    let mut cards = vec![
        Card::new("GPU", text("gpu"), format!("scheme {}", text("scheme"))),
        Card::new("launches", result.launches().len().to_string(), "kernels that ended"),
        Card::new(
            "thread instructions",
            number("thread_instructions").to_string(),
            "PTX instructions times lanes",
        ),
    ];
    if number("cycles") > 0 {
        cards.push(Card::new("core cycles", number("cycles").to_string(), "of all launches"));
    }
    cards
}

fn row(at: usize, launch: &Value) -> Vec<String> {
    let number = |name: &str| launch[name].as_u64().unwrap_or(0);
    let ipc = number("thread_instructions") as f64 / number("cycles").max(1) as f64;
    vec![
        at.to_string(),
        launch["kernel"].as_str().unwrap_or("").to_owned(),
        number("cycles").to_string(),
        number("thread_instructions").to_string(),
        format!("{ipc:.1}"),
        number("blocks_per_sm").to_string(),
    ]
}
