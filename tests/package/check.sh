#!/usr/bin/env bash
# Makes the .tar.gz of a build directory and runs the program out of it: it must need no library but those of the C library.
# Usage: check.sh BUILD_DIRECTORY
set -euo pipefail

build=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

(cd "$folder" && cpack --config "$build/CPackConfig.cmake" -G TGZ -B "$folder" >cpack.log 2>&1) || { cat "$folder/cpack.log"; exit 1; }
mkdir "$folder/elsewhere"
tar -xzf "$folder"/corecast-*.tar.gz -C "$folder/elsewhere" --strip-components=1
program=$folder/elsewhere/bin/corecast

outside=$(env -u LD_LIBRARY_PATH ldd "$program" | grep -vE "$folder/elsewhere/|linux-vdso|ld-linux|lib(c|m|dl|rt|pthread|resolv|util)\.so" || true)
if [[ -n $outside ]]; then
  echo "libraries from outside of the package:"
  echo "$outside"
  exit 1
fi
env -u CORECAST_DATA -u LD_LIBRARY_PATH "$program" machine list | grep -q '^xeon-8180 '
env -u CORECAST_DATA -u LD_LIBRARY_PATH "$program" tune inception_v3 --machine xeon-8180 --top 1 >/dev/null
needs=$(objdump -T "$program" | grep -o 'GLIBC_[0-9.]*' | sort -V | tail -1)
echo "package: $(du -h "$folder"/corecast-*.tar.gz | cut -f1), $(ls "$folder/elsewhere"/lib*/corecast | wc -l) libraries along, needs $needs"
