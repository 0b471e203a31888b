//! What is known about a workload before it runs.

use shrinkwarp_emu::memory::FloatFormat;

use crate::error::Failure;
use crate::host::Host;

/// One program of the suite.
#[derive(Debug)]
pub struct Workload {
    /// Its name in every command and report.
    pub name: &'static str,
    /// What it computes, in one line.
    pub summary: &'static str,
    /// What most of its data is.
    pub class: Class,
    /// The papers that used it and what they call it.
    pub papers: &'static [(Paper, &'static str)],
    /// Whether LATTE-CC lists it as cache-sensitive.
    pub is_cache_sensitive: bool,
    /// Its device buffers, in the order of allocation.
    pub buffers: &'static [BufferInfo],
    /// The kind of file that can replace the generated input.
    pub input: Option<InputKind>,
    /// The inputs that it can generate; the first is the default.
    pub data_sets: &'static [DataSet],
    /// Its kernels.
    pub ptx: &'static str,
    /// Generates, launches, reads back and checks.
    pub run: fn(&mut Host<'_>) -> Result<(), Failure>,
}

impl Workload {
    /// The data set of this name.
    pub fn data_set(&self, name: &str) -> Option<&'static DataSet> {
        self.data_sets.iter().find(|data_set| data_set.name == name)
    }

    /// The data set of a run that names none.
    pub fn default_data_set(&self) -> &'static DataSet {
        &self.data_sets[0]
    }

    /// The data set that represents the input of a paper.
    pub fn data_set_of(&self, paper: Paper) -> &'static DataSet {
        let own = self.data_sets.iter().find(|data_set| data_set.papers.contains(&paper));
        own.unwrap_or(self.default_data_set())
    }
}

/// An input that a workload generates, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataSet {
    /// Its name in `--data`.
    pub name: &'static str,
    /// The paper or generator that it comes from, in one line.
    pub source: &'static str,
    /// The papers whose figures use it instead of the default.
    pub papers: &'static [Paper],
    /// Raised when the same kernels get another input or are launched in another order: kept results of this data set are
    /// then not used again, those of all other programs are. A changed kernel is noticed without it.
    pub revision: u32,
}

impl DataSet {
    /// A data set of no paper in particular.
    pub const fn new(name: &'static str, source: &'static str) -> Self {
        Self { name, source, papers: &[], revision: 1 }
    }

    /// The same data set after changes of its generator or of the host's launches.
    pub const fn revised(self, revision: u32) -> Self {
        Self { revision, ..self }
    }

    /// The same data set, used by the figures of these papers.
    pub const fn of(self, papers: &'static [Paper]) -> Self {
        Self { papers, ..self }
    }
}

/// The data sets of a workload whose only input is our own.
pub const OURS: &[DataSet] = &[DataSet::new("ours", "generator of this suite")];

/// The data class that the BPC paper sorts workloads into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Integers.
    Integer,
    /// Floating point.
    Float,
    /// Both.
    Mixed,
}

impl Class {
    /// Every class, in the order of reports.
    pub const ALL: [Self; 3] = [Self::Integer, Self::Float, Self::Mixed];

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Float => "float",
            Self::Mixed => "mixed",
        }
    }
}

/// The systems whose evaluation used a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Paper {
    /// Bit-plane compression (Kim et al., ISCA 2016).
    Bpc,
    /// Entropy encoding in the memory controller (Lal et al., IPDPS 2017).
    E2mc,
    /// Data segment matching in the interconnect.
    Dsm,
    /// Latency-tolerance-aware cache compression (Arunkumar et al., HPCA 2018).
    Latte,
}

impl Paper {
    /// The system's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bpc => "BPC",
            Self::E2mc => "E2MC",
            Self::Dsm => "DSM",
            Self::Latte => "LATTE-CC",
        }
    }
}

