//! Special registers (PTX ISA, "Special Registers").

use super::types::ScalarType;

macro_rules! special_registers {
    ($($name:ident $spelling:literal $ty:ident;)*) => {
        /// A read-only register the hardware provides.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum SpecialRegister {
            $(#[doc = concat!("`", $spelling, "`")] $name,)*
            /// `%envreg0` to `%envreg31`
            Environment(u8),
            /// `%pm0` to `%pm7`
            PerformanceMonitor(u8),
            /// `%pm0_64` to `%pm7_64`
            PerformanceMonitor64(u8),
            /// `%reserved_smem_offset_0` and `_1`
            ReservedSharedOffset(u8),
        }

        const NAMED: &[(&str, SpecialRegister)] = &[$(($spelling, SpecialRegister::$name),)*];

        impl SpecialRegister {
            /// Type of the value.
            pub const fn ty(self) -> ScalarType {
                match self {
                    $(SpecialRegister::$name => ScalarType::$ty,)*
                    SpecialRegister::PerformanceMonitor64(_) => ScalarType::U64,
                    SpecialRegister::Environment(_) | SpecialRegister::ReservedSharedOffset(_) => ScalarType::B32,
                    SpecialRegister::PerformanceMonitor(_) => ScalarType::U32,
                }
            }
        }
    };
}

special_registers! {
    TidX "%tid.x" U32;
    TidY "%tid.y" U32;
    TidZ "%tid.z" U32;
    TidW "%tid.w" U32;
    NtidX "%ntid.x" U32;
    NtidY "%ntid.y" U32;
    NtidZ "%ntid.z" U32;
    NtidW "%ntid.w" U32;
    CtaidX "%ctaid.x" U32;
    CtaidY "%ctaid.y" U32;
    CtaidZ "%ctaid.z" U32;
    CtaidW "%ctaid.w" U32;
    NctaidX "%nctaid.x" U32;
    NctaidY "%nctaid.y" U32;
    NctaidZ "%nctaid.z" U32;
    NctaidW "%nctaid.w" U32;
    LaneId "%laneid" U32;
    WarpId "%warpid" U32;
    NwarpId "%nwarpid" U32;
    SmId "%smid" U32;
    NsmId "%nsmid" U32;
    GridId "%gridid" U64;
    LaneMaskEq "%lanemask_eq" U32;
    LaneMaskLe "%lanemask_le" U32;
    LaneMaskLt "%lanemask_lt" U32;
    LaneMaskGe "%lanemask_ge" U32;
    LaneMaskGt "%lanemask_gt" U32;
    Clock "%clock" U32;
    ClockHi "%clock_hi" U32;
    Clock64 "%clock64" U64;
    GlobalTimer "%globaltimer" U64;
    GlobalTimerLo "%globaltimer_lo" U32;
    GlobalTimerHi "%globaltimer_hi" U32;
    TotalSharedBytes "%total_smem_size" U32;
    DynamicSharedBytes "%dynamic_smem_size" U32;
    AggregateSharedBytes "%aggr_smem_size" U32;
    ReservedSharedBegin "%reserved_smem_offset_begin" B32;
    ReservedSharedEnd "%reserved_smem_offset_end" B32;
    ReservedSharedCap "%reserved_smem_offset_cap" B32;
    CurrentGraphExec "%current_graph_exec" U64;
    IsExplicitCluster "%is_explicit_cluster" Pred;
    ClusterIdX "%clusterid.x" U32;
    ClusterIdY "%clusterid.y" U32;
    ClusterIdZ "%clusterid.z" U32;
    NclusterIdX "%nclusterid.x" U32;
    NclusterIdY "%nclusterid.y" U32;
    NclusterIdZ "%nclusterid.z" U32;
    ClusterCtaidX "%cluster_ctaid.x" U32;
    ClusterCtaidY "%cluster_ctaid.y" U32;
    ClusterCtaidZ "%cluster_ctaid.z" U32;
    ClusterNctaidX "%cluster_nctaid.x" U32;
    ClusterNctaidY "%cluster_nctaid.y" U32;
    ClusterNctaidZ "%cluster_nctaid.z" U32;
    ClusterCtaRank "%cluster_ctarank" U32;
    ClusterNctaRank "%cluster_nctarank" U32;
}

/// Families of numbered registers: prefix, count, suffix, constructor.
type Family = (&'static str, u8, &'static str, fn(u8) -> SpecialRegister);
const FAMILIES: [Family; 4] = [
    ("%envreg", 32, "", SpecialRegister::Environment),
    ("%pm", 8, "_64", SpecialRegister::PerformanceMonitor64),
    ("%pm", 8, "", SpecialRegister::PerformanceMonitor),
    ("%reserved_smem_offset_", 2, "", SpecialRegister::ReservedSharedOffset),
];

impl SpecialRegister {
    /// The special register of that name, e.g. `%tid.x`.
    pub fn from_name(name: &str) -> Option<SpecialRegister> {
        if let Some((_, register)) = NAMED.iter().find(|(spelling, _)| *spelling == name) {
            return Some(*register);
        }
        FAMILIES.iter().find_map(|(prefix, count, suffix, make)| {
            let number: u8 = name.strip_prefix(prefix)?.strip_suffix(suffix)?.parse().ok()?;
            (number < *count).then(|| make(number))
        })
    }

    /// The fixed names; the numbered families (`%envreg0`) are not among them.
    pub fn all_names() -> impl Iterator<Item = &'static str> {
        NAMED.iter().map(|(spelling, _)| *spelling)
    }

    /// Name as PTX spells it.
    pub fn name(self) -> String {
        if let Some((spelling, _)) = NAMED.iter().find(|(_, register)| *register == self) {
            return (*spelling).to_string();
        }
        match self {
            SpecialRegister::Environment(number) => format!("%envreg{number}"),
            SpecialRegister::PerformanceMonitor(number) => format!("%pm{number}"),
            SpecialRegister::PerformanceMonitor64(number) => format!("%pm{number}_64"),
            SpecialRegister::ReservedSharedOffset(number) => format!("%reserved_smem_offset_{number}"),
            named => format!("%{named:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for (spelling, register) in NAMED {
            assert_eq!(SpecialRegister::from_name(spelling), Some(*register));
            assert_eq!(register.name(), *spelling);
        }
        for name in ["%envreg0", "%envreg31", "%pm7", "%pm3_64", "%reserved_smem_offset_1"] {
            assert_eq!(SpecialRegister::from_name(name).map(SpecialRegister::name).as_deref(), Some(name));
        }
        assert_eq!(SpecialRegister::from_name("%envreg32"), None);
        assert_eq!(SpecialRegister::from_name("%tid"), None);
    }
}
