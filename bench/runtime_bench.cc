// How fast copies go out, in and both ways on this machine, through the store.
//
//   runtime_bench [FOLDER]   FOLDER is on the disk to be measured; /var/tmp if none is named
//
// Each line is the best of five measurements of 256 MiB each way (src/runtime/measure.h), since other users
// of the machine only make it slower; latency is the least of the five medians.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "runtime/measure.h"
#include "runtime/store.h"

namespace {

using namespace worktop;
using base::Bytes;
using machine::Tier;

double gb(base::BytesPerSecond rate) {
  return rate.per_second / 1e9;
}

bool report(runtime::Store& store, Tier tier, Bytes value) {
  runtime::LinkSpeed best;
  for (int round = 0; round < 5; ++round) {
    const auto speed = runtime::measure(store, tier, {.bytes = Bytes{256 << 20}, .value = value});
    if (!speed) {
      fmt::print("{}: {}\n", name_of(tier), speed.error().what);
      return false;
    }
    const auto better = [](base::BytesPerSecond& a, base::BytesPerSecond b) {
      a.per_second = std::max(a.per_second, b.per_second);
    };
    better(best.out, speed->out), better(best.in, speed->in);
    better(best.out_both_ways, speed->out_both_ways), better(best.in_both_ways, speed->in_both_ways);
    best.out_latency = round == 0 ? speed->out_latency : std::min(best.out_latency, speed->out_latency);
    best.in_latency = round == 0 ? speed->in_latency : std::min(best.in_latency, speed->in_latency);
  }
  fmt::print(
      "{:<5} values of {:>5} KiB   out {:5.2f}  in {:5.2f}   both ways: out {:5.2f}  in {:5.2f} GB/s   ",
      name_of(tier), value.count() / 1024, gb(best.out), gb(best.in), gb(best.out_both_ways),
      gb(best.in_both_ways));
  fmt::print("latency: out {:3} in {:3} us\n", best.out_latency.count() / 1000,
             best.in_latency.count() / 1000);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : "/var/tmp";
  const auto store =
      runtime::Store::open({.host = runtime::HostOptions{}, .disk = runtime::DiskOptions{folder, {}}});
  if (!store) {
    fmt::print("runtime_bench: {} ({})\n", store.error().what, store.error().where);
    return 1;
  }
  bool good = true;
  for (const Tier tier : {Tier::host, Tier::disk})
    for (const std::int64_t kib : {256, 1024, 8192}) good = report(**store, tier, base::kKiB * kib) && good;
  const auto stats = (*store)->stats();
  fmt::print("direct I/O: {}\n", stats.direct_io ? "yes" : stats.disk_note);
  return good ? 0 : 1;
}