/// How large the input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scale {
    /// For tests: well under a second.
    Tiny,
    /// The default: some 5 to 40 million thread instructions.
    Small,
    /// The size in the papers, or up to a billion thread instructions.
    Paper,
}

impl Scale {
    /// Every scale, smallest first.
    pub const ALL: [Self; 3] = [Self::Tiny, Self::Small, Self::Paper];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        self.pick("tiny", "small", "paper")
    }

    /// The value for this scale.
    pub fn pick<T>(self, tiny: T, small: T, paper: T) -> T {
        match self {
            Self::Tiny => tiny,
            Self::Small => small,
            Self::Paper => paper,
        }
    }
}

/// The element type of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementType {
    /// 8-bit unsigned.
    U8,
    /// 16-bit unsigned; also raw bf16.
    U16,
    /// bf16.
    Bf16,
    /// 32-bit signed.
    I32,
    /// 32-bit unsigned.
    U32,
    /// 64-bit unsigned.
    U64,
    /// Single precision.
    F32,
    /// Double precision.
    F64,
}

impl ElementType {
    /// Every type, integers first.
    pub const ALL: [Self; 8] =
        [Self::U8, Self::U16, Self::I32, Self::U32, Self::U64, Self::Bf16, Self::F32, Self::F64];

    /// Its name, as tensors' types are written.
    pub fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::Bf16 => "bf16",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// Whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        self.float_format().is_some()
    }

    /// The floating-point format; `None` for integers, which are never approximated.
    pub fn float_format(self) -> Option<FloatFormat> {
        match self {
            Self::Bf16 => Some(FloatFormat::Bf16),
            Self::F32 => Some(FloatFormat::F32),
            Self::F64 => Some(FloatFormat::F64),
            Self::U8 | Self::U16 | Self::I32 | Self::U32 | Self::U64 => None,
        }
    }

    /// Its size.
    pub fn bytes(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::U16 | Self::Bf16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::U64 | Self::F64 => 8,
        }
    }
}

/// One device buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferInfo {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub element: ElementType,
    /// Whether a lossy scheme may approximate it.
    pub is_approximable: bool,
}

/// A buffer that must stay exact.
pub const fn exact(name: &'static str, element: ElementType) -> BufferInfo {
    BufferInfo { name, element, is_approximable: false }
}

/// A buffer that a lossy scheme may approximate.
pub const fn approximable(name: &'static str, element: ElementType) -> BufferInfo {
    BufferInfo { name, element, is_approximable: true }
}

/// The buffers of several lists, one list after the other. `N` is the number of all: a wrong one does not compile.
pub(crate) const fn joined<const N: usize>(lists: &[&[BufferInfo]]) -> [BufferInfo; N] {
    let mut all = [exact("", ElementType::U8); N];
    let (mut list, mut count) = (0, 0);
    while list < lists.len() {
        let mut index = 0;
        while index < lists[list].len() {
            all[count] = lists[list][index];
            count += 1;
            index += 1;
        }
        list += 1;
    }
    assert!(count == N, "not as many buffers as declared");
    all
}

/// Two factors and their product, which a lossy scheme may approximate.
pub(crate) const FACTORS_AND_PRODUCT: &[BufferInfo] = &[
    approximable("a", ElementType::F32),
    approximable("b", ElementType::F32),
    approximable("c", ElementType::F32),
];

impl InputKind {
    /// What such a file is, for help and errors.
    pub fn name(self) -> &'static str {
        match self {
            Self::Graph => "graph (edge list or Matrix Market)",
            Self::Picture => "picture (PGM or PPM)",
            Self::Text => "text",
            Self::Matrix => "matrix (.npy)",
        }
    }
}

/// The kind of file a user may bring instead of the generated input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// Edge list or Matrix Market.
    Graph,
    /// PGM or PPM.
    Picture,
    /// Text, or a log with a line a record.
    Text,
    /// A two-dimensional `.npy` array.
    Matrix,
}
