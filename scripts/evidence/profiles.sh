#!/usr/bin/env bash
# One onnxruntime profile at one thread for each model: what a user has who profiled once.
# Usage: profiles.sh OUTPUT_FOLDER NAME=FILE.onnx...    (writes NAME.bBATCH.json; BATCH=8 in the environment: another batch)
set -euo pipefail
output=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$output"
batch=${BATCH:-1}
for pair in "$@"; do
  name=${pair%%=*}
  target=$output/$name.b$batch.json
  [[ -s $target ]] || "$here/../measure/measure_onnxruntime.mjs" "$pair" --batch "$batch" --processes 0 --warmup 3 --repetitions 8 \
    --min-time 0.3 --budget 3 --profile "$target" || true # a model that cannot be profiled has no file
done
