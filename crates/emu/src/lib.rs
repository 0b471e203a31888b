//! What a PTX instruction means: warps, lanes, SIMT stack, memory spaces.
