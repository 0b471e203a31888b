//! The codes of trained codecs: whose blocks they are made of, and when they change.
//!
//! | `code_scope` | code                                                                                                |
//! |--------------|-----------------------------------------------------------------------------------------------------|
//! | `gpu`        | one for all L1s: LATTE-CC's paper counts one set of tables for the GPU                              |
//! | `l1`         | one for each L1, of its own blocks                                                                  |
//!
//! Every L1 shows the book the blocks that arrive in its warm-up and in the last EP of each of its periods. The first L1 of
//! a book that begins period *p* closes the sample; the code made of it is the code of all L1s of the book from
//! then on, and each forgets its lines under the old one before its next access or fill. Our interpretation where the paper
//! is silent: L1s count their EPs apart, so one of them has to be the first.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shrinkwarp_codec::BlockCodec;

use super::retraining::Retraining;
use crate::base::{BLOCK_BYTES, CodecUnitSpec};

/// A code book; copies are the same book.
#[derive(Clone, Debug)]
pub struct CodeBook(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// The edition of `codes`, so that an L1 can see without a lock that its own is the newest.
    edition: AtomicU64,
    pages: Mutex<Pages>,
}

#[derive(Debug)]
struct Pages {
    /// By codec; `None` if it needs no training.
    retrainings: Vec<Option<Retraining>>,
    /// By codec: its code once it has one.
    codes: Vec<Option<Code>>,
    /// Periods begun by the L1 that is furthest.
    periods: u64,
}

struct Code {
    codec: Arc<dyn BlockCodec>,
    /// The edition that it is new in.
    edition: u64,
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "code of edition {}", self.edition)
    }
}

impl CodeBook {
    /// An empty book for these codecs; `None` if none of them is trained.
    pub fn of(codecs: &[CodecUnitSpec], vft_entries: usize, vft_counter_bits: u32) -> Option<Self> {
        let retraining = |codec: &CodecUnitSpec| Retraining::of(&codec.name, vft_entries, vft_counter_bits);
        let retrainings: Vec<_> = codecs.iter().map(retraining).collect();
        if retrainings.iter().all(Option::is_none) {
            return None;
        }
        let codes = retrainings.iter().map(|_| None).collect();
        let pages = Mutex::new(Pages { retrainings, codes, periods: 0 });
        Some(Self(Arc::new(Shared { edition: AtomicU64::new(0), pages })))
    }

    /// Whether codec number `index` is trained, so that it has no code at first.
    pub fn trains(&self, index: usize) -> bool {
        self.pages().retrainings.get(index).is_some_and(Option::is_some)
    }

    /// Adds a block to the sample.
    pub fn observe(&self, block: &[u8; BLOCK_BYTES]) {
        for retraining in self.pages().retrainings.iter_mut().flatten() {
            retraining.observe(block);
        }
    }

    /// An L1 begins its period number `period`, from 1 on. Returns how many codes were made of the sample.
    pub fn begin_period(&self, period: u64) -> u64 {
        let mut pages = self.pages();
        if period <= pages.periods {
            return 0;
        }
        pages.periods = period;
        let edition = self.edition() + 1;
        let made: Vec<_> =
            pages.retrainings.iter_mut().map(|retraining| retraining.as_mut()?.finish()).collect();
        let mut count = 0;
        for (code, made) in pages.codes.iter_mut().zip(made) {
            if let Some(codec) = made {
                *code = Some(Code { codec, edition });
                count += 1;
            }
        }
        self.0.edition.store(edition, Ordering::Relaxed);
        count
    }

    /// The newest edition.
    #[inline]
    pub fn edition(&self) -> u64 {
        self.0.edition.load(Ordering::Relaxed)
    }

    /// Codes that an L1 with an older edition lacks, with the numbers of their codecs.
    pub fn codes_since(&self, edition: u64) -> Vec<(usize, Arc<dyn BlockCodec>)> {
        let pages = self.pages();
        let codes = pages.codes.iter().enumerate().filter_map(|(index, code)| Some((index, code.as_ref()?)));
        codes
            .filter(|(_, code)| code.edition > edition)
            .map(|(index, code)| (index, Arc::clone(&code.codec)))
            .collect()
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.0.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
