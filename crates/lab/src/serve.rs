//! A local site over the store: find runs, compare two of them, see how one went over time.
//!
//! Every page is a function of the store and the address, made when it is requested: a sweep that still runs shows up
//! with the next click. Listening to a port is the command's work, so that all of this can be tested without one.
//!
//! | address                       | what it shows                                                     |
//! |-------------------------------|-------------------------------------------------------------------|
//! | `/?workload=…&scheme=…`       | the runs that pass the filter, and their speedups                 |
//! | `/run/IDENTITY`               | one run: measures, timeline, decisions, energy, counters, settings |
//! | `/compare?run=…&run=…`        | two runs side by side                                             |
//! | `/schemes?first=…&second=…`   | two schemes over all workloads that have both                     |

mod decisions;
mod measures;
mod overview;
mod pair;
mod schemes;
mod single;
mod speedups;
mod target;
mod timeline;

use crate::LabError;
use crate::run::Record;
use crate::store::Store;
use shrinkwarp_report::page::Page;
use target::Target;

const SCRIPT: &str = include_str!("serve/serve.js");

/// What goes back to the browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The status of HTTP.
    pub status: u16,
    /// A whole HTML page.
    pub body: String,
}

/// The page at an address, as the first line of a request has it.
pub fn respond(store: &Store, address: &str) -> Response {
    let target = Target::parse(address);
    let page = match target.segments().as_slice() {
        [] => overview::page(store, &target),
        ["run", identity] => store.find(identity).map(|record| single::page(&record)),
        ["compare"] => compared(store, &target),
        ["schemes"] => schemes::page(store, &target),
        _ => return mistake(404, &format!("There is no page {}.", target.path)),
    };
    match page {
        Ok(page) => Response { status: 200, body: page.html() },
        Err(error @ LabError::Usage(_)) => mistake(400, &error.to_string()),
        Err(error) => mistake(404, &error.to_string()),
    }
}

fn compared(store: &Store, target: &Target) -> Result<Page, LabError> {
    let [first, second] = target.all("run")[..] else {
        return Err(LabError::Usage("Choose two runs to compare.".to_owned()));
    };
    Ok(pair::page(&store.find(first)?, &store.find(second)?))
}

fn mistake(status: u16, message: &str) -> Response {
    Response { status, body: site_page("Not here", message).html() }
}

/// A page with the way back to the list.
fn site_page(title: &str, lead: &str) -> Page {
    let mut page = Page::new(title, lead);
    page.script(SCRIPT);
    page.markup("<nav><a href=\"/\">All runs</a></nav>");
    page
}

/// What tells a run from others: `bfs small, gtx480, latte`.
fn name_of(record: &Record) -> String {
    let changes: String = record.overrides.iter().map(|change| format!(", {change}")).collect();
    format!("{} {}, {}, {}{changes}", record.workload, record.scale, record.gpu, record.scheme)
}

#[cfg(test)]
mod tests;
