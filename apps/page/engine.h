// The engine of the page: a JSON question in, a JSON answer out (contract.ts). Compiled to WebAssembly for
// the page (wasm.cc), and natively for the tests that compare the two (native.cc).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "memory.h"

namespace worktop::page {

class Engine {
 public:
  // `progress` is called while a search runs; it answers whether to go on.
  explicit Engine(Memory::Progress progress) : memory_(std::move(progress)) {}
  // Never fails: what is wrong with a question is an answer, {"error": ...}.
  [[nodiscard]] std::string answer(std::string_view question);

 private:
  [[nodiscard]] base::Result<std::string> try_answer(std::string_view text);
  [[nodiscard]] base::Result<std::string> open(const format::JsonObject& question);
  [[nodiscard]] base::Result<std::string> ledger(const format::JsonObject& question);
  [[nodiscard]] base::Result<std::string> frontier(const format::JsonObject& question);
  [[nodiscard]] base::Result<std::string> plan(const format::JsonObject& question);
  [[nodiscard]] base::Result<std::string> benefit_ratio(const format::JsonObject& question);
  // Questions that show a plan in one way or another.
  [[nodiscard]] base::Result<std::string> show(format::Ask ask, const format::JsonObject& question);

  Memory memory_;
};

}  // namespace worktop::page
