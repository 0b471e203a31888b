//! One source, two machine codes: functions compiled for any CPU and again for CPUs with AVX2.
//!
//! The codecs write their loops over arrays of known length, which the compiler turns into vector instructions. The
//! wider ones are used where the running CPU has them. Both give the same bits because they are the same source.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;

/// Whether this CPU has the instructions that [`accelerated`] compiles for.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn is_accelerated() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

/// Calls an `#[inline(always)]` function, compiled for AVX2 where the CPU has it.
///
/// `accelerated!(portable as fn[const N: usize](block: &[u8; N]) -> u32)` calls `portable::<N>(block)`, and
/// `accelerated!(portable as fn[C: Code](code: &C) -> u32)` calls `portable::<C>(code)`. With `; WIDE` after constant
/// generics the function gets one more: whether it is the copy for AVX2, and may use its intrinsics.
macro_rules! accelerated {
    ($portable:ident as fn[$generic:ident: $bound:path]($($arguments:tt)*) -> $result:ty) => {
        $crate::simd::accelerated!(
            @ [$generic: $bound] [$generic] [$portable::<$generic>] [$portable::<$generic>] ($($arguments)*) -> $result
        )
    };
    ($portable:ident as fn[$(const $generic:ident: $kind:ty),*; WIDE]($($arguments:tt)*) -> $result:ty) => {
        $crate::simd::accelerated!(
            @ [$(const $generic: $kind),*] [$($generic),*]
            [$portable::<$($generic,)* true>] [$portable::<$($generic,)* false>] ($($arguments)*) -> $result
        )
    };
    ($portable:ident as fn[$(const $generic:ident: $kind:ty),*]($($arguments:tt)*) -> $result:ty) => {
        $crate::simd::accelerated!(
            @ [$(const $generic: $kind),*] [$($generic),*]
            [$portable::<$($generic),*>] [$portable::<$($generic),*>] ($($arguments)*) -> $result
        )
    };
    // Generics as they are declared and as they are named, and what is called with AVX2 and without.
    (
        @ [$($declared:tt)*] [$($generics:tt)*] [$($wide:tt)*] [$($narrow:tt)*]
        ($($argument:ident: $type:ty),*) -> $result:ty
    ) => {{
        #[cfg(target_arch = "x86_64")]
        if $crate::simd::is_accelerated() {
            #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
            fn with_avx2<$($declared)*>($($argument: $type),*) -> $result {
                $($wide)*($($argument),*)
            }
            // SAFETY: the running CPU has just been found to have these features.
            return unsafe { with_avx2::<$($generics)*>($($argument),*) };
        }
        $($narrow)*($($argument),*)
    }};
}

pub(crate) use accelerated;

/// `compress`, `decompress` and `sizes_bits` of a codec without state: the functions `compress`, `decompress` and `size_all`
/// of its file with these constant generics, each [`accelerated`].
macro_rules! accelerated_methods {
    [$($generics:tt)*] => {
        fn compress(&self, block: &[u8], out: &mut $crate::bits::BitWriter) {
            $crate::simd::accelerated!(
                compress as fn[$($generics)*](block: &[u8], out: &mut $crate::bits::BitWriter) -> ()
            );
        }

        fn decompress(
            &self,
            bits: &mut $crate::bits::BitReader<'_>,
            block: &mut [u8],
        ) -> Result<(), $crate::error::DecodeError> {
            $crate::simd::accelerated!(
                decompress as fn[$($generics)*](bits: &mut $crate::bits::BitReader<'_>, block: &mut [u8])
                    -> Result<(), $crate::error::DecodeError>
            )
        }

        fn sizes_bits(&self, data: &[u8], sizes: &mut [u32]) {
            $crate::simd::accelerated!(size_all as fn[$($generics)*](data: &[u8], sizes: &mut [u32]) -> ());
        }
    };
}

pub(crate) use accelerated_methods;

/// The same and `decompress_each` of a codec with state: the functions `compress`, `decompress`, `decompress_each` and
/// `sizes_bits` of its file, which take the codec first.
macro_rules! accelerated_methods_of {
    ($codec:ty as [$($generics:tt)*]) => {
        fn compress(&self, block: &[u8], out: &mut $crate::bits::BitWriter) {
            let codec = self;
            $crate::simd::accelerated!(
                compress as fn[$($generics)*](codec: &$codec, block: &[u8], out: &mut $crate::bits::BitWriter) -> ()
            );
        }

        fn decompress(
            &self,
            bits: &mut $crate::bits::BitReader<'_>,
            block: &mut [u8],
        ) -> Result<(), $crate::error::DecodeError> {
            let codec = self;
            $crate::simd::accelerated!(
                decompress as fn[$($generics)*](codec: &$codec, bits: &mut $crate::bits::BitReader<'_>, block: &mut [u8])
                    -> Result<(), $crate::error::DecodeError>
            )
        }

        fn decompress_each(
            &self,
            encodings: &[$crate::bits::BitReader<'_>],
            blocks: &mut [u8],
        ) -> Result<(), (usize, $crate::error::DecodeError)> {
            let codec = self;
            $crate::simd::accelerated!(
                decompress_each as fn[$($generics)*](
                    codec: &$codec, encodings: &[$crate::bits::BitReader<'_>], blocks: &mut [u8]
                ) -> Result<(), (usize, $crate::error::DecodeError)>
            )
        }

        fn sizes_bits(&self, data: &[u8], sizes: &mut [u32]) {
            let codec = self;
            $crate::simd::accelerated!(
                sizes_bits as fn[$($generics)*](codec: &$codec, data: &[u8], sizes: &mut [u32]) -> ()
            );
        }
    };
}

pub(crate) use accelerated_methods_of;
