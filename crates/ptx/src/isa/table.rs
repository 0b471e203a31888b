//! The opcode table: one row per opcode of the PTX ISA.
//!
//! `Name "mnemonic" "operands" [types] needs [kinds] allows [kinds] unit;`
//!
//! - operands: see `shape.rs` for the letters.
//! - types: one set per position; those after `;` may be left out.
//! - needs and allows: suffix kinds of `modifier.rs`.
//! - `Anything` among the kinds marks a family that is parsed but not understood; no one executes it.

use super::modifier::{Kind, KindSet};
use super::opcode::{OpcodeInfo, TypeList};
use super::shape::Shape;
use super::types::ScalarType::{
    B1, B8, B16, B32, B64, B128, Bf16, Bf16x2, E2m1, E2m1x2, E2m3, E2m3x2, E3m2, E3m2x2, E4m3, E4m3x2, E5m2,
    E5m2x2, F16, F16x2, F32, F32x2, F64, Pred, S4, S8, S8x4, S16, S16x2, S32, S64, Tf32, U4, U8, U8x4, U16,
    U16x2, U32, U64, Ue8m0, Ue8m0x2,
};
use super::types::{ScalarType, TypeSet};
use super::unit::UnitClass::{Barrier, Control, Integer, Memory, Special, Tensor, Texture};
use super::unit::UnitRule::{Always, ByType};

const fn set(types: &[ScalarType]) -> TypeSet {
    TypeSet::of(types)
}

const INT32: TypeSet = set(&[U32, S32]);
const INT: TypeSet = set(&[U16, U32, U64, S16, S32, S64]);
const SIGNED: TypeSet = set(&[S16, S32, S64]);
const CARRY: TypeSet = set(&[U32, S32, B32, U64, S64, B64]);
const BITS: TypeSet = set(&[B16, B32, B64]);
const LOGIC: TypeSet = BITS.and(set(&[Pred]));
const WORD: TypeSet = set(&[B32]);
const WORDS: TypeSet = set(&[B32, B64]);
const HALF: TypeSet = set(&[F16, F16x2, Bf16, Bf16x2]);
const F32_ONLY: TypeSet = set(&[F32]);
const F32_F64: TypeSet = set(&[F32, F64]);
const FLOAT: TypeSet = HALF.and(set(&[F32, F64, F32x2]));
const PACKED_INT: TypeSet = set(&[U16x2, S16x2]);
const BYTES_INT: TypeSet = set(&[U8, S8, U16, S16, U32, S32, U64, S64]);
const MOVE: TypeSet = LOGIC.and(INT).and(set(&[F32, F64, F16, Bf16, B128]));
const COMPARE: TypeSet = BITS.and(INT).and(FLOAT);
const SELECT: TypeSet = BITS.and(INT).and(set(&[F32, F64]));
const MEMORY: TypeSet = BITS.and(BYTES_INT).and(set(&[B8, B128, F16, F32, F64, F16x2, Bf16, Bf16x2]));
const FP8: TypeSet = set(&[E4m3, E5m2, E2m1, E2m3, E3m2, Ue8m0]);
const FP8_PAIR: TypeSet = set(&[E4m3x2, E5m2x2, E2m1x2, E2m3x2, E3m2x2, Ue8m0x2]);
const CONVERT: TypeSet =
    BYTES_INT.and(FLOAT).and(FP8_PAIR).and(set(&[Tf32, U16x2, S16x2, U8x4, S8x4, B8, B16, B32, B64]));
const ATOMIC: TypeSet = set(&[B16, B32, B64, B128, U32, U64, S32, S64, F16, F16x2, Bf16, Bf16x2, F32, F64]);
const TEXEL: TypeSet = set(&[U32, S32, F32, F16, F16x2, U16, S16, B8, B16, B32, B64]);
const COORDINATE: TypeSet = set(&[S32, F32]);
const MATRIX: TypeSet = HALF.and(FP8).and(set(&[F32, F64, Tf32, S32, U8, S8, U4, S4, B1, B8, B16, B32, B64]));
const VIDEO: TypeSet = INT32;
const NAMED: TypeSet = set(&[Pred, U32]);
const ADDRESS: TypeSet = set(&[U32, U64]);

