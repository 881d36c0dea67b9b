#!/usr/bin/env bash
# All checks from a clean clone: packages, formatting, a g++ build with warnings as errors and all tests, then the same tests
# built by clang with address and undefined-behaviour sanitizers. --quick leaves out the second build and the linter.
set -euo pipefail
cd "$(dirname "$0")/.."

quick=false
[[ "${1:-}" == "--quick" ]] && quick=true

begin=$SECONDS
step() { printf '\n== [%4d s] %s\n' "$((SECONDS - begin))" "$*"; }

step "Debian packages"
scripts/install-packages.sh --tests
step "formatting"
scripts/check-format.sh
step "build: g++, warnings as errors (build/ci)"
cmake --preset ci -Wno-dev >/dev/null
cmake --build --preset ci
step "tests"
ctest --preset ci
if ! $quick; then
  step "linter"
  scripts/check-tidy.sh
  step "build: clang, address and undefined-behaviour sanitizers (build/asan)"
  cmake --preset asan -Wno-dev >/dev/null
  cmake --build --preset asan
  step "tests under the sanitizers"
  ctest --preset asan
fi
step "all checks passed"
