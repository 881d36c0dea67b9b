#!/usr/bin/env bash
# Makes the tables of docs/evidence again.
# Usage: run.sh CORECAST E2E_FOLDER MODELS_FOLDER WORK_FOLDER
#   E2E_FOLDER     packrat_single_instance.csv and bert_8275cl.csv: figures of github msr-fiddle/packrat (data branch) and of a
#                  huggingface blog, in the columns of calibration/evidence/README.md
#   MODELS_FOLDER  NAME.onnx of the models of data/evidence that are not built in (public models; without one its rows are skipped)
#   WORK_FOLDER    keeps fits, exported models and profiles; a second call uses what is there
# Needs Node; for profiles (HOST=NAME, one of the hosts below) onnxruntime-node (scripts/measure/setup.sh) and that machine, quiet.
# What was measured on the hosts is kept in data/evidence; scripts/evidence/measure.sh measures it again (hours).
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

# host NAME TITLE OPTIONS...: profiles are of one host, so NAME's are made only where WORK_FOLDER/profiles-NAME is there already or HOST=NAME says
# that this is it.
host() {
  local name=$1 title=$2
  shift 2
  local measured=$root/data/evidence/onnxruntime-$name.csv profiles=$work/profiles-$name
  mkdir -p "$work/models"
  if [[ ${HOST:-} == "$name" ]]; then
    for batch in 1 8; do
      pairs=()
      for model in $(awk -F, -v batch=$batch 'NR > 1 && $7 == batch { print $4 }' "$measured" | sort -u); do
        file=$models/$model.onnx
        if [[ ! -s $file ]]; then
          file=$work/models/$model.b$batch.onnx
          [[ -s $file ]] || "$program" model "$model" --batch $batch -o "$file" >/dev/null 2>&1 || continue
        fi
        pairs+=("$model=$file")
      done
      BATCH=$batch "$here/profiles.sh" "$profiles" "${pairs[@]}"
    done
  fi
  local more=()
  [[ -d $profiles ]] && more=(--profiles "$profiles")
  "$here/host.mjs" "$program" "$measured" "$root/data/evidence/$name.json" --title "$title" --models "$models" "${more[@]}" \
    --plot "$root/docs/evidence/$name.svg" "$@" >"$work/$name.md"
  mv "$work/$name.md" "$root/docs/evidence/$name.md"
}
fitted=$root/data/evidence/granite-rapids-1x2
host zen5-1x2 "onnxruntime on two CPUs of an AMD EPYC (Zen 5)" --elsewhere "$fitted.onnxruntime.json" --elsewhere "$fitted.onnxruntime-1.13.json"
host granite-rapids-1x2 "onnxruntime on two CPUs of an Intel Xeon (Granite Rapids)" \
  --runtime "$fitted.onnxruntime.json" --runtime "$fitted.onnxruntime-1.13.json" --elsewhere shipped
