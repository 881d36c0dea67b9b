#!/usr/bin/env bash
# Every built-in model in the real onnxruntime beside its forecast: exports them, runs them at intra-op 1 and 2,
# sequential, and prints a Markdown table.
# Usage: measure_workloads.sh CORECAST FOLDER [NAME...]   (FOLDER keeps models and runs; a second call adds to them)
# Needs setup.sh to have been run. About 10 s for each model; dlrm and llama_1b_decode need 5 GB of memory, matmul_4k a minute.
set -euo pipefail
program=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
shift 2
here=$(cd "$(dirname "$0")" && pwd)

names=("$@")
if ((${#names[@]} == 0)); then
  mapfile -t names < <("$program" model list --json | node -e '
    const { models } = JSON.parse(require("fs").readFileSync(0));
    for (const model of models) console.log(model.name);')
fi
pairs=()
for name in "${names[@]}"; do
  "$program" model "$name" -o "$folder/$name.onnx" >&2
  pairs+=("$name=$folder/$name.onnx")
done
"$here/measure_onnxruntime.mjs" "${pairs[@]}" --intra 1,2 --processes 3 --repetitions 5 --min-time 0.3 --budget 3 \
  -o "$folder/runs.json" >&2
"$here/compare_forecast.mjs" "$folder/runs.json" "$program" "${pairs[@]}"
