//! Pages of a web log in order of their views, as MapReduce.

use super::mars::{self, Input};
use crate::check::Tolerance;
use crate::error::{Failure, InputFileError};
use crate::host::Host;
use crate::workload::{BufferInfo, Class, DataSet, ElementType, InputKind, Paper, Workload, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "pageview-rank",
    summary: "MapReduce over a web log: rank by count",
    class: Class::Integer,
    papers: &[(Paper::Dsm, "M-PVR"), (Paper::E2mc, "PVR")],
    is_cache_sensitive: false,
    buffers: &BUFFERS,
    input: Some(InputKind::Text),
    data_sets: &[DataSet::new("mars", "as Mars generates: ranks rand(), lines of about 40 bytes").revised(2)],
    ptx: include_str!("../../kernels/pageview-rank.ptx"),
    run,
};

const BUFFERS: [BufferInfo; 12] = mars::sort_buffers(&[], exact("keys", ElementType::I32));

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let records = host.size(host.scale().pick(600, 32_768, 880_000), mars::SORT_UNIT..=1 << 22)?;
    let table = match host.input() {
        Some(given) => parse(given)?,
        None => generated(records, host),
    };
    let input = Input {
        keys: table.iter().map(|&(rank, _)| rank as u32).collect(),
        values: table.iter().map(|&(_, offset)| offset).collect(),
        key_words: 1,
        value_words: 1,
    };
    let mapped = mars::map::<i32>(host, &input)?;
    let ranks: Vec<i32> = table.iter().map(|&(rank, _)| rank).collect();
    host.check("keys", mapped.keys, &ranks, Tolerance::Exact)?;
    if host.scale().pick(false, true, true) {
        let rank = |entry: &[i32; 4]| ranks[entry[0] as usize / 4];
        return mars::check_first_steps(host, &mapped, |a, b| rank(b).cmp(&rank(a)));
    }
    let (sorted, _) = mars::group(host, &mapped)?;
    // The network is not stable: lines of equal rank may be in any order.
    let mut expected = table.clone();
    expected.sort_by_key(|&(rank, offset)| (std::cmp::Reverse(rank), offset));
    let (ranks, offsets) = (host.download(sorted.keys)?, host.download(sorted.values)?);
    let mut got: Vec<(i32, i32)> = ranks.iter().copied().zip(offsets).collect();
    host.check_values("keys", &ranks, &expected.iter().map(|e| e.0).collect::<Vec<_>>(), Tolerance::Exact)?;
    got.sort_by_key(|&(rank, offset)| (std::cmp::Reverse(rank), offset));
    let offsets = |table: &[(i32, i32)]| table.iter().map(|e| e.1).collect::<Vec<i32>>();
    host.check_values("values", &offsets(&got), &offsets(&expected), Tolerance::Exact)
}

/// Ranks and places of lines `http://www.abcdefg.com/PAGE.html<tab>RANK`, PAGE below 1,024.
fn generated(records: usize, host: &Host<'_>) -> Vec<(i32, i32)> {
    let mut rand = host.c_rand(1);
    let mut offset = 0;
    let mut next = |_| {
        let (page, rank) = (rand.rand() % 1024, rand.rand());
        let line = format!("http://www.abcdefg.com/{page}.html\t{rank}\n");
        offset += line.len() as i32;
        (rank, offset - line.len() as i32)
    };
    (0..records).map(&mut next).collect()
}

/// The same of a given table.
fn parse(table: &[u8]) -> Result<Vec<(i32, i32)>, InputFileError> {
    let text =
        std::str::from_utf8(table).map_err(|_| InputFileError::at(0, "the table is not UTF-8 text"))?;
    let mut offset = 0;
    let mut entry = |(index, line): (usize, &str)| {
        let start = offset;
        offset += line.len() as i32;
        let rank = line.split_once('\t').and_then(|(_, rank)| rank.trim().parse().ok());
        rank.map(|rank| (rank, start))
            .ok_or_else(|| InputFileError::at(index + 1, "expected `URL<tab>views`"))
    };
    text.split_inclusive('\n').enumerate().map(&mut entry).collect()
}
