//! Which data sets a workload is measured on.
//!
//! | workload    | size means            | varied besides size and seed      |
//! |-------------|-----------------------|-----------------------------------|
//! | gaussian    | rows of the matrix    | condition number, 10¹ to 10⁶      |
//! | lud         | rows of the matrix    | condition number, 10¹ to 10⁶      |
//! | kmeans      | points                | clusters, 2 to 20                 |
//! | hybridsort  | numbers               |                                   |
//! | scalar-prod | elements of a vector  |                                   |
//! | others      | rows of the matrix or picture |                           |
//!
//! At scale `paper` the largest size is the thesis's (table 6.3). Every data set has a seed of its own.

use shrinkwarp_workloads::quality::QUALITIES;
use shrinkwarp_workloads::{Factors, InputProperties, Scale, Workload};

/// A list of data sets to measure.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The workload.
    pub workload: &'static Workload,
    /// What is not said below is as at this scale.
    pub scale: Scale,
    /// Sizes, in the workload's own measure.
    pub sizes: Vec<usize>,
    /// log10 of condition numbers; none where the input is no matrix to solve.
    pub conditions_log10: Vec<f64>,
    /// Clusters; none where nothing is clustered.
    pub clusters: Vec<usize>,
    /// Features of a point; as usual if there are none.
    pub features: Vec<usize>,
    /// How the factors of matrices to solve belong together.
    pub factors: Factors,
    /// How many data sets.
    pub data_sets: usize,
}

/// One data set of one workload.
#[derive(Clone, Copy, Debug)]
pub struct PlannedInput {
    /// The workload.
    pub workload: &'static Workload,
    /// The scale of what the data set does not say.
    pub scale: Scale,
    /// Seed.
    pub seed: u64,
    /// Properties.
    pub properties: InputProperties,
}

/// Sizes by scale: tiny, small, paper.
struct Sizes {
    workload: &'static str,
    sizes: [[usize; 4]; 3],
}

const SIZES: &[Sizes] = &[
    sizes("atax", [32, 48, 64, 96], [128, 256, 384, 512], [512, 1024, 2048, 4096]),
    sizes("bicg", [32, 48, 64, 96], [128, 256, 384, 512], [512, 1024, 2048, 4096]),
    sizes("conv2d", [16, 32, 48, 64], [128, 256, 384, 512], [512, 1024, 2048, 4096]),
    sizes("gaussian", [16, 24, 32, 40], [32, 64, 96, 128], [64, 112, 160, 208]),
    sizes(
        "hybridsort",
        [500, 1000, 2000, 4000],
        [4096, 8192, 16_384, 32_768],
        [62_500, 125_000, 250_000, 500_000],
    ),
    sizes("kmeans", [100, 200, 400, 800], [1024, 2048, 4096, 8192], [2500, 5000, 10_000, 20_000]),
    sizes("lud", [32, 48, 64, 80], [64, 128, 192, 256], [128, 256, 384, 512]),
    sizes("scalar-prod", [128, 256, 512, 1024], [512, 1024, 2048, 4096], [512, 1024, 2048, 4096]),
    sizes("srad", [16, 24, 32, 48], [64, 128, 192, 256], [256, 512, 1024, 2048]),
];

const fn sizes(workload: &'static str, tiny: [usize; 4], small: [usize; 4], paper: [usize; 4]) -> Sizes {
    Sizes { workload, sizes: [tiny, small, paper] }
}

/// log10 of the condition numbers of the thesis's figure 6.5.
pub const CONDITIONS_LOG10: [f64; 6] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
/// Cluster counts of the thesis's figure 6.6.
pub const CLUSTERS: [usize; 4] = [2, 5, 10, 20];
/// Features of a point that the thesis tried (section 6.5).
pub const FEATURES: [usize; 3] = [17, 34, 68];

impl Plan {
    /// The usual plan; the error names the workloads that have one.
    pub fn usual(workload: &'static Workload, scale: Scale, data_sets: usize) -> Result<Self, String> {
        let Some(row) = SIZES.iter().find(|row| row.workload == workload.name) else {
            let known: Vec<&str> = QUALITIES.iter().map(|quality| quality.workload).collect();
            let name = workload.name;
            return Err(format!(
                "{name} has no error metric to measure by; these have one: {}",
                known.join(", ")
            ));
        };
        let [tiny, small, paper] = &row.sizes;
        let is_solved = matches!(workload.name, "gaussian" | "lud");
        Ok(Self {
            workload,
            scale,
            sizes: scale.pick(tiny, small, paper).to_vec(),
            conditions_log10: if is_solved { CONDITIONS_LOG10.to_vec() } else { Vec::new() },
            clusters: if workload.name == "kmeans" { CLUSTERS.to_vec() } else { Vec::new() },
            features: Vec::new(),
            factors: Factors::default(),
            data_sets,
        })
    }

    /// The data sets: the properties take turns, condition numbers and clusters fastest.
    pub fn data_sets(&self) -> Vec<PlannedInput> {
        (0..self.data_sets).map(|index| self.data_set(index)).collect()
    }

    fn data_set(&self, index: usize) -> PlannedInput {
        let mut turn = index;
        let condition_log10 = take_turn(&self.conditions_log10, &mut turn);
        let clusters = take_turn(&self.clusters, &mut turn);
        let features = take_turn(&self.features, &mut turn);
        let size = take_turn(&self.sizes, &mut turn);
        let properties = InputProperties { size, condition_log10, clusters, features, factors: self.factors };
        PlannedInput { workload: self.workload, scale: self.scale, seed: index as u64 + 1, properties }
    }
}

/// One of the values, and what is left of the turn for the next property.
fn take_turn<T: Copy>(values: &[T], turn: &mut usize) -> Option<T> {
    let count = values.len().max(1);
    let value = values.get(*turn % count).copied();
    *turn /= count;
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(name: &str, data_sets: usize) -> Plan {
        Plan::usual(shrinkwarp_workloads::find(name).unwrap(), Scale::Tiny, data_sets).unwrap()
    }

    #[test]
    fn every_judged_workload_has_a_plan_and_others_are_refused() {
        for quality in QUALITIES {
            assert_eq!(plan(quality.workload, 3).data_sets().len(), 3);
        }
        let error = Plan::usual(shrinkwarp_workloads::find("bfs").unwrap(), Scale::Tiny, 1).unwrap_err();
        assert!(
            error.starts_with("bfs has no error metric to measure by; these have one: atax, bicg"),
            "{error}"
        );
    }

    #[test]
    fn properties_take_turns_and_seeds_differ() {
        let sets = plan("gaussian", 8).data_sets();
        assert_eq!(sets[0].properties.condition_log10, Some(1.0));
        assert_eq!((sets[5].properties.condition_log10, sets[5].properties.size), (Some(6.0), Some(16)));
        assert_eq!((sets[6].properties.condition_log10, sets[6].properties.size), (Some(1.0), Some(24)));
        assert_eq!((sets[0].seed, sets[7].seed), (1, 8));
        assert_eq!(plan("kmeans", 5).data_sets()[1].properties.clusters, Some(5));
    }
}
