// The door between JavaScript and the engine: bytes in a buffer that the engine owns.
//
//   const at = question(bytes); write the question there; const n = answer();
//   the answer: n bytes at answer_at(), until the next call.
//
// Progress goes to stderr, a line each: "progress " and JSON (contract.ts, Progress). A trap means that our
// code is wrong or that memory has run out: the instance must not be used again.
#include <cstdint>
#include <cstdio>
#include <string>

#include "engine.h"

namespace {

bool report(const worktop::solver::Progress& progress) {
  worktop::format::JsonWriter w;
  w.begin_object().member("doing", progress.doing).member("units_done", progress.units_done);
  w.member("units_total", progress.units_total).key("best_step_ns").value(progress.best_step_ns).end();
  const std::string line = "progress " + std::move(w).take() + '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
  return true;
}

struct Door {
  worktop::page::Engine engine{report};
  std::string question, answer;
};

Door& door() {
  static Door* const only = new Door;  // never destroyed: the instance just ends
  return *only;
}

}  // namespace

#define WORKTOP_EXPORT(name) extern "C" __attribute__((export_name(#name), used))

WORKTOP_EXPORT(question) char* worktop_question(std::uint32_t bytes) {
  door().question.resize(bytes);
  return door().question.data();
}

WORKTOP_EXPORT(answer) std::uint32_t worktop_answer() {
  door().answer = door().engine.answer(door().question);
  return static_cast<std::uint32_t>(door().answer.size());
}

WORKTOP_EXPORT(answer_at) const char* worktop_answer_at() {
  return door().answer.data();
}
