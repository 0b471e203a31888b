//! The address that a browser asks for: a path and what follows the question mark.

/// A decoded address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) path: String,
    /// Names and values, in order.
    pairs: Vec<(String, String)>,
}

impl Target {
    pub(super) fn parse(address: &str) -> Self {
        let (path, query) = address.split_once('?').unwrap_or((address, ""));
        let pair = |text: &str| {
            let (name, value) = text.split_once('=').unwrap_or((text, ""));
            (decoded(name), decoded(value))
        };
        let pairs = query.split('&').filter(|text| !text.is_empty()).map(pair).collect();
        Self { path: decoded(path), pairs }
    }

    /// The parts of the path.
    pub(super) fn segments(&self) -> Vec<&str> {
        self.path.split('/').filter(|segment| !segment.is_empty()).collect()
    }

    /// The value of a name; an empty one is none.
    pub(super) fn first(&self, name: &str) -> Option<&str> {
        self.all(name).first().copied().filter(|value| !value.is_empty())
    }

    /// All values of a name.
    pub(super) fn all(&self, name: &str) -> Vec<&str> {
        self.pairs.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str()).collect()
    }
}

/// Text of an address with `%20` and `+` undone; what is not UTF-8 is replaced.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let escaped = after.get(..2).filter(|_| first == b'%').and_then(hexadecimal);
        bytes.push(escaped.unwrap_or(if first == b'+' { b' ' } else { first }));
        rest = if escaped.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hexadecimal(digits: &[u8]) -> Option<u8> {
    let text = std::str::from_utf8(digits).ok()?;
    u8::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_path_and_pairs() {
        let target = Target::parse("/run/a%20b?run=1&run=2+3&empty=&x");
        assert_eq!(target.segments(), ["run", "a b"]);
        assert_eq!(target.all("run"), ["1", "2 3"]);
        assert_eq!(
            (target.first("run"), target.first("empty"), target.first("none")),
            (Some("1"), None, None)
        );
    }

    #[test]
    fn broken_escapes_stay_as_they_are() {
        assert_eq!(Target::parse("/%zz%").path, "/%zz%");
        assert_eq!(Target::parse("/%ff").path, "/\u{fffd}");
    }
}