macro_rules! opcodes {
    ($(
        $name:ident $mnemonic:literal $shape:literal [$($ty:expr),* $(; $($optional:expr),*)?]
        needs [$($need:ident)*] allows [$($allow:ident)*] $unit:expr;
    )*) => {
        /// An opcode: a row of the table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Opcode { $(#[doc = concat!("`", $mnemonic, " ", $shape, "`")] $name,)* }

        impl Opcode {
            /// Every opcode, in table order.
            pub const ALL: &'static [Opcode] = &[$(Opcode::$name,)*];

            /// The row of this opcode.
            pub const fn info(self) -> &'static OpcodeInfo {
                &TABLE[self as usize]
            }
        }

        static TABLE: [OpcodeInfo; Opcode::ALL.len()] = [$(OpcodeInfo {
            mnemonic: $mnemonic,
            shape: const { Shape::parse($shape) },
            types: TypeList {
                sets: const { &[$($ty,)* $($($optional,)*)?] },
                required: const { { let required: &[TypeSet] = &[$($ty,)*]; required.len() } },
            },
            needs: const { KindSet::of(&[$(Kind::$need,)*]) },
            allows: const { KindSet::of(&[$(Kind::$need,)* $(Kind::$allow,)*]) },
            unit: $unit,
        },)*];
    };
}

