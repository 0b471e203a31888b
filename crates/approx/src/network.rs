//! The thesis's predictor: a neural network that names the number of bits.
//!
//! | layer  | nodes                                                        |
//! |--------|--------------------------------------------------------------|
//! | input  | of S, CN and AC those that are [`Given`], and AE, the error that is accepted |
//! | hidden | 12                                                           |
//! | output | one for each of 4, 8, 12, 16 and 20 bits; the largest wins   |
//!
//! Trained on measured runs by backpropagation: gradient descent after every example, mean square error as the criterion to
//! stop, learning rate 0.01 (section 5.1). Left open there and chosen here: the number of hidden nodes, the logistic
//! function in both layers, the weights to begin with, and what the right answer is where two numbers of bits
//! gave the same error: the larger.

use serde::{Deserialize, Serialize};
use shrinkwarp_workloads::input::Rng;

use crate::attributes::{ATTRIBUTES, Attributes, Given, Scaling};
use crate::measure::Measurement;
use crate::{BITS, log_error};

const INPUTS: usize = ATTRIBUTES + 1;
const HIDDEN: usize = 12;
const OUTPUTS: usize = BITS.len();
const LEARNING_RATE: f64 = 0.01;
const MAX_EPOCHS: usize = 6000;
/// Training stops when the mean square error over all outputs is below this.
const GOOD_ENOUGH_MSE: f64 = 0.005;

/// A trained network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Network {
    given: Given,
    scaling: Scaling,
    hidden: Layer,
    output: Layer,
    /// Passes over the examples.
    pub epochs: usize,
    /// Mean square error after the last.
    pub mean_square_error: f64,
}

/// Weights of one layer: a row a node, its bias last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Layer {
    rows: Vec<Vec<f64>>,
}

/// One measured run: what went in, and which output should be 1.
struct Example {
    inputs: [f64; INPUTS],
    answer: usize,
}

impl Network {
    /// Trains on measured data sets; the same seed gives the same network.
    pub fn train(measurements: &[Measurement], given: Given, seed: u64) -> Self {
        let (scaling, mut examples) = examples_of(measurements, given);
        let mut rng = Rng::new(seed);
        let mut network = Self {
            given,
            scaling,
            hidden: Layer::random(HIDDEN, INPUTS, &mut rng),
            output: Layer::random(OUTPUTS, HIDDEN, &mut rng),
            epochs: 0,
            mean_square_error: f64::MAX,
        };
        while network.epochs < MAX_EPOCHS && network.mean_square_error > GOOD_ENOUGH_MSE {
            rng.shuffle(&mut examples);
            let sum: f64 = examples.iter().map(|example| network.learn(example)).sum();
            network.mean_square_error = sum / examples.len().max(1) as f64;
            network.epochs += 1;
        }
        network
    }

    /// Whether the layers have the shape that this program knows.
    pub fn is_well_formed(&self) -> bool {
        self.hidden.has_shape(HIDDEN, INPUTS) && self.output.has_shape(OUTPUTS, HIDDEN)
    }

    /// The bits for a data set and an error, and how much of all outputs is theirs.
    pub fn predict(&self, attributes: &Attributes, error: f64) -> (u32, f64) {
        let inputs = self.scaling.apply(inputs(self.given, attributes, error));
        let outputs = self.output.activations(&self.hidden.activations(&inputs));
        let mut best = 0;
        for (node, &value) in outputs.iter().enumerate() {
            if value > outputs[best] {
                best = node;
            }
        }
        (BITS[best], outputs[best] / outputs.iter().sum::<f64>().max(f64::MIN_POSITIVE))
    }

    /// One step of gradient descent; the example's square error before it.
    fn learn(&mut self, example: &Example) -> f64 {
        let hidden = self.hidden.activations(&example.inputs);
        let outputs = self.output.activations(&hidden);
        let mut square_error = 0.0;
        let mut output_gradients = [0.0; OUTPUTS];
        for (node, gradient) in output_gradients.iter_mut().enumerate() {
            let wanted = if node == example.answer { 1.0 } else { 0.0 };
            let difference = outputs[node] - wanted;
            square_error += difference * difference / OUTPUTS as f64;
            *gradient = difference * slope(outputs[node]);
        }
        let mut hidden_gradients = [0.0; HIDDEN];
        for (node, gradient) in hidden_gradients.iter_mut().enumerate() {
            let back: f64 = self
                .output
                .rows
                .iter()
                .zip(&output_gradients)
                .map(|(row, gradient)| row[node] * gradient)
                .sum();
            *gradient = back * slope(hidden[node]);
        }
        self.output.descend(&hidden, &output_gradients);
        self.hidden.descend(&example.inputs, &hidden_gradients);
        square_error
    }
}

