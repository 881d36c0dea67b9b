#!/usr/bin/env bash
# Makes the tables of docs/evidence again.
# Usage: run.sh CORECAST E2E_FOLDER MODELS_FOLDER WORK_FOLDER
#   E2E_FOLDER     packrat_single_instance.csv and bert_8275cl.csv: figures of github msr-fiddle/packrat (data branch) and of a
#                  huggingface blog, in the columns of calibration/evidence/README.md
#   MODELS_FOLDER  NAME.onnx of the models of data/evidence that are not built in (public models; without one its rows are skipped)
#   WORK_FOLDER    keeps fits, exported models and profiles; a second call uses what is there
# Needs Node; for profiles onnxruntime-node (scripts/measure/setup.sh) and a quiet machine, the one of data/evidence.
# What was measured on that host is kept in data/evidence; scripts/evidence/measure.sh measures it again (hours).
set -euo pipefail
if (($# != 4)); then
  sed -n '2,/^set/{/^#/p}' "$0" >&2
  exit 1
fi
program=$(realpath "$1")
e2e=$(realpath "$2")
models=$(realpath "$3")
mkdir -p "$4"
work=$(realpath "$4")
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

[[ -d $work/fits ]] || "$here/whole_model_fit.mjs" "$program" "$here/pytorch_fit.json" "$e2e/packrat_single_instance.csv" "$work/fits" >"$work/fits.json"
"$here/xeon.mjs" "$program" "$e2e" "$work/fits" >"$work/xeon.md"
mv "$work/xeon.md" "$root/docs/evidence/xeon.md"

measured=$root/data/evidence/onnxruntime-zen5-1x2.csv
mkdir -p "$work/models"
for batch in 1 8; do
  pairs=()
  for name in $(awk -F, -v batch=$batch 'NR > 1 && $7 == batch { print $4 }' "$measured" | sort -u); do
    file=$models/$name.onnx
    if [[ ! -s $file ]]; then
      file=$work/models/$name.b$batch.onnx
      [[ -s $file ]] || "$program" model "$name" --batch $batch -o "$file" >/dev/null 2>&1 || continue
    fi
    pairs+=("$name=$file")
  done
  BATCH=$batch "$here/profiles.sh" "$work/profiles" "${pairs[@]}"
done
"$here/host.mjs" "$program" "$measured" "$root/data/evidence/zen5-1x2.json" --models "$models" --profiles "$work/profiles" \
  --plot "$root/docs/evidence/host.svg" \
  >"$work/host.md"
mv "$work/host.md" "$root/docs/evidence/host.md"
