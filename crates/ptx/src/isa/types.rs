//! Fundamental types and state spaces (PTX ISA, "State Spaces, Types, and Variables").

macro_rules! scalar_types {
    ($($name:ident $spelling:literal $bits:literal $class:ident;)*) => {
        /// A type as written after the dot.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum ScalarType { $(#[doc = concat!("`.", $spelling, "`")] $name,)* }

        impl ScalarType {
            /// Every type, in table order.
            pub const ALL: &'static [ScalarType] = &[$(ScalarType::$name,)*];

            /// Spelling without the dot.
            pub const fn spelling(self) -> &'static str {
                match self { $(ScalarType::$name => $spelling,)* }
            }

            /// Width in bits; a predicate has 1.
            pub const fn bits(self) -> u32 {
                match self { $(ScalarType::$name => $bits,)* }
            }

            /// What the bits mean.
            pub const fn class(self) -> TypeClass {
                match self { $(ScalarType::$name => TypeClass::$class,)* }
            }
        }
    };
}

scalar_types! {
    Pred  "pred"  1  Predicate;
    B1    "b1"    1  Bits;
    B8    "b8"    8  Bits;
    B16   "b16"  16  Bits;
    B32   "b32"  32  Bits;
    B64   "b64"  64  Bits;
    B128  "b128" 128 Bits;
    U4    "u4"    4  Unsigned;
    U8    "u8"    8  Unsigned;
    U16   "u16"  16  Unsigned;
    U32   "u32"  32  Unsigned;
    U64   "u64"  64  Unsigned;
    S4    "s4"    4  Signed;
    S8    "s8"    8  Signed;
    S16   "s16"  16  Signed;
    S32   "s32"  32  Signed;
    S64   "s64"  64  Signed;
    F16   "f16"  16  Float;
    F32   "f32"  32  Float;
    F64   "f64"  64  Float;
    Bf16  "bf16" 16  Float;
    Tf32  "tf32" 32  Float;
    F16x2  "f16x2"  32 Packed;
    Bf16x2 "bf16x2" 32 Packed;
    F32x2  "f32x2"  64 Packed;
    U16x2  "u16x2"  32 Packed;
    S16x2  "s16x2"  32 Packed;
    U8x4   "u8x4"   32 Packed;
    S8x4   "s8x4"   32 Packed;
    E4m3   "e4m3"    8 Float;
    E5m2   "e5m2"    8 Float;
    E4m3x2 "e4m3x2" 16 Packed;
    E5m2x2 "e5m2x2" 16 Packed;
    E2m1x2 "e2m1x2"  8 Packed;
    E2m3x2 "e2m3x2" 16 Packed;
    E3m2x2 "e3m2x2" 16 Packed;
    Ue8m0x2 "ue8m0x2" 16 Packed;
    E2m1   "e2m1"    4 Float;
    E2m3   "e2m3"    6 Float;
    E3m2   "e3m2"    6 Float;
    Ue8m0  "ue8m0"   8 Float;
}

impl ScalarType {
    /// Storage bytes; a predicate or a sub-byte type takes one.
    pub const fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// The type of that spelling, without the dot.
    pub fn from_spelling(word: &str) -> Option<ScalarType> {
        ScalarType::ALL.iter().copied().find(|ty| ty.spelling() == word)
    }

    /// Whether this is a signed integer.
    pub const fn is_signed(self) -> bool {
        matches!(self.class(), TypeClass::Signed)
    }

    /// Whether this is a floating-point type, packed ones included.
    pub const fn is_float(self) -> bool {
        match self.class() {
            TypeClass::Float => true,
            TypeClass::Packed => !matches!(self, Self::U16x2 | Self::S16x2 | Self::U8x4 | Self::S8x4),
            _ => false,
        }
    }
}

/// What the bits of a type mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeClass {
    /// One truth value.
    Predicate,
    /// Untyped.
    Bits,
    /// Unsigned integer.
    Unsigned,
    /// Two's complement integer.
    Signed,
    /// Floating point.
    Float,
    /// Several narrow values side by side.
    Packed,
}

bit_set! {
    /// A set of types.
    TypeSet of ScalarType
}

impl TypeSet {
    /// Both sets together.
    pub const fn and(self, other: TypeSet) -> TypeSet {
        TypeSet(self.0 | other.0)
    }
}

/// A state space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StateSpace {
    /// `.reg`
    Register,
    /// `.const`
    Constant,
    /// `.global`
    Global,
    /// `.local`
    Local,
    /// `.param`, also `.param::entry` and `.param::func`
    Parameter,
    /// `.shared`, also `.shared::cta`
    Shared,
    /// `.shared::cluster`
    SharedCluster,
    /// `.tex` (deprecated): global memory read through the texture path
    Texture,
}

impl StateSpace {
    /// Spelling without the dot.
    pub const fn spelling(self) -> &'static str {
        match self {
            StateSpace::Register => "reg",
            StateSpace::Constant => "const",
            StateSpace::Global => "global",
            StateSpace::Local => "local",
            StateSpace::Parameter => "param",
            StateSpace::Shared => "shared",
            StateSpace::SharedCluster => "shared::cluster",
            StateSpace::Texture => "tex",
        }
    }

    /// The space of that spelling, without the dot.
    pub fn from_spelling(word: &str) -> Option<StateSpace> {
        Some(match word {
            "reg" => StateSpace::Register,
            "const" => StateSpace::Constant,
            "global" => StateSpace::Global,
            "local" => StateSpace::Local,
            "param" | "param::entry" | "param::func" => StateSpace::Parameter,
            "shared" | "shared::cta" => StateSpace::Shared,
            "shared::cluster" => StateSpace::SharedCluster,
            "tex" => StateSpace::Texture,
            _ => return None,
        })
    }
}
