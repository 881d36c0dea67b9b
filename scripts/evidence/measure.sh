#!/usr/bin/env bash
# Measures onnxruntime on this host as for data/evidence (Granite Rapids: a part of it): built-in models and those given, intra-op 1, 2, 3, 4, 8,
# one and two instances, spinning and not, and the two executors of 1.13.1. An interrupted call goes on. About 3 hours on 2 CPUs.
# Usage: measure.sh CORECAST OUTPUT_FOLDER [NAME=FILE.onnx...]
set -euo pipefail
if (($# < 2)); then
  sed -n '2,/^set/{/^#/p}' "$0" >&2
  exit 1
fi
program=$(realpath "$1")
mkdir -p "$2"
output=$(realpath "$2")
shift 2
unset OPENBLAS_CORETYPE # would make some libraries take another CPU's kernels
small="ncf wide_deep fc_512 mobilenet_v1 mobilenet_v2 shufflenet random_dag squeezenet1_0 squeezenet1_1 fork_join inception_v2"
middle="resnet50 densenet121 googlenet alexnet inception_v3 resnext50 gpt2_decode fc_4k matmul_512"
large="dlrm bert_base transformer lstm gpt2 vgg19 ssd300 llama_1b_decode"

# take NAME MODEL BATCH AXES... : one file of each grid
take() {
  local name=$1 model=$2 batch=$3
  shift 3
  local grid=0
  for axes in "$@"; do
    grid=$((grid + 1))
    local version=current
    [[ $axes == legacy:* ]] && version=legacy
    "$program" measure "$model" --batch "$batch" --framework-version $version --axes "${axes#legacy:}" \
      -o "$output/$name.b$batch.$grid.csv" || echo "$name, batch $batch, $axes: not measured" >&2
  done
}
full=("intra=1,2,3,4,8 spin=on,off instances=1,2")
legacy=("legacy:intra=1,2,3,4,8" "legacy:mode=parallel inter=2 intra=1,2,4" "legacy:mode=parallel inter=4 intra=1")
few=("intra=1,2,4 spin=on" "intra=2,4 spin=off")
for pair in "$@"; do take "${pair%%=*}" "${pair#*=}" 1 "${full[@]}" "${legacy[@]}"; done
for batch in 1 8; do
  for name in $small; do take "$name" "$name" $batch "${full[@]}" "${legacy[@]}"; done
done
for name in $middle; do take "$name" "$name" 1 "${full[@]}" "${legacy[@]}"; done
for name in $middle; do take "$name" "$name" 8 "${few[@]}"; done
for name in $large; do take "$name" "$name" 1 "${few[@]}"; done
