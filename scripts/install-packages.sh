#!/usr/bin/env bash
# Installs the Debian packages that corecast builds with (Debian 12). With --tests also those of the tests and checks.
# Does nothing, and needs no root, when all of them are there.
set -euo pipefail

packages=(
  g++ cmake ninja-build pkg-config
  libboost-graph-dev libeigen3-dev nlohmann-json3-dev libcli11-dev libfmt-dev libtbb-dev libhwloc-dev
  libonnx-dev libprotobuf-dev protobuf-compiler libceres-dev libdnnl-dev libdnnl2 libopenblas0-pthread
)
if [[ "${1:-}" == "--tests" ]]; then
  packages+=(libsimgrid-dev doctest-dev librapidcheck-dev libbenchmark-dev clang libclang-rt-14-dev clang-format clang-tidy python3-onnx)
fi

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "ok installed" || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
  echo "packages: all ${#packages[@]} are installed"
  exit 0
fi

echo "packages: installing ${missing[*]}"
as_root=()
if ((EUID != 0)); then
  command -v sudo >/dev/null || { echo "install-packages: not root and no sudo; as root: apt-get install ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
