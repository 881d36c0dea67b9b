#!/bin/sh
# run.sh MODELS VERSION INTRA OUTPUT [PATTERN [OPTION...]]: measures all models of the folder (or those whose case matches the
# shell pattern) in PROCESSES rounds (3). An interrupted run goes on where it was.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
models=$1 version=$2 intra=$3 output=$4 pattern=${5:-*}
[ $# -gt 5 ] && shift 5 || shift $#
# One thread runs on CPU 1: interrupts mostly go to CPU 0.
cpus=1; [ "$intra" -gt 1 ] && cpus=0-$((intra - 1))
[ $# -gt 0 ] || set -- --settings "intra=$intra"
set -- "$@" --version "$version" --processes "${PROCESSES:-3}" --min-time 0.1 -o "$output"
for file in "$models"/$pattern.*.onnx; do
    name=${file##*/}
    set -- "$@" "${name%.onnx}=$file"
done
exec "$here/quiet.sh" "$cpus" node "$here/../measure_onnxruntime.mjs" "$@"
