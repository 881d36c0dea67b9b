#!/usr/bin/env bash
# Runs clang-tidy with the list in .clang-tidy over the sources of the program (not the tests). Wants a build directory
# with compile_commands.json.
set -euo pipefail
cd "$(dirname "$0")/.."

build=${1:-build/dev}
mapfile -t files < <(git ls-files -co --exclude-standard -- 'base/*.cpp' 'graphs/*.cpp' 'hwmodels/*.cpp' 'sim/*.cpp' 'cli/*.cpp')
printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -n 4 clang-tidy -p "$build" --quiet --extra-arg=-Wno-unknown-warning-option 2>/dev/null
echo "linter: ${#files[@]} files"
