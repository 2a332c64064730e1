// The kitchen's ledger: a hundred dishes of 3 GB beside a base of 12 GB, cooked in 120 s, and a corridor to
// the store room of 50 GB/s or, narrow, of 2 GB/s. Prints what each way of treating the dishes costs at
// several prices of memory, then the whole answer for the narrow corridor.
#include <cstdio>

#include "cost/ledger.h"
#include "format/ledger_text.h"

namespace {

using namespace worktop;

cost::LedgerQuestion kitchen(double lambda, double bandwidth_gb_per_s) {
  cost::LedgerQuestion question;
  question.kitchen = {.layers = 100,
                      .activation_gb = 3,
                      .base_gb = 12,
                      .forward_s = 120,
                      .bandwidth_gb_per_s = bandwidth_gb_per_s};
  question.weights = cost::Weights::of(lambda);
  question.segments = 10;
  return question;
}

bool print_costs(double bandwidth_gb_per_s) {
  std::printf("Cost with a corridor of %g GB/s\n%8s", bandwidth_gb_per_s, "lambda");
  for (const char* name : {"keep_all", "checkpoint", "offload_all"}) std::printf("%13s", name);
  std::printf("  winner\n");
  for (double lambda : {0.2, 0.3, 0.5, 0.8}) {
    const auto ledger = cost::make_ledger(kitchen(lambda, bandwidth_gb_per_s));
    if (!ledger) return false;
    std::printf("%8.1f", lambda);
    for (const cost::LedgerRow& row : ledger->rows)
      if (row.competes) std::printf("%13.1f", row.cost);
    const std::string_view winner = ledger->best ? name_of(*ledger->best) : "none";
    std::printf("  %.*s\n", static_cast<int>(winner.size()), winner.data());
  }
  std::printf("\n");
  return true;
}

}  // namespace

int main() {
  if (!print_costs(50) || !print_costs(2)) return 1;
  const auto ledger = cost::make_ledger(kitchen(0.3, 2));
  if (!ledger) return 1;
  std::fputs(format::ledger_text(*ledger).c_str(), stdout);
}
