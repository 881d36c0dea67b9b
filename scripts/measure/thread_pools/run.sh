#!/bin/sh
# Builds thread_pools.cpp with GNU's and with LLVM's OpenMP and runs both. Needs libeigen3-dev, libtbb-dev, libomp-dev.
set -eu
cd "$(dirname "$0")"
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
flags='-O2 -std=c++20 -fopenmp -pthread -I/usr/include/eigen3 thread_pools.cpp -ltbb'
g++ $flags -DNAME='"GNU OpenMP"' -DOTHERS=1 -o "$build/gnu"
clang++ $flags -DNAME='"LLVM OpenMP"' -DOTHERS=0 -o "$build/llvm"
grep -m1 'model name' /proc/cpuinfo
nproc
"$build/gnu"
"$build/llvm"
