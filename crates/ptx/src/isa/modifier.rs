//! The dotted suffixes of an instruction, as typed values.
//!
//! Every suffix is a row `Name "spelling"` of one of the enums below. One word can mean different things after
//! different opcodes (`.lo` is a half of a product in `mul` and a comparison in `setp`); the opcode's row says
//! which [`Kind`]s it takes, and the first candidate of an allowed kind wins.

use super::types::{ScalarType, StateSpace};

macro_rules! suffixes {
    (
        values { $($(#[$doc:meta])* $kind:ident $field:ident: $enum:ident { $($name:ident $spelling:literal,)* })* }
        flags { $($flag:ident $flag_spelling:literal,)* }
    ) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub enum $enum { $(#[doc = concat!("`.", $spelling, "`")] $name,)* }

            impl $enum {
                /// Spelling without the dot.
                pub const fn spelling(self) -> &'static str {
                    match self { $($enum::$name => $spelling,)* }
                }
            }
        )*

        /// What a suffix is about. An opcode's row lists the kinds it needs and the kinds it allows.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Kind {
            $($(#[$doc])* $kind,)*
            $(#[doc = concat!("`.", $flag_spelling, "`")] $flag,)*
            /// A state space.
            Space,
            /// The state space copied from, after the one copied to.
            SecondSpace,
            /// `.m16n8k16` and the like.
            Shape,
            /// Eviction and prefetch hints: `.L1::evict_last`, `.L2::128B`.
            Hint,
            /// Any word at all, for families that are parsed but not understood.
            Anything,
        }

        impl Kind {
            /// Every kind, in order.
            pub const ALL: &'static [Kind] =
                &[$(Kind::$kind,)* $(Kind::$flag,)* Kind::Space, Kind::SecondSpace, Kind::Shape, Kind::Hint, Kind::Anything];

            /// Spellings of this kind, for messages.
            pub fn spellings(self) -> Vec<&'static str> {
                match self {
                    $(Kind::$kind => vec![$($spelling,)*],)*
                    $(Kind::$flag => vec![$flag_spelling],)*
                    Kind::Space | Kind::SecondSpace => vec!["global", "shared", "local", "const", "param"],
                    Kind::Shape => vec!["m16n8k16"],
                    Kind::Hint => vec!["L1::evict_last", "L2::128B"],
                    Kind::Anything => Vec::new(),
                }
            }
        }

        /// One suffix, understood.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Modifier {
            $($(#[$doc])* $kind($enum),)*
            /// A type.
            Type(ScalarType),
            /// A state space.
            Space(StateSpace),
            /// The state space copied from.
            SecondSpace(StateSpace),
            /// A matrix shape.
            Shape(MatrixShape),
            /// A word without a value of its own.
            Flag(Kind),
        }

        /// Every fixed spelling and what it can mean, in order of preference.
        pub(super) const WORDS: &[(&str, Kind, Modifier)] = &[
            $($(($spelling, Kind::$kind, Modifier::$kind($enum::$name)),)*)*
            $(($flag_spelling, Kind::$flag, Modifier::Flag(Kind::$flag)),)*
        ];

        /// All suffixes of one instruction.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
        pub struct Modifiers {
            /// Types, in order: destination first where there are several.
            pub types: Types,
            /// Kinds present; flags live only here. See [`Modifiers::has`].
            pub present: KindSet,
            /// State space; `None` on a load or store means generic addressing.
            pub space: Option<StateSpace>,
            /// State space a `cp.async` copies from; `space` is the one it copies to.
            pub second_space: Option<StateSpace>,
            /// Matrix shape.
            pub shape: Option<MatrixShape>,
            /// Second layout of a matrix instruction (`.row.col`); the first is in `layout`.
            pub second_layout: Option<Layout>,
            $($(#[$doc])* pub $field: Option<$enum>,)*
        }

        impl Modifiers {
            /// Adds one suffix; `false`, and no change, when one of its kind is already there.
            pub(super) fn add(&mut self, modifier: Modifier) -> bool {
                let kind = match modifier {
                    Modifier::Type(ty) => return self.types.push(ty),
                    Modifier::Layout(layout) if self.layout.is_some() => {
                        return self.second_layout.replace(layout).is_none();
                    }
                    Modifier::Space(_) => Kind::Space,
                    Modifier::SecondSpace(_) => Kind::SecondSpace,
                    Modifier::Shape(_) => Kind::Shape,
                    Modifier::Flag(kind) => kind,
                    $(Modifier::$kind(_) => Kind::$kind,)*
                };
                if self.present.contains(kind) && kind != Kind::Hint {
                    return false;
                }
                self.present.insert(kind);
                match modifier {
                    Modifier::Space(space) => self.space = Some(space),
                    Modifier::SecondSpace(space) => self.second_space = Some(space),
                    Modifier::Shape(shape) => self.shape = Some(shape),
                    $(Modifier::$kind(value) => self.$field = Some(value),)*
                    Modifier::Type(_) | Modifier::Flag(_) => {}
                }
                true
            }
        }
    };
}

suffixes! {
    values {
        /// Rounding; the `i` forms round to an integral value.
        Rounding rounding: Rounding {
            Rn "rn", Rz "rz", Rm "rm", Rp "rp", Rna "rna", Rs "rs",
            Rni "rni", Rzi "rzi", Rmi "rmi", Rpi "rpi",
        }
        /// Comparison; the `u` forms are true when an operand is NaN.
        Compare compare: Compare {
            Eq "eq", Ne "ne", Lt "lt", Le "le", Gt "gt", Ge "ge",
            Lo "lo", Ls "ls", Hi "hi", Hs "hs",
            Equ "equ", Neu "neu", Ltu "ltu", Leu "leu", Gtu "gtu", Geu "geu", Num "num", Nan "nan",
        }
        /// Combining operation of atomics, reductions, barriers and compare-and-combine.
        Operation operation: Operation {
            Add "add", Min "min", Max "max", And "and", Or "or", Xor "xor",
            Inc "inc", Dec "dec", Exch "exch", Cas "cas", Popc "popc",
        }
        /// Which part of an integer product.
        Product product: Product { Lo "lo", Hi "hi", Wide "wide", }
        /// Cache operator.
        Cache cache: CacheOp { Ca "ca", Cg "cg", Cs "cs", Lu "lu", Cv "cv", Wb "wb", Wt "wt", }
        /// Elements moved by one access.
        Vector vector: VectorWidth { V2 "v2", V4 "v4", V8 "v8", }
        /// Who must see it.
        Scope scope: Scope { Cta "cta", Cluster "cluster", Gpu "gpu", Sys "sys", Gl "gl", }
        /// Memory ordering.
        Semantics semantics: Semantics {
            Weak "weak", Relaxed "relaxed", Acquire "acquire", Release "release", AcqRel "acq_rel", Sc "sc",
            Volatile "volatile",
        }
        /// Where a shuffle takes its value from.
        Shuffle shuffle: ShuffleMode { Up "up", Down "down", Bfly "bfly", Idx "idx", }
        /// Quantifier of a vote or match.
        Vote vote: VoteMode { All "all", Any "any", Uni "uni", Ballot "ballot", }
        /// Direction of a funnel shift.
        Direction direction: Direction { Left "l", Right "r", }
        /// What happens beyond the width.
        Overflow overflow: Overflow { Clamp "clamp", Wrap "wrap", }
        /// Byte selection of `prmt`.
        Permute permute: PermuteMode { F4e "f4e", B4e "b4e", Rc8 "rc8", Ecl "ecl", Ecr "ecr", Rc16 "rc16", }
        /// Surface access outside its bounds.
        Bounds bounds: Bounds { Trap "trap", Clamp "clamp", Zero "zero", }
        /// Property tested by `testp`.
        Property property: Property {
            Finite "finite", Infinite "infinite", Number "number", NotANumber "notanumber",
            Normal "normal", Subnormal "subnormal",
        }
        /// Texture or surface geometry.
        Geometry geometry: Geometry {
            D1 "1d", D2 "2d", D3 "3d", A1d "a1d", A2d "a2d", Cube "cube", Acube "acube",
            D2ms "2dms", A2dms "a2dms",
        }
        /// How a texture access chooses its level of detail.
        LevelOfDetail level_of_detail: LevelOfDetail { Base "base", Level "level", Grad "grad", }
        /// Component gathered by `tld4`.
        Component component: TexelComponent { R "r", G "g", B "b", A "a", }
        /// Attribute requested by `txq`, `suq` or `istypep`.
        Query query: Query {
            Width "width", Height "height", Depth "depth", ChannelDataType "channel_data_type",
            ChannelOrder "channel_order", NormalizedCoords "normalized_coords", ArraySize "array_size",
            NumMipmapLevels "num_mipmap_levels", NumSamples "num_samples", FilterMode "filter_mode",
            AddrMode0 "addr_mode_0", AddrMode1 "addr_mode_1", AddrMode2 "addr_mode_2",
            MemoryLayout "memory_layout", ForceUnnormalized "force_unnormalized_coords",
            Texref "texref", Samplerref "samplerref", Surfref "surfref",
        }
        /// Matrix operand of `wmma.load` and `wmma.store`.
        Fragment fragment: Fragment { A "a", B "b", C "c", D "d", }
        /// Order of a matrix in memory.
        Layout layout: Layout { Row "row", Col "col", }
        /// Matrices moved at once.
        Repeat repeat: Repeat { X1 "x1", X2 "x2", X4 "x4", }
        /// Cache level of a prefetch.
        PrefetchLevel prefetch_level: PrefetchLevel { L1 "L1", L2 "L2", }
    }
    flags {
        Ftz "ftz",
        NoFtz "noftz",
        Saturate "sat",
        SatFinite "satfinite",
        Relu "relu",
        PropagateNan "NaN",
        XorSign "xorsign",
        Absolute "abs",
        CarryOut "cc",
        Uniform "uni",
        Sync "sync",
        Aligned "aligned",
        Approx "approx",
        Full "full",
        NonCoherent "nc",
        ShiftAmount "shiftamt",
        To "to",
        Transposed "trans",
        NoIncrement "noinc",
        Unified "unified",
        Mmio "mmio",
        PopcAccumulate "popc",
        Tensormap "tensormap",
        OutOfOrder "ooo",
    }
}

/// `.m16n8k16`; `k` is 0 in `.m8n8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MatrixShape {
    /// Rows of the result.
    pub m: u16,
    /// Columns of the result.
    pub n: u16,
    /// Depth of the product.
    pub k: u16,
}

impl MatrixShape {
    /// Reads `m16n8k16` or `m8n8`.
    pub fn from_spelling(word: &str) -> Option<MatrixShape> {
        let (m, rest) = word.strip_prefix('m')?.split_once('n')?;
        let (n, k) = rest.split_once('k').unwrap_or((rest, "0"));
        Some(MatrixShape { m: m.parse().ok()?, n: n.parse().ok()?, k: k.parse().ok()? })
    }
}

/// Up to four types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Types {
    list: [Option<ScalarType>; 4],
}

impl Types {
    /// The first type: that of the destination.
    pub fn first(&self) -> Option<ScalarType> {
        self.list[0]
    }

    /// The type at `position`.
    pub fn get(&self, position: usize) -> Option<ScalarType> {
        self.list.get(position).copied().flatten()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list[0].is_none()
    }

    /// The types in order.
    pub fn iter(&self) -> impl Iterator<Item = ScalarType> + '_ {
        self.list.iter().copied().flatten()
    }

    fn push(&mut self, ty: ScalarType) -> bool {
        match self.list.iter_mut().find(|slot| slot.is_none()) {
            Some(slot) => {
                *slot = Some(ty);
                true
            }
            None => false,
        }
    }
}

bit_set! {
    /// A set of [`Kind`]s.
    KindSet of Kind
}

impl KindSet {
    fn insert(&mut self, kind: Kind) {
        self.0 |= 1 << kind as u32;
    }
}

impl Modifiers {
    /// Whether a suffix of that kind is present, e.g. `has(Kind::Ftz)`.
    pub const fn has(&self, kind: Kind) -> bool {
        self.present.contains(kind)
    }

    /// The first type.
    pub fn ty(&self) -> Option<ScalarType> {
        self.types.first()
    }
}

impl VectorWidth {
    /// Elements of one access.
    pub const fn elements(self) -> u32 {
        match self {
            VectorWidth::V2 => 2,
            VectorWidth::V4 => 4,
            VectorWidth::V8 => 8,
        }
    }
}

/// Every kind has a bit of its own in a [`KindSet`].
const _: () = assert!(Kind::ALL.len() <= 64, "KindSet is too narrow");
