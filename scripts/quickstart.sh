#!/usr/bin/env bash
# From a clean clone to a first answer: installs the packages, builds the release preset and forecasts the best setting
# of Inception-v3 for this host. Arguments are passed on to `corecast tune`.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s\n' "$*" >&2; }

step "1/3 Debian packages"
scripts/install-packages.sh >&2
step "2/3 build (release, into build/release)"
cmake --preset release -Wno-dev >/dev/null
cmake --build --preset release >&2
step "3/3 corecast tune inception_v3"
build/release/cli/corecast tune inception_v3 "$@"
