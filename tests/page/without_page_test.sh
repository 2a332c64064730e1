#!/usr/bin/env bash
# The build can do without the page: nothing asks for node or zig then, and the program says that it has none. The
# argument is a build folder of its own. (What else is built is the same; it is not built twice.)
set -euo pipefail
build=$1
cmake --preset dev -B "$build" -DWORKTOP_PAGE=OFF -DWORKTOP_TESTS=OFF -DWORKTOP_PYTHON=OFF --log-level=WARNING
if grep -lE "ziglang|build\.mjs|page\.html" "$build/build.ninja"; then
  echo "the build without the page still makes it" >&2
  exit 1
fi
grep -q "apps/cli/worktop" "$build/build.ninja"
object=apps/cli/CMakeFiles/worktop.dir/page_text.cc.o
(cd "$build" && mkdir -p "$(dirname "$object")" && ninja -t commands "$object" | tail -n 1 | sh) # without what it waits for
grep -q "built without the page" "$build/$object"
