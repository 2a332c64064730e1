// Runs the micro-steps of one model: opens a Step for each forward, and closes it, with what was seen, when
// the next one begins.
//
// Which mode and which program a micro-step has is the caller's choice (python/worktop); everything between
// `begin` and `finish` happens without it. One thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "profile.h"
#include "runtime/store.h"
#include "step.h"

namespace worktop::adapter {

struct ExecutorOptions {
  runtime::StoreOptions store;
};

class Executor {
 public:
  [[nodiscard]] static base::Result<std::unique_ptr<Executor>> open(const ExecutorOptions& options);
  ~Executor();

  // A forward begins. `lasting` are the model's parameters and buffers and the step's inputs. With `log`,
  // `finish` gives what a profile needs.
  void begin(Mode mode, std::shared_ptr<const Program> program, const std::vector<at::Tensor>& lasting,
             bool log);
  void end_forward();
  // The step is over as far as its time is concerned (the optimizer has stepped).
  void end_step();
  // What was seen since `begin`; its peak is that until now.
  [[nodiscard]] Record finish();
  [[nodiscard]] bool running() const { return step_ != nullptr; }
  [[nodiscard]] const runtime::Store* store() const { return store_.get(); }

 private:
  Executor() = default;
  std::shared_ptr<runtime::Store> store_;  // none: no lower tier
  machine::Tier capture_tier_ = machine::Tier::disk;
  std::shared_ptr<Step> step_;
  std::uint64_t next_number_ = 1;
  EventLog log_;
  bool logging_ = false;
  std::size_t last_ops_ = 0, last_values_ = 0;  // of the tape before
  std::int64_t live_at_begin_ = 0, began_ns_ = 0, ended_ns_ = 0;
};

}  // namespace worktop::adapter
