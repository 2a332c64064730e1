#!/usr/bin/env bash
# The program builds without the page, and then says so. The argument is a build folder of its own.
set -euo pipefail
build=$1
cmake --preset dev -B "$build" -DWORKTOP_PAGE=OFF -DWORKTOP_TESTS=OFF -DWORKTOP_TORCH=OFF --log-level=WARNING
cmake --build "$build" -j2 --target worktop
if "$build/apps/cli/worktop" page --out "$build/page.html" 2>"$build/said"; then
  echo "it wrote a page that it does not have" >&2
  exit 1
fi
grep -q "built without the page" "$build/said"
[[ ! -e $build/page.html ]]