opcodes! {
    // Integer and floating-point arithmetic.
    Add   "add"   "d, a, b"    [INT.and(FLOAT).and(CARRY).and(PACKED_INT) ; FLOAT]
        needs [] allows [Rounding Ftz Saturate CarryOut] ByType;
    Sub   "sub"   "d, a, b"    [INT.and(FLOAT).and(CARRY) ; FLOAT] needs [] allows [Rounding Ftz Saturate CarryOut] ByType;
    Mul   "mul"   "d, a, b"    [INT.and(FLOAT)] needs [] allows [Rounding Ftz Saturate Product] ByType;
    Mad   "mad"   "d, a, b, c" [INT.and(F32_F64)] needs [] allows [Rounding Ftz Saturate Product CarryOut] ByType;
    Fma   "fma"   "d, a, b, c" [FLOAT ; FLOAT] needs [Rounding] allows [Ftz Saturate Relu OutOfOrder] ByType;
    Addc  "addc"  "d, a, b"    [CARRY] needs [] allows [CarryOut] Always(Integer);
    Subc  "subc"  "d, a, b"    [CARRY] needs [] allows [CarryOut] Always(Integer);
    Madc  "madc"  "d, a, b, c" [CARRY] needs [Product] allows [CarryOut] Always(Integer);
    Mul24 "mul24" "d, a, b"    [INT32] needs [Product] allows [] Always(Integer);
    Mad24 "mad24" "d, a, b, c" [INT32] needs [Product] allows [Saturate] Always(Integer);
    Sad   "sad"   "d, a, b, c" [INT] needs [] allows [] Always(Integer);
    Div   "div"   "d, a, b"    [INT.and(F32_F64)] needs [] allows [Rounding Approx Full Ftz] Always(Special);
    Rem   "rem"   "d, a, b"    [INT] needs [] allows [] Always(Special);
    Abs   "abs"   "d, a"       [SIGNED.and(FLOAT)] needs [] allows [Ftz] ByType;
    Neg   "neg"   "d, a"       [SIGNED.and(FLOAT)] needs [] allows [Ftz] ByType;
    Min   "min"   "d, a, b{, c}" [INT.and(FLOAT).and(PACKED_INT)]
        needs [] allows [Ftz PropagateNan XorSign Absolute Relu] ByType;
    Max   "max"   "d, a, b{, c}" [INT.and(FLOAT).and(PACKED_INT)]
        needs [] allows [Ftz PropagateNan XorSign Absolute Relu] ByType;
    Popc  "popc"  "d, a"       [WORDS] needs [] allows [] Always(Integer);
    Clz   "clz"   "d, a"       [WORDS] needs [] allows [] Always(Integer);
    Bfind "bfind" "d, a"       [set(&[U32, U64, S32, S64])] needs [] allows [ShiftAmount] Always(Integer);
    Fns   "fns"   "d, a, b, c" [WORD] needs [] allows [] Always(Integer);
    Brev  "brev"  "d, a"       [WORDS] needs [] allows [] Always(Integer);
    Bfe   "bfe"   "d, a, b, c" [set(&[U32, U64, S32, S64])] needs [] allows [] Always(Integer);
    Bfi   "bfi"   "d, a, b, c, e" [WORDS] needs [] allows [] Always(Integer);
    Szext "szext" "d, a, b"    [INT32] needs [Overflow] allows [] Always(Integer);
    Bmsk  "bmsk"  "d, a, b"    [WORD] needs [Overflow] allows [] Always(Integer);
    Dp4a  "dp4a"  "d, a, b, c" [INT32, INT32] needs [] allows [] Always(Integer);
    Dp2a  "dp2a"  "d, a, b, c" [INT32, INT32] needs [Product] allows [] Always(Integer);

    // Floating point only.
    Testp    "testp"    "d, a"    [F32_F64] needs [Property] allows [] ByType;
    Copysign "copysign" "d, a, b" [F32_F64] needs [] allows [] ByType;
    Rcp      "rcp"      "d, a"    [F32_F64] needs [] allows [Rounding Approx Ftz] Always(Special);
    Sqrt     "sqrt"     "d, a"    [F32_F64] needs [] allows [Rounding Approx Ftz] Always(Special);
    Rsqrt    "rsqrt"    "d, a"    [F32_F64] needs [Approx] allows [Ftz] Always(Special);
    Sin      "sin"      "d, a"    [F32_ONLY] needs [Approx] allows [Ftz] Always(Special);
    Cos      "cos"      "d, a"    [F32_ONLY] needs [Approx] allows [Ftz] Always(Special);
    Lg2      "lg2"      "d, a"    [F32_ONLY] needs [Approx] allows [Ftz] Always(Special);
    Ex2      "ex2"      "d, a"    [HALF.and(F32_ONLY)] needs [Approx] allows [Ftz] Always(Special);
    Tanh     "tanh"     "d, a"    [HALF.and(F32_ONLY)] needs [Approx] allows [] Always(Special);

    // Comparison and selection.
    Setp "setp" "d, a, b{, c}" [COMPARE] needs [Compare] allows [Operation Ftz] ByType;
    Set  "set"  "d, a, b{, c}" [set(&[U32, S32, F32, F16, F16x2, Bf16, Bf16x2, U16, S16]), COMPARE]
        needs [Compare] allows [Operation Ftz] ByType;
    Selp "selp" "d, a, b, c"   [SELECT] needs [] allows [] Always(Integer);
    Slct "slct" "d, a, b, c"   [SELECT, COORDINATE] needs [] allows [Ftz] Always(Integer);

    // Logic and shifts.
    And  "and"  "d, a, b"    [LOGIC] needs [] allows [] Always(Integer);
    Or   "or"   "d, a, b"    [LOGIC] needs [] allows [] Always(Integer);
    Xor  "xor"  "d, a, b"    [LOGIC] needs [] allows [] Always(Integer);
    Not  "not"  "d, a"       [LOGIC] needs [] allows [] Always(Integer);
    Cnot "cnot" "d, a"       [BITS] needs [] allows [] Always(Integer);
    Lop3 "lop3" "d, a, b, c, e{, q}" [WORD] needs [] allows [Operation] Always(Integer);
    Shl  "shl"  "d, a, b"    [BITS] needs [] allows [] Always(Integer);
    Shr  "shr"  "d, a, b"    [BITS.and(INT)] needs [] allows [] Always(Integer);
    Shf  "shf"  "d, a, b, c" [WORD] needs [Direction Overflow] allows [] Always(Integer);
    Prmt "prmt" "d, a, b, c" [WORD] needs [] allows [Permute] Always(Integer);

    // Moves and conversions.
    Mov     "mov"      "d, a"          [MOVE] needs [] allows [Vector] ByType;
    Cvt     "cvt"      "d, a{, b, c}"  [CONVERT, CONVERT]
        needs [] allows [Rounding Ftz Saturate SatFinite Relu Scope] ByType;
    CvtPack "cvt.pack" "d, a, b{, c}"  [set(&[U16, S16, U8, S8, U4, S4]), INT32 ; WORD]
        needs [Saturate] allows [] Always(Integer);
    Cvta    "cvta"     "d, a"          [ADDRESS] needs [Space] allows [To] Always(Integer);
    Isspacep "isspacep" "d, a"         [] needs [Space] allows [] Always(Integer);
    Istypep "istypep"  "d, a"          [] needs [Query] allows [] Always(Integer);
    Mapa    "mapa"     "d, a, b"       [ADDRESS] needs [] allows [Space] Always(Integer);
    Getctarank "getctarank" "d, a"     [ADDRESS] needs [] allows [Space] Always(Integer);

    // Memory.
    Ld   "ld"   "d, [a]{, b}" [MEMORY] needs []
        allows [Space Cache Vector Scope Semantics NonCoherent Hint Unified Mmio] Always(Memory);
    Ldu  "ldu"  "d, [a]"      [MEMORY] needs [] allows [Space Vector] Always(Memory);
    St   "st"   "[a], b{, c}" [MEMORY] needs [] allows [Space Cache Vector Scope Semantics Hint Mmio] Always(Memory);
    StAsync "st.async" "[a], b, [m]" [MEMORY] needs [] allows [Anything] Always(Memory);
    Atom "atom" "d, [a], b{, c, e}" [ATOMIC] needs [Operation]
        allows [Space Scope Semantics Vector Hint NoFtz] Always(Memory);
    Red  "red"  "[a], b{, c}" [ATOMIC] needs [Operation]
        allows [Space Scope Semantics Vector Hint NoFtz] Always(Memory);
    RedAsync "red.async" "[a], b, [m]" [ATOMIC] needs [] allows [Anything] Always(Memory);
    Prefetch  "prefetch"  "[a]" [] needs [] allows [Space PrefetchLevel Hint Tensormap] Always(Memory);
    Prefetchu "prefetchu" "[a]" [] needs [PrefetchLevel] allows [] Always(Memory);
    Applypriority "applypriority" "[a], b" [] needs [] allows [Space Hint] Always(Memory);
    Discard       "discard"       "[a], b" [] needs [] allows [Space Hint] Always(Memory);
    CreatePolicy  "createpolicy"  "d{, a, b, c}" [set(&[B64])] needs [] allows [Anything] Always(Memory);
    CpAsync            "cp.async"              "[d], [a], b{, c, e}" [] needs []
        allows [Space SecondSpace Cache Hint] Always(Memory);
    CpAsyncCommitGroup "cp.async.commit_group" ""    [] needs [] allows [] Always(Memory);
    CpAsyncWaitGroup   "cp.async.wait_group"   "a"   [] needs [] allows [] Always(Memory);
    CpAsyncWaitAll     "cp.async.wait_all"     ""    [] needs [] allows [] Always(Memory);
    CpAsyncMbarrier    "cp.async.mbarrier.arrive" "[a]" [set(&[B64])] needs [] allows [Space NoIncrement] Always(Memory);
    CpAsyncBulk        "cp.async.bulk" "{[d], [a], b, c, e, g, h}" [ ; ATOMIC] needs [] allows [Anything] Always(Memory);
    CpReduceAsyncBulk  "cp.reduce.async.bulk" "[d], [a]{, b, c, e, g}" [ ; ATOMIC] needs [] allows [Anything] Always(Memory);
    Multimem           "multimem" "x, [a]{, b}" [ ; ATOMIC] needs [] allows [Anything] Always(Memory);
    Tensormap          "tensormap" "[a], b{, c, e}" [ ; WORDS, WORDS] needs [] allows [Anything] Always(Memory);
    Alloca       "alloca"       "d, a{, b}" [ADDRESS] needs [] allows [] Always(Integer);
    Stacksave    "stacksave"    "d" [ADDRESS] needs [] allows [] Always(Integer);
    Stackrestore "stackrestore" "a" [ADDRESS] needs [] allows [] Always(Integer);

    // Textures and surfaces.
    Tex   "tex"   "d, [a]{, b, c, e, g}" [TEXEL ; COORDINATE] needs [Geometry] allows [Vector LevelOfDetail] Always(Texture);
    Tld4  "tld4"  "d, [a]{, b, c}" [TEXEL ; COORDINATE] needs [Geometry Component] allows [Vector] Always(Texture);
    Txq   "txq"   "d, [a]{, b}" [WORD] needs [Query] allows [LevelOfDetail] Always(Texture);
    Suq   "suq"   "d, [a]"      [WORD] needs [Query] allows [] Always(Texture);
    Suld  "suld.b"  "d, [a]"    [TEXEL] needs [Geometry] allows [Vector Cache Bounds] Always(Texture);
    SustB "sust.b"  "[a], b"    [TEXEL] needs [Geometry] allows [Vector Cache Bounds] Always(Texture);
    SustP "sust.p"  "[a], b"    [TEXEL] needs [Geometry] allows [Vector Cache Bounds] Always(Texture);
    SuredB "sured.b" "[a], b"   [ATOMIC] needs [Operation Geometry] allows [Bounds] Always(Texture);
    SuredP "sured.p" "[a], b"   [ATOMIC] needs [Operation Geometry] allows [Bounds] Always(Texture);

    // Control flow.
    Bra     "bra"     "t"    [] needs [] allows [Uniform] Always(Control);
    BrxIdx  "brx.idx" "a, l" [] needs [] allows [Uniform] Always(Control);
    Call    "call"    "d, f, a{, l}" [] needs [] allows [Uniform] Always(Control);
    Ret     "ret"     ""     [] needs [] allows [Uniform] Always(Control);
    Exit    "exit"    ""     [] needs [] allows [] Always(Control);
    Trap    "trap"    ""     [] needs [] allows [] Always(Control);
    Brkpt   "brkpt"   ""     [] needs [] allows [] Always(Control);
    Pmevent "pmevent" "a"    [] needs [] allows [Anything] Always(Control);
    Nanosleep "nanosleep" "a" [set(&[U32])] needs [] allows [] Always(Control);
    Griddepcontrol "griddepcontrol" "" [] needs [] allows [Anything] Always(Control);
    Setmaxnreg "setmaxnreg" "a" [ ; set(&[U32])] needs [] allows [Anything] Always(Control);

    // Synchronisation and communication between threads.
    BarSync     "bar.sync"      "a{, b}"    [] needs [] allows [Aligned] Always(Barrier);
    BarArrive   "bar.arrive"    "a, b"      [] needs [] allows [Aligned] Always(Barrier);
    BarRed      "bar.red"       "d, a, b{, c}" [NAMED] needs [Operation] allows [Aligned] Always(Barrier);
    BarWarpSync "bar.warp.sync" "a"         [] needs [] allows [] Always(Barrier);
    BarrierSync   "barrier.sync"   "a{, b}" [] needs [] allows [Aligned] Always(Barrier);
    BarrierArrive "barrier.arrive" "a, b"   [] needs [] allows [Aligned] Always(Barrier);
    BarrierRed    "barrier.red"    "d, a, b{, c}" [NAMED] needs [Operation] allows [Aligned] Always(Barrier);
    BarrierClusterArrive "barrier.cluster.arrive" "" [] needs [] allows [Semantics Aligned] Always(Barrier);
    BarrierClusterWait   "barrier.cluster.wait"   "" [] needs [] allows [Semantics Aligned] Always(Barrier);
    Membar  "membar"  "" [] needs [Scope] allows [] Always(Barrier);
    MembarProxy "membar.proxy" "" [] needs [] allows [Anything] Always(Barrier);
    Fence   "fence"   "" [] needs [Scope] allows [Semantics] Always(Barrier);
    FenceProxy "fence.proxy" "{[a], b}" [] needs [] allows [Anything] Always(Barrier);
    FenceMbarrierInit "fence.mbarrier_init" "" [] needs [] allows [Anything] Always(Barrier);
    Vote    "vote"    "d, a{, b}" [LOGIC] needs [Vote] allows [Sync] Always(Integer);
    Match   "match"   "d, a, b"   [WORDS] needs [Vote Sync] allows [] Always(Integer);
    Activemask "activemask" "d"   [WORD] needs [] allows [] Always(Integer);
    Shfl    "shfl"    "d, a, b, c{, e}" [WORD] needs [Shuffle] allows [Sync] Always(Integer);
    Redux   "redux"   "d, a, b"   [set(&[U32, S32, B32, F32])] needs [Operation Sync]
        allows [Absolute PropagateNan] Always(Integer);
    ElectSync "elect.sync" "d, a" [] needs [] allows [] Always(Integer);
    MbarrierInit       "mbarrier.init"       "[a], b"  [set(&[B64])] needs [] allows [Space] Always(Barrier);
    MbarrierInval      "mbarrier.inval"      "[a]"     [set(&[B64])] needs [] allows [Space] Always(Barrier);
    MbarrierExpectTx   "mbarrier.expect_tx"  "[a], b"  [ ; set(&[B64])] needs [] allows [Space Semantics Scope Anything] Always(Barrier);
    MbarrierCompleteTx "mbarrier.complete_tx" "[a], b" [ ; set(&[B64])] needs [] allows [Space Semantics Scope Anything] Always(Barrier);
    MbarrierArrive     "mbarrier.arrive"     "d, [a]{, b}" [set(&[B64])] needs [] allows [Space Semantics Scope Anything] Always(Barrier);
    MbarrierArriveDrop "mbarrier.arrive_drop" "d, [a]{, b}" [set(&[B64])] needs [] allows [Space Semantics Scope Anything] Always(Barrier);
    MbarrierTestWait   "mbarrier.test_wait"  "d, [a], b{, c}" [set(&[B64])] needs [] allows [Space Semantics Scope Anything] Always(Barrier);
    MbarrierTryWait    "mbarrier.try_wait"   "d, [a], b{, c}" [set(&[B64])] needs [] allows [Space Semantics Scope Anything] Always(Barrier);
    MbarrierPending    "mbarrier.pending_count" "d, a" [set(&[B64])] needs [] allows [] Always(Barrier);

    // Matrices.
    WmmaLoad  "wmma.load"  "d, [a]{, b}" [MATRIX] needs [Fragment Layout Shape]
        allows [Sync Aligned Space] Always(Memory);
    WmmaStore "wmma.store" "[a], b{, c}" [MATRIX] needs [Fragment Layout Shape]
        allows [Sync Aligned Space] Always(Memory);
    WmmaMma   "wmma.mma"   "d, a, b, c" [MATRIX, MATRIX ; MATRIX, MATRIX] needs [Shape]
        allows [Sync Aligned Layout SatFinite Operation PopcAccumulate Rounding] Always(Tensor);
    Mma       "mma"        "d, a, b, c" [MATRIX, MATRIX, MATRIX, MATRIX] needs [Shape]
        allows [Sync Aligned Layout SatFinite Operation PopcAccumulate] Always(Tensor);
    MmaSparse "mma.sp"     "d, a, b, c, e, g" [MATRIX, MATRIX, MATRIX, MATRIX] needs [Shape]
        allows [Sync Aligned Layout SatFinite Anything] Always(Tensor);
    Ldmatrix  "ldmatrix"   "d, [a]" [MATRIX] needs [Shape] allows [Sync Aligned Repeat Transposed Space Anything] Always(Memory);
    Stmatrix  "stmatrix"   "[a], b" [MATRIX] needs [Shape] allows [Sync Aligned Repeat Transposed Space] Always(Memory);
    Movmatrix "movmatrix"  "d, a"   [MATRIX] needs [Shape] allows [Sync Aligned Transposed] Always(Integer);
    Wgmma     "wgmma"      "{x, a, b, c, e, g, h, i, j}" [ ; MATRIX, MATRIX, MATRIX, MATRIX] needs [] allows [Anything] Always(Tensor);
    Tcgen05   "tcgen05"    "{x, a, b, c, e, g, h, i, j}" [ ; MATRIX, MATRIX, MATRIX, MATRIX] needs [] allows [Anything] Always(Tensor);

    // Video instructions: scalar, two halves, four bytes.
    Vadd     "vadd"     "d, a, b{, c}" [VIDEO, VIDEO, VIDEO] needs [] allows [Saturate Operation] Always(Integer);
    Vsub     "vsub"     "d, a, b{, c}" [VIDEO, VIDEO, VIDEO] needs [] allows [Saturate Operation] Always(Integer);
    Vabsdiff "vabsdiff" "d, a, b{, c}" [VIDEO, VIDEO, VIDEO] needs [] allows [Saturate Operation] Always(Integer);
    Vmin     "vmin"     "d, a, b{, c}" [VIDEO, VIDEO, VIDEO] needs [] allows [Saturate Operation] Always(Integer);
    Vmax     "vmax"     "d, a, b{, c}" [VIDEO, VIDEO, VIDEO] needs [] allows [Saturate Operation] Always(Integer);
    Vshl     "vshl"     "d, a, b{, c}" [VIDEO, VIDEO, VIDEO] needs [Overflow] allows [Saturate Operation] Always(Integer);
    Vshr     "vshr"     "d, a, b{, c}" [VIDEO, VIDEO, VIDEO] needs [Overflow] allows [Saturate Operation] Always(Integer);
    Vmad     "vmad"     "d, a, b, c"   [VIDEO, VIDEO, VIDEO] needs [] allows [Saturate Anything] Always(Integer);
    Vset     "vset"     "d, a, b{, c}" [VIDEO, VIDEO] needs [Compare] allows [Operation] Always(Integer);
    Vadd2     "vadd2"     "d, a, b, c" [VIDEO, VIDEO, VIDEO] needs [] allows [Saturate Operation] Always(Integer);
    Vsub2     "vsub2"     "d, a, b, c" [VIDEO, VIDEO, VIDEO] needs [] allows [Saturate Operation] Always(Integer);
    Vavrg2    "vavrg2"    "d, a, b, c" [VIDEO, VIDEO, VIDEO] needs [] allows [Saturate Operation] Always(Integer);
    Vabsdiff2 "vabsdiff2" "d, a, b, c" [VIDEO, VIDEO, VIDEO] needs [] allows [Saturate Operation] Always(Integer);
    Vmin2     "vmin2"     "d, a, b, c" [VIDEO, VIDEO, VIDEO] needs [] allows [Saturate Operation] Always(Integer);
    Vmax2     "vmax2"     "d, a, b, c" [VIDEO, VIDEO, VIDEO] needs [] allows [Saturate Operation] Always(Integer);
    Vset2     "vset2"     "d, a, b, c" [VIDEO, VIDEO] needs [Compare] allows [Operation] Always(Integer);
    Vadd4     "vadd4"     "d, a, b, c" [VIDEO, VIDEO, VIDEO] needs [] allows [Saturate Operation] Always(Integer);
    Vsub4     "vsub4"     "d, a, b, c" [VIDEO, VIDEO, VIDEO] needs [] allows [Saturate Operation] Always(Integer);
    Vavrg4    "vavrg4"    "d, a, b, c" [VIDEO, VIDEO, VIDEO] needs [] allows [Saturate Operation] Always(Integer);
    Vabsdiff4 "vabsdiff4" "d, a, b, c" [VIDEO, VIDEO, VIDEO] needs [] allows [Saturate Operation] Always(Integer);
    Vmin4     "vmin4"     "d, a, b, c" [VIDEO, VIDEO, VIDEO] needs [] allows [Saturate Operation] Always(Integer);
    Vmax4     "vmax4"     "d, a, b, c" [VIDEO, VIDEO, VIDEO] needs [] allows [Saturate Operation] Always(Integer);
    Vset4     "vset4"     "d, a, b, c" [VIDEO, VIDEO] needs [Compare] allows [Operation] Always(Integer);
}
