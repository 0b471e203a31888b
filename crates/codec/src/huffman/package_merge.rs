//! Optimal codeword lengths under a limit, by package–merge.
//!
//! Think of every symbol as one coin for each allowed length. Level by level, from the longest length up, the coins
//! are merged by weight with the pairs ("packages") of the level before. The cheapest `2 × count − 2` items of the last
//! level are the solution: a symbol's length is the number of its coins among them. Only the *kind* of every item
//! (coin or package) is kept, because the coins chosen on a level are always the lightest ones.

/// Room for every coin of the largest code: 2¹⁶ symbols of 24 bits.
const COIN_COUNT_BITS: u32 = 24;

/// The length in bits of each symbol's codeword, none above `limit_bits`, with the least total weight × length.
///
/// Symbols of weight zero are coded too. A limit too small for the number of symbols is raised to the smallest that is
/// possible. Of all codes with that least total, the one with the shortest codewords is taken, which serves symbols that
/// the sample did not show. Among equal weights the symbol with the smaller number gets the shorter codeword.
pub fn code_lengths(weights: &[u64], limit_bits: u32) -> Vec<u8> {
    let mut lengths = vec![0; weights.len()];
    if weights.len() < 2 {
        return lengths;
    }
    let limit_bits = limit_bits.max(bits_for(weights.len()));
    let lightest_first = sort_lightest_first(weights);
    let levels = merge_levels(weights, &lightest_first, limit_bits);

    let mut chosen = 2 * weights.len() - 2;
    for is_coin in levels.iter().rev() {
        let coins = is_coin[..chosen].iter().filter(|&&coin| coin).count();
        for &symbol in &lightest_first[..coins] {
            lengths[symbol] += 1;
        }
        chosen = 2 * (chosen - coins);
    }
    lengths
}

/// The bits that give `count` symbols a codeword each.
fn bits_for(count: usize) -> u32 {
    count.next_power_of_two().trailing_zeros()
}

