//! PTX text to checked kernels: scanner, parser, opcode table, control flow, liveness.
