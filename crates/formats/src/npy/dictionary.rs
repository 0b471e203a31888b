//! The part of Python's dictionary syntax that NumPy writes.

/// The three keys of a header.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Dictionary {
    pub descr: String,
    pub shape: Vec<u64>,
    pub is_fortran_order: bool,
}

/// Where in the text, and what.
type Error = (usize, String);

impl Dictionary {
    /// Reads `{'descr': …, 'fortran_order': …, 'shape': (…)}` in any order.
    pub(super) fn parse(text: &[u8]) -> Result<Self, Error> {
        let mut scanner = Scanner { text, at: 0 };
        let (mut descr, mut shape, mut is_fortran_order) = (None, None, false);
        scanner.expect(b'{')?;
        while !scanner.accept(b'}') {
            let key = scanner.quoted()?;
            scanner.expect(b':')?;
            match key.as_str() {
                "descr" => descr = Some(scanner.descr()?),
                "shape" => shape = Some(scanner.tuple()?),
                "fortran_order" => is_fortran_order = scanner.word() == b"True",
                _ => return Err((scanner.at, format!("unknown key {key:?} in the header"))),
            }
            if !scanner.accept(b',') && !scanner.is_next(b'}') {
                return Err((scanner.at, "expected , or } in the header".to_owned()));
            }
        }
        match (descr, shape) {
            (Some(descr), Some(shape)) => Ok(Self { descr, shape, is_fortran_order }),
            (None, _) => Err((0, "the header has no 'descr'".to_owned())),
            _ => Err((0, "the header has no 'shape'".to_owned())),
        }
    }
}

struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
}

impl Scanner<'_> {
    fn next_is(&mut self) -> Option<u8> {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    fn is_next(&mut self, wanted: u8) -> bool {
        self.next_is() == Some(wanted)
    }

    fn accept(&mut self, wanted: u8) -> bool {
        let is_there = self.is_next(wanted);
        self.at += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, wanted: u8) -> Result<(), Error> {
        if self.accept(wanted) {
            return Ok(());
        }
        Err((self.at, format!("expected {} in the header", char::from(wanted))))
    }

    fn descr(&mut self) -> Result<String, Error> {
        if self.is_next(b'[') {
            let what = "records of several fields are not supported; save each field as its own array";
            return Err((self.at, what.to_owned()));
        }
        self.quoted()
    }

    fn quoted(&mut self) -> Result<String, Error> {
        let Some(quote @ (b'\'' | b'"')) = self.next_is() else {
            return Err((self.at, "expected a quoted word in the header".to_owned()));
        };
        let start = self.at + 1;
        let Some(len) = self.text[start..].iter().position(|&byte| byte == quote) else {
            return Err((self.at, "a quoted word of the header does not end".to_owned()));
        };
        self.at = start + len + 1;
        Ok(String::from_utf8_lossy(&self.text[start..start + len]).into_owned())
    }

    /// Letters and digits.
    fn word(&mut self) -> &[u8] {
        self.next_is();
        let start = self.at;
        while self.text.get(self.at).is_some_and(u8::is_ascii_alphanumeric) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    fn tuple(&mut self) -> Result<Vec<u64>, Error> {
        /// NumPy's own limit.
        const MAX_AXES: usize = 64;
        self.expect(b'(')?;
        let mut extents = Vec::new();
        while !self.accept(b')') {
            let word = self.word();
            // Python 2 wrote long integers with an L.
            let digits = word.strip_suffix(b"L").unwrap_or(word);
            let extent = str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
            let Some(extent) = extent else {
                return Err((self.at, "an extent of the shape is not a number below 2^64".to_owned()));
            };
            extents.push(extent);
            if extents.len() > MAX_AXES {
                return Err((self.at, format!("a shape of more than {MAX_AXES} axes")));
            }
            if !self.accept(b',') && !self.is_next(b')') {
                return Err((self.at, "expected , or ) in the shape".to_owned()));
            }
        }
        Ok(extents)
    }
}
