//! A cycle-level GPU: when things happen.