/// Of equal weights the later symbol comes first: it is the one to get the longer codeword.
fn sort_lightest_first(weights: &[u64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_unstable_by_key(|&symbol| (weights[symbol], std::cmp::Reverse(symbol)));
    order
}

/// For each level, longest length first: whether each item, in order of weight, is a coin.
fn merge_levels(weights: &[u64], lightest_first: &[usize], limit_bits: u32) -> Vec<Vec<bool>> {
    let mut levels = Vec::with_capacity(limit_bits as usize);
    // The low half counts coins, so that of all cheapest codes the one with the least total length wins; packages hold
    // up to `limit_bits` coins of every symbol, so the high half needs more than the 64 bits of one weight.
    let coin_weight = |symbol: usize| u128::from(weights[symbol]) << COIN_COUNT_BITS | 1;
    let mut packages: Vec<u128> = Vec::new();
    for _ in 0..limit_bits {
        let mut items = Vec::with_capacity(lightest_first.len() + packages.len());
        let mut is_coin = Vec::with_capacity(items.capacity());
        let mut coins = lightest_first.iter().map(|&symbol| coin_weight(symbol)).peekable();
        let mut pairs = packages.iter().copied().peekable();
        loop {
            let takes_coin = match (coins.peek(), pairs.peek()) {
                (Some(coin), Some(pair)) => coin <= pair,
                (Some(_), None) => true,
                (None, _) => false,
            };
            let Some(weight) = (if takes_coin { coins.next() } else { pairs.next() }) else { break };
            items.push(weight);
            is_coin.push(takes_coin);
        }
        let (pairs, _odd_one_out) = items.as_chunks::<2>();
        packages = pairs.iter().map(|[light, heavy]| light + heavy).collect();
        levels.push(is_coin);
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    fn cost(weights: &[u64], lengths: &[u8]) -> u64 {
        weights.iter().zip(lengths).map(|(weight, &length)| weight * u64::from(length)).sum()
    }

    fn kraft_sum_is_one(lengths: &[u8]) -> bool {
        lengths.iter().map(|&length| 1u128 << (100 - length)).sum::<u128>() == 1 << 100
    }

    /// The cost of a Huffman tree without a limit: the sum of its inner nodes.
    fn unlimited_cost(weights: &[u64]) -> u64 {
        let mut heap: BinaryHeap<Reverse<u64>> = weights.iter().copied().map(Reverse).collect();
        let mut total = 0;
        while let (Some(Reverse(a)), Some(Reverse(b))) = (heap.pop(), heap.pop()) {
            total += a + b;
            heap.push(Reverse(a + b));
        }
        total
    }

    /// The least cost over all length vectors that satisfy Kraft's inequality.
    fn brute_force_cost(weights: &[u64], limit_bits: u32) -> Option<u64> {
        fn search(weights: &[u64], limit_bits: u32, room: u32) -> Option<u64> {
            let Some((weight, rest)) = weights.split_first() else { return Some(0) };
            (1..=limit_bits)
                .filter_map(|length| {
                    let room = room.checked_sub(1 << (limit_bits - length))?;
                    Some(weight * u64::from(length) + search(rest, limit_bits, room)?)
                })
                .min()
        }
        search(weights, limit_bits, 1 << limit_bits)
    }

    #[test]
    fn fibonacci_weights_are_flattened_by_the_limit() {
        // Each weight is the sum of all lighter ones, so the tree is a comb. Under 3 bits, 8 leaves have room for 7
        // symbols: only the heaviest can take two of them.
        let weights = [13, 8, 5, 3, 2, 1, 1];
        assert_eq!(code_lengths(&weights, 24), [1, 2, 3, 4, 5, 6, 6]);
        assert_eq!(code_lengths(&weights, 3), [2, 3, 3, 3, 3, 3, 3]);
    }

    #[test]
    fn of_equal_weights_the_smaller_symbol_gets_the_shorter_codeword() {
        assert_eq!(code_lengths(&[1, 1, 1], 8), [1, 2, 2]);
        assert_eq!(code_lengths(&[0; 5], 8), [2, 2, 2, 3, 3]);
    }

    #[test]
    fn symbols_never_seen_share_the_rest_evenly() {
        assert_eq!(code_lengths(&[100, 0, 0, 0, 0], 8), [1, 3, 3, 3, 3]);
    }

    #[test]
    fn one_symbol_needs_no_bits_and_none_gives_none() {
        assert_eq!(code_lengths(&[7], 8), [0]);
        assert!(code_lengths(&[], 8).is_empty());
    }

    #[test]
    fn an_impossible_limit_is_raised() {
        assert_eq!(code_lengths(&[9, 1, 1, 1, 1], 2), [1, 3, 3, 3, 3]);
    }

    #[test]
    fn huge_weights_do_not_overflow() {
        assert!(kraft_sum_is_one(&code_lengths(&[u64::MAX; 300], 16)));
    }

    proptest! {
        #[test]
        fn no_code_within_the_limit_is_cheaper(
            weights in prop::collection::vec(0u64..60, 2..7), limit_bits in 3u32..6,
        ) {
            let lengths = code_lengths(&weights, limit_bits);
            prop_assert!(lengths.iter().all(|&length| u32::from(length) <= limit_bits));
            prop_assert_eq!(Some(cost(&weights, &lengths)), brute_force_cost(&weights, limit_bits));
        }

        #[test]
        fn a_generous_limit_gives_the_huffman_cost(weights in prop::collection::vec(0u64..100_000, 2..200)) {
            let lengths = code_lengths(&weights, 64);
            prop_assert_eq!(cost(&weights, &lengths), unlimited_cost(&weights));
        }

        #[test]
        fn every_code_is_complete_and_monotonic(
            weights in prop::collection::vec(0u64..1_000_000, 1..600), limit_bits in 10u32..21,
        ) {
            let lengths = code_lengths(&weights, limit_bits);
            prop_assert!(kraft_sum_is_one(&lengths));
            prop_assert!(lengths.iter().all(|&length| u32::from(length) <= limit_bits));
            for (a, b) in weights.iter().zip(&lengths).zip(weights.iter().zip(&lengths).skip(1)) {
                prop_assert!(a.0 == b.0 || (a.0 > b.0) == (a.1 < b.1) || a.1 == b.1);
            }
        }
    }
}
