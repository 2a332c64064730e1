# The machine and the build/bench that a benchmark runs on. Sourced by bench/run and bench/run-solvers.
describe() {
  echo "cpu       $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)"
  echo "cores     $(nproc)"
  echo "memory    $(awk '/^MemTotal/ { printf "%.0f GiB", $2 / 1048576 }' /proc/meminfo)"
  echo "compiler  $("$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' build/bench/CMakeCache.txt)" --version | head -1)"
  echo "flags     $(sed -n 's/^CMAKE_BUILD_TYPE:[A-Z]*=//p' build/bench/CMakeCache.txt)"
  echo "revision  $(git describe --always --dirty)"
  echo "load      $(cut -d' ' -f1-3 /proc/loadavg) at the start"
}
