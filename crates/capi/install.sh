#!/usr/bin/env bash
# install.sh PREFIX [PROFILE]: builds the C library and puts header, shared and static library and pkg-config file under
# PREFIX. PROFILE is release unless told.
set -euo pipefail
prefix="$(realpath -m "${1:?usage: install.sh PREFIX [PROFILE]}")"
profile="${2:-release}"
cd "$(dirname "$0")/../.."
cargo build --quiet --locked --package shrinkwarp-capi --profile "$profile"
built="${CARGO_TARGET_DIR:-target}/$([ "$profile" = dev ] && echo debug || echo "$profile")"
version="$(cargo pkgid --package shrinkwarp-capi | sed 's/.*[#@]//')"
mkdir -p "$prefix/lib/pkgconfig" "$prefix/include"
install -m 644 crates/capi/include/shrinkwarp_codec.h "$prefix/include/"
install -m 755 "$built/libshrinkwarp_capi.so" "$prefix/lib/libshrinkwarp_codec.so.$version"
ln -sf "libshrinkwarp_codec.so.$version" "$prefix/lib/libshrinkwarp_codec.so.0"
ln -sf libshrinkwarp_codec.so.0 "$prefix/lib/libshrinkwarp_codec.so"
install -m 644 "$built/libshrinkwarp_capi.a" "$prefix/lib/libshrinkwarp_codec.a"
sed -e "s|@PREFIX@|$prefix|" -e "s|@VERSION@|$version|" crates/capi/shrinkwarp_codec.pc.in \
  >"$prefix/lib/pkgconfig/shrinkwarp_codec.pc"
