#!/usr/bin/env bash
# Runs clang-tidy with the list in .clang-tidy over the sources of the program (not the tests). Makes a compile database of
# its own in build/tidy: without precompiled headers, which clang cannot read when g++ made them, and which would hide a
# missing include.
set -euo pipefail
cd "$(dirname "$0")/.."

cmake -S . -B build/tidy -G Ninja -DCMAKE_BUILD_TYPE=Release -DCORECAST_PCH=OFF -DCORECAST_TESTS=OFF -Wno-dev >/dev/null
mapfile -t files < <(git ls-files -co --exclude-standard -- \
  'base/*.cpp' 'graphs/*.cpp' 'hwmodels/*.cpp' 'sim/*.cpp' 'calibration/*.cpp' 'cli/*.cpp')
# Only what is compiled here: kernels of another processor are not in the database.
mapfile -t files < <(for file in "${files[@]}"; do grep -q "\"file\": \".*/$file\"" build/tidy/compile_commands.json && echo "$file"; done)
printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -n 4 clang-tidy -p build/tidy --quiet --extra-arg=-Wno-unknown-warning-option 2>/dev/null
echo "linter: ${#files[@]} files"
