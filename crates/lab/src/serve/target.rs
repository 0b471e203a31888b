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

    /// The address with other values of some names; an empty value is none.
    pub(super) fn with(&self, changes: &[(&str, &str)]) -> String {
        let kept = self.pairs.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let kept = kept.filter(|(name, _)| changes.iter().all(|(changed, _)| changed != name));
        let pairs = kept.chain(changes.iter().copied()).filter(|(_, value)| !value.is_empty());
        let query: Vec<String> =
            pairs.map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect();
        format!("{}?{}", self.path, query.join("&"))
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

/// Text as it is written in an address.
pub(super) fn encoded(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    text.bytes().map(byte).collect()
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
    fn an_address_changes_in_what_is_named() {
        let target = Target::parse("/?scheme=a%26b&page=3&sort=cycles");
        assert_eq!(target.with(&[("page", ""), ("sort", "IPC")]), "/?scheme=a%26b&sort=IPC");
        assert_eq!(Target::parse(&target.with(&[])).first("scheme"), Some("a&b"));
    }

    #[test]
    fn broken_escapes_stay_as_they_are() {
        assert_eq!(Target::parse("/%zz%").path, "/%zz%");
        assert_eq!(Target::parse("/%ff").path, "/\u{fffd}");
    }
}
