#!/bin/sh
# run.sh THREADS OUTPUT.json [PATTERN] [--script]: measure.py, pinned, before others, with a malloc that keeps its memory.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cpus=1; [ "$1" -gt 1 ] && cpus=0-$(($1 - 1))
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE
export OPENBLAS_NUM_THREADS="$1" OMP_NUM_THREADS="$1"
export MALLOC_MMAP_THRESHOLD_=1099511627776 MALLOC_TRIM_THRESHOLD_=1099511627776 MALLOC_TOP_PAD_=536870912
exec "$here/../kernel_priors/quiet.sh" "$cpus" "${PYTHON:-/usr/bin/python3}" "$here/measure.py" "$@"