impl Layer {
    fn random(nodes: usize, inputs: usize, rng: &mut Rng) -> Self {
        let limit = 1.0 / (inputs as f64).sqrt();
        let mut weight = || limit * (2.0 * rng.unit() - 1.0);
        Self { rows: (0..nodes).map(|_| (0..=inputs).map(|_| weight()).collect()).collect() }
    }

    fn has_shape(&self, nodes: usize, inputs: usize) -> bool {
        self.rows.len() == nodes && self.rows.iter().all(|row| row.len() == inputs + 1)
    }

    fn activations(&self, inputs: &[f64]) -> Vec<f64> {
        let node = |row: &Vec<f64>| {
            let sum: f64 = row.iter().zip(inputs).map(|(weight, input)| weight * input).sum();
            logistic(sum + row.last().copied().unwrap_or(0.0))
        };
        self.rows.iter().map(node).collect()
    }

    fn descend(&mut self, inputs: &[f64], gradients: &[f64]) {
        for (row, gradient) in self.rows.iter_mut().zip(gradients) {
            let step = LEARNING_RATE * gradient;
            for (weight, input) in row.iter_mut().zip(inputs.iter().chain(&[1.0])) {
                *weight -= step * input;
            }
        }
    }
}

fn examples_of(measurements: &[Measurement], given: Given) -> (Scaling, Vec<Example>) {
    let mut pairs = Vec::new();
    for measurement in measurements {
        for error in measurement.errors {
            let best = measurement.best_bits(error);
            let answer = BITS.iter().position(|&bits| bits == best).unwrap_or(0);
            pairs.push((inputs(given, &Attributes::of(measurement), error), answer));
        }
    }
    let scaling = Scaling::of(&pairs.iter().map(|pair| pair.0).collect::<Vec<_>>());
    let example = |(inputs, answer)| Example { inputs: scaling.apply(inputs), answer };
    let examples = pairs.into_iter().map(example).collect();
    (scaling, examples)
}

fn inputs(given: Given, attributes: &Attributes, error: f64) -> [f64; INPUTS] {
    let [size, condition, constraint] = given.values_of(attributes);
    [size, condition, constraint, log_error(error)]
}

fn logistic(value: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-value))
}

/// The logistic function's derivative where its value is `activation`.
fn slope(activation: f64) -> f64 {
    activation * (1.0 - activation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::tests::measured;

    #[test]
    fn one_step_follows_the_gradient_of_the_square_error() {
        let mut network = Network::train(&measured(4), Given::ALL, 1);
        let (_, examples) = examples_of(&measured(4), Given::ALL);
        let example = &examples[7];
        let error_of = |network: &Network| {
            let outputs = network.output.activations(&network.hidden.activations(&example.inputs));
            let wanted = |node: usize| if node == example.answer { 1.0 } else { 0.0 };
            outputs.iter().enumerate().map(|(node, value)| (value - wanted(node)).powi(2)).sum::<f64>() / 2.0
        };
        // The change of a weight is minus the learning rate times the derivative, here by central differences.
        let step = 1e-6;
        let shifted = |by: f64| {
            let mut shifted = network.clone();
            shifted.hidden.rows[3][2] += by;
            error_of(&shifted)
        };
        let derivative = (shifted(step) - shifted(-step)) / (2.0 * step);
        let before = network.hidden.rows[3][2];
        network.learn(example);
        let change = network.hidden.rows[3][2] - before;
        assert!((change + LEARNING_RATE * derivative).abs() < 1e-9, "{change} for {derivative}");
    }

    #[test]
    fn what_is_not_given_changes_no_answer() {
        let data = measured(6);
        let network = Network::train(&data, Given::NONE, 1);
        let one = Attributes::of(&data[0]);
        let other = Attributes { input_elements: 1 << 30, condition_log10: Some(9.0), clusters: Some(20) };
        assert_eq!(network.predict(&one, 1e-3), network.predict(&other, 1e-3));
    }

    #[test]
    fn it_learns_which_bits_made_which_error() {
        let data = measured(20);
        let network = Network::train(&data, Given::ALL, 1);
        assert_eq!(network, Network::train(&data, Given::ALL, 1));
        let right = data.iter().flat_map(|row| row.errors.iter().zip(BITS).map(move |pair| (row, pair)));
        let right =
            right.filter(|(row, (error, bits))| network.predict(&Attributes::of(row), **error).0 == *bits);
        assert!(right.count() >= 95, "of 100");
    }
}
