//! Changes of a machine: what each brings us, and what it brought the reference.

use super::Machine;

/// One change of the machine whose effect the reference measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Name, as in the reference's tables.
    pub name: &'static str,
    /// What is changed, written `section.key=value`.
    pub changes: &'static [&'static str],
}

/// Those of Fermi.
const VARIANTS: [Variant; 8] = [
    Variant { name: "l1_48k", changes: &["l1.size_kib=48", "l1.ways=6"] },
    Variant { name: "l1_64k", changes: &["l1.size_kib=64"] },
    Variant { name: "l1_latency_15", changes: &["l1.latency_cycles=15"] },
    Variant { name: "icnt_2x", changes: &["clocks.interconnect_mhz=1400"] },
    Variant { name: "dram_2x", changes: &["clocks.dram_mhz=1848"] },
    Variant { name: "dram_half", changes: &["clocks.dram_mhz=462"] },
    Variant { name: "flit_64", changes: &["interconnect.flit_bytes=64"] },
    Variant { name: "lrr", changes: &["sm.scheduler=\"lrr\""] },
];

/// A row of the reference's table of changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReferenceCell {
    /// Variant.
    pub variant: &'static str,
    /// Case.
    pub case: &'static str,
    /// Cycles of the reference.
    pub cycles: u64,
    /// Cycles of the unchanged machine divided by them.
    pub speedup: f64,
}

/// Those of Volta. Not here is what no key describes: an L1 without sectors in front of a sectored L2.
const VOLTA_VARIANTS: [Variant; 12] = [
    Variant { name: "dram_2x", changes: &["clocks.dram_mhz=1700"] },
    Variant { name: "dram_half", changes: &["clocks.dram_mhz=425"] },
    Variant { name: "l1_32k", changes: &["l1.size_kib=32", "l1.ways=64", "l1.shared_carve_out_kib=[]"] },
    Variant { name: "l1_256k", changes: &["l1.size_kib=256", "l1.ways=512"] },
    Variant { name: "l1_latency_40", changes: &["l1.latency_cycles=40"] },
    Variant { name: "gto", changes: &["sm.scheduler=\"gto\""] },
    Variant { name: "icnt_half", changes: &["clocks.interconnect_mhz=566"] },
    Variant { name: "flit_80", changes: &["interconnect.flit_bytes=80"] },
    Variant { name: "streaming_l1", changes: &["l1.allocate=\"streaming\""] },
    Variant { name: "intersim", changes: &["interconnect.kind=\"flits\""] },
    Variant {
        name: "intersim_flit20",
        changes: &["interconnect.kind=\"flits\"", "interconnect.flit_bytes=20"],
    },
    Variant { name: "nosector_all", changes: &["l1.sector_bytes=128", "l2.sector_bytes=128"] },
];

/// The change of that name.
pub fn variant_named(machine: Machine, name: &str) -> Option<&'static Variant> {
    let variants: &[Variant] = if machine == Machine::Volta { &VOLTA_VARIANTS } else { &VARIANTS };
    variants.iter().find(|variant| variant.name == name)
}

/// All rows for a machine.
pub fn reference_cells(machine: Machine) -> Vec<ReferenceCell> {
    let cell = |line: &'static str| {
        let mut fields = line.split(',');
        Some(ReferenceCell {
            variant: fields.next()?,
            case: fields.next()?,
            cycles: fields.next()?.parse().ok()?,
            speedup: fields.next()?.parse().ok()?,
        })
    };
    machine.sensitivity_csv().lines().skip(1).filter_map(cell).collect()
}

/// One change, one case: what it brought us and the reference.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Cell {
    /// Set index of the L1D.
    pub machine: &'static str,
    /// Variant.
    pub variant: &'static str,
    /// Case.
    pub case: &'static str,
    /// Our cycles with the change.
    pub cycles: u64,
    /// Our cycles without it, divided by them.
    pub speedup: f64,
    /// The same ratio of the reference.
    pub reference_speedup: f64,
}

impl Cell {
    /// Whether the ratio is within `tolerance` of the reference's.
    pub fn is_within(&self, tolerance: f64) -> bool {
        (self.speedup - self.reference_speedup).abs() <= tolerance
    }

    /// Whether it moves the same way wherever the reference moves by more than 5 %.
    pub fn has_same_direction(&self) -> bool {
        let change = self.reference_speedup - 1.0;
        change.abs() <= 0.05 || change.signum() == (self.speedup - 1.0).signum()
    }
}
