#!/usr/bin/env bash
# What threads cost that have no CPU of their own, in the real onnxruntime: more intra-op threads than CPUs, a CPU quota
# below them, two processes at once; each with spinning on and off. For models given and a few built-in ones.
# Usage: contention.sh [--seconds S] CORECAST FOLDER [MODEL=FILE.onnx...]
#   FOLDER keeps exported models and runs.json. A call ends after about S seconds (default: when all is measured) with code 75
#   if there is more to do; the same call goes on from there. All models get a first round before any gets a second.
# Needs setup.sh to have been run, and the right to make control groups. About 3 minutes a model.
set -euo pipefail
seconds=86400
if [[ ${1:-} == --seconds ]]; then
  seconds=$2
  shift 2
fi
if (($# < 2)); then
  sed -n '2,/^set/{/^#/p}' "$0" >&2
  exit 1
fi
program=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
shift 2
here=$(cd "$(dirname "$0")" && pwd)
end=$((SECONDS + seconds))
unset OPENBLAS_CORETYPE # would make some libraries take another CPU's kernels

pairs=("$@")
# Branches, many small operators, weights that do not fit into caches, and a model of a fraction of a millisecond.
for name in mobilenet_v2 fork_join fc_4k wide_deep; do
  [[ -s $folder/$name.onnx ]] || "$program" model "$name" -o "$folder/$name.onnx" >&2
  pairs+=("$name=$folder/$name.onnx")
done

free=(--settings "intra=1-4,8 spin=on,off" --settings "instances=2 intra=1,2 spin=on,off")
quota=(--settings "quota=0.5,1.5 intra=1,2,4 spin=on,off")

# measure MODEL=FILE ROUNDS SETTINGS...
measure() {
  local pair=$1 rounds=$2 code=0 left=$((end - SECONDS))
  shift 2
  ((left > 0)) || exit 75
  timeout --foreground --preserve-status -s INT "$left" "$here/measure_onnxruntime.mjs" "$pair" "$@" \
    --processes "$rounds" --warmup 2 --repetitions 7 --min-time 0.5 --budget 4 -o "$folder/runs.json" || code=$?
  case $code in
    0 | 3) ;; # settings that failed stand in the result
    130) exit 75 ;;
    *) exit "$code" ;;
  esac
}

# A round under a quota spans 30 periods of throttling and is the longest of all: two of them.
for rounds in 1 2 3; do
  for pair in "${pairs[@]}"; do
    measure "$pair" "$rounds" "${free[@]}"
    if ((rounds < 3)); then measure "$pair" "$rounds" "${quota[@]}"; fi
  done
done
