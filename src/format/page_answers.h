// The answers to the page, as JSON on one line: formats "worktop-page-...", version 1. apps/page/contract.ts
// has their types, docs/schema/page.schema.json their schema.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "advisor/ledger_truth.h"
#include "advisor/plan_detail.h"
#include "advisor/ratio_question.h"
#include "advisor/trade_off.h"
#include "cost/winner_map.h"
#include "format/opened_file.h"
#include "report/lifetimes.h"
#include "report/memory_over_time.h"

namespace worktop::format {

// Scenarios, and the models and machines that are known by name.
[[nodiscard]] base::Result<std::string> page_lists_json();

[[nodiscard]] std::string page_open_json(const std::string& id, const OpenedFile& file);

// `derived`: the kitchen was read off a step graph. `map`: if it was asked for.
[[nodiscard]] std::string page_ledger_json(const advisor::LedgerTruth& truth, bool derived,
                                           const std::optional<cost::WinnerMap>& map);

[[nodiscard]] std::string page_frontier_json(const advisor::TradeOff& answer, solver::Effort effort,
                                             std::span<const Measured> measured);

[[nodiscard]] std::string page_plan_json(const advisor::PlanDetail& detail, solver::Effort effort);

// Plays the plan. `most`: columns of memory, and spans of a lane.
[[nodiscard]] std::string page_timeline_json(const advisor::Subject& subject, const solver::Planned& planned,
                                             const std::string& name, base::Bytes limit, std::int32_t most);

// `most` rows.
[[nodiscard]] std::string page_activations_json(const advisor::Subject& subject,
                                                const solver::Planned& planned, const std::string& name,
                                                std::int32_t most);

// With the members of the rows whose labels are in `unfold`.
[[nodiscard]] std::string page_ratio_json(const advisor::RatioAnswer& answer, solver::Effort effort,
                                          std::span<const std::string> unfold);

}  // namespace worktop::format
