#!/usr/bin/env bash
# How long `worktop --help` takes, best and median of 30 runs. Aim: below 20 ms.
#
#   bench/startup.sh [PROGRAM]
set -euo pipefail
cd "$(dirname "$0")/.."
program=${1:-build/bench/apps/cli/worktop}
[[ -x $program ]] || { echo "startup: $program is not built"; exit 1; }

for _ in {1..30}; do
  before=$(date +%s%N)
  "$program" --help >/dev/null
  echo $(($(date +%s%N) - before))
done | sort -n | awk '
  { ns[NR] = $1 }
  END { printf "worktop --help: best %.1f ms, median %.1f ms (process start included)\n", ns[1] / 1e6, ns[int((NR + 1) / 2)] / 1e6 }'
