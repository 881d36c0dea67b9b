#!/usr/bin/env bash
# Builds corecast for AArch64 on an x86-64 Debian 12 and runs the program and the tests that need no real hardware under
# qemu-user. Libraries for arm64 are unpacked into build/sysroot-aarch64, nothing of them is installed. As root or with
# sudo for the cross compiler and qemu; about 15 minutes on two cores.
set -euo pipefail
cd "$(dirname "$0")/.."

sysroot=$PWD/build/sysroot-aarch64
lists=$PWD/build/apt-arm64
packages=(
  libboost-graph-dev libeigen3-dev nlohmann-json3-dev libcli11-dev libfmt-dev libtbb-dev libhwloc-dev libonnx-dev
  libprotobuf-dev libceres-dev libblas-dev liblapack-dev libgfortran-12-dev
  doctest-dev librapidcheck-dev libdnnl-dev libstdc++-12-dev libc6-dev
)

echo "== cross compiler and emulator"
for tool in g++-aarch64-linux-gnu qemu-user ninja-build cmake; do
  dpkg-query -W -f='${Status}' "$tool" 2>/dev/null | grep -q "ok installed" || missing+=("$tool")
done
if [[ -n "${missing:-}" ]]; then
  as_root=(); ((EUID == 0)) || as_root=(sudo)
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

echo "== libraries for arm64 (build/sysroot-aarch64)"
if [[ ! -e $sysroot/.complete ]]; then
  mkdir -p "$lists"/{state/lists/partial,cache/archives/partial} "$sysroot"
  apt=(apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o Dir::State::lists="$lists/state/lists"
       -o Dir::Cache="$lists/cache" -o Dir::State::status=/dev/null -o Debug::NoLocking=1)
  "${apt[@]}" update
  "${apt[@]}" install -y --no-install-recommends --download-only "${packages[@]}" >/dev/null
  for archive in "$lists"/cache/archives/*.deb; do dpkg -x "$archive" "$sysroot"; done
  # Links of a Debian tree are absolute; seen from here they must stay inside.
  find "$sysroot" -type l -lname '/*' | while read -r link; do
    ln -sfn "$(realpath -m --relative-to="$(dirname "$link")" "$sysroot$(readlink "$link")")" "$link"
  done
  # What update-alternatives does for an installed library.
  for name in blas lapack; do
    for file in "$sysroot"/usr/lib/aarch64-linux-gnu/$name/lib$name.*; do
      ln -sfn "$name/$(basename "$file")" "$sysroot/usr/lib/aarch64-linux-gnu/$(basename "$file")"
    done
  done
  touch "$sysroot/.complete"
fi

echo "== build (build/aarch64)"
cmake --preset aarch64 -Wno-dev >/dev/null
cmake --build --preset aarch64

echo "== under qemu"
build/aarch64/cli/corecast machine list >/dev/null 2>&1 && { echo "this is no cross build" >&2; exit 1; } || true
qemu-aarch64 -L "$sysroot" build/aarch64/cli/corecast tune inception_v3 --machine graviton3 --top 3
ctest --preset aarch64
