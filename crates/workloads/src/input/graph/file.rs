//! A user's graph: an edge list, or a Matrix Market coordinate file.
//!
//! | file          | a line                                                                                      |
//! |---------------|---------------------------------------------------------------------------------------------|
//! | edge list     | `tail head [weight]`, nodes counted from 0, `#` and `%` begin comments                      |
//! | Matrix Market | header `%%MatrixMarket matrix coordinate …`, size `rows columns entries`, then the entries, counted from 1 |
//!
//! A weight is a number; its absolute value in whole units, at least 1, is used.

use super::Csr;
use crate::error::InputFileError;

/// The most nodes a graph may have: a row array of 256 MiB.
const MAX_NODES: usize = 1 << 26;

/// Reads either format; the first line tells which.
pub fn parse(text: &str) -> Result<Csr, InputFileError> {
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with(['#', '%']));
    let market = Market::of(text, &mut lines)?;
    let mut edges = Vec::new();
    let mut entries = 0;
    for (number, line) in lines {
        let (tail, head, weight) = entry(number, line, market.as_ref())?;
        entries += 1;
        edges.push((tail, head, weight));
        if market.as_ref().is_some_and(|market| market.is_symmetric) {
            edges.push((head, tail, weight));
        }
    }
    if let Some(market) = &market
        && entries != market.entries
    {
        let what = format!("the size line promises {} entries, the file has {entries}", market.entries);
        return Err(InputFileError::at(market.size_line, what));
    }
    let named = edges.iter().map(|&(tail, head, _)| tail.max(head) as usize + 1).max();
    let named = named.ok_or_else(|| InputFileError::at(1, "the file names no edge"))?;
    Ok(Csr::from_edges(market.map_or(named, |market| market.rows.max(market.columns)), edges))
}

/// What the first two lines of a Matrix Market file say.
struct Market {
    is_symmetric: bool,
    rows: usize,
    columns: usize,
    entries: usize,
    size_line: usize,
}

impl Market {
    /// `None` for an edge list.
    fn of<'t>(
        text: &str,
        lines: &mut impl Iterator<Item = (usize, &'t str)>,
    ) -> Result<Option<Self>, InputFileError> {
        let header: Vec<String> =
            text.lines().next().unwrap_or("").split_whitespace().map(str::to_lowercase).collect();
        let Some("%%matrixmarket") = header.first().map(String::as_str) else { return Ok(None) };
        if header.get(2).map(String::as_str) != Some("coordinate") {
            let what = "expected `%%MatrixMarket matrix coordinate …`: only sparse matrices are graphs";
            return Err(InputFileError::at(1, what));
        }
        let (size_line, line) =
            lines.next().ok_or_else(|| InputFileError::at(1, "the size line is missing"))?;
        let sizes: Vec<usize> = line.split_whitespace().map_while(|word| word.parse().ok()).collect();
        let [rows, columns, entries] = sizes[..] else {
            return Err(InputFileError::at(size_line, "expected `rows columns entries`"));
        };
        if rows.max(columns) > MAX_NODES {
            let what = format!("{} nodes; at most {MAX_NODES} are allowed", rows.max(columns));
            return Err(InputFileError::at(size_line, what));
        }
        let is_symmetric = header.iter().any(|word| word == "symmetric");
        Ok(Some(Self { is_symmetric, rows, columns, entries, size_line }))
    }
}

/// One edge: tail, head and weight, nodes counted from 0.
fn entry(number: usize, line: &str, market: Option<&Market>) -> Result<(u32, u32, i32), InputFileError> {
    let mut words = line.split_whitespace();
    let mut node = |what: &str, limit: Option<usize>| -> Result<u32, InputFileError> {
        let error = |message: String| Err(InputFileError::at(number, message));
        let Some(word) = words.next() else { return error(format!("the {what} node is missing")) };
        let Ok(value) = word.parse::<usize>() else {
            return error(format!("the {what} node {word:?} is not a whole number"));
        };
        match limit {
            Some(limit) if value == 0 || value > limit => {
                error(format!("the {what} node {value} is outside the matrix (1 to {limit})"))
            }
            Some(_) => Ok(value as u32 - 1),
            None if value >= MAX_NODES => {
                error(format!("the {what} node {value} is too large (0 to {})", MAX_NODES - 1))
            }
            None => Ok(value as u32),
        }
    };
    let tail = node("tail", market.map(|market| market.rows))?;
    let head = node("head", market.map(|market| market.columns))?;
    let weight = words.next().map_or(Ok(1), |word| weight(number, word))?;
    Ok((tail, head, weight))
}

fn weight(number: usize, word: &str) -> Result<i32, InputFileError> {
    match word.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok((value.abs() as i32).max(1)),
        _ => Err(InputFileError::at(number, format!("the weight {word:?} is not a finite number"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "%%MatrixMarket matrix coordinate integer symmetric\n";

    #[test]
    fn an_edge_list_and_its_matrix_market_twin_are_the_same_graph() {
        let list = parse("# three nodes\n0 1 5\n1 0 5\n1 2\n2 1\n").unwrap();
        let market = parse(&format!("{HEADER}3 3 2\n1 2 5\n2 3 1\n")).unwrap();
        assert_eq!(list, market);
        assert_eq!(list.row, [0, 1, 3, 4]);
    }

    #[test]
    fn a_mistake_is_named_with_its_line() {
        for (text, line, words) in [
            ("0 1\n1 x\n".to_owned(), 2, "\"x\" is not a whole number"),
            ("0 1\n1\n".to_owned(), 2, "the head node is missing"),
            ("0 1 nan\n".to_owned(), 1, "\"nan\" is not a finite number"),
            ("0 4000000000\n".to_owned(), 1, "too large (0 to 67108863)"),
            (format!("{HEADER}3 3 2\n1 2 5\n2 4 1\n"), 4, "head node 4 is outside the matrix (1 to 3)"),
            (format!("{HEADER}3 3 2\n1 2 5\n0 3 1\n"), 4, "tail node 0 is outside the matrix (1 to 3)"),
            (format!("{HEADER}3 3 3\n1 2 5\n2 3 1\n"), 2, "promises 3 entries, the file has 2"),
            (format!("{HEADER}3 3 1\n1 2 5\n2 3 1\n"), 2, "promises 1 entries, the file has 2"),
            (format!("{HEADER}4000000000 4 1\n1 2 5\n"), 2, "at most 67108864 are allowed"),
            ("%%MatrixMarket matrix array real general\n2 2\n1\n2\n".to_owned(), 1, "only sparse matrices"),
        ] {
            let error = parse(&text).unwrap_err();
            assert!(error.line == line && error.to_string().contains(words), "{text}: {error}");
        }
    }
}
