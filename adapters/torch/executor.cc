#include "executor.h"

#include <chrono>

#include "meter.h"
#include "own_doing.h"
#include "recorder.h"

namespace worktop::adapter {
namespace {

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

base::Result<std::unique_ptr<Executor>> Executor::open(const ExecutorOptions& options) {
  std::unique_ptr<Executor> executor(new Executor);
  if (options.store.host || options.store.disk) {
    WORKTOP_TRY(std::unique_ptr<runtime::Store> store, runtime::Store::open(options.store));
    executor->store_ = std::move(store);
    executor->capture_tier_ = options.store.host ? machine::Tier::host : machine::Tier::disk;
  }
  return executor;
}

Executor::~Executor() {
  if (step_) (void)finish();
}

void Executor::begin(Mode mode, std::shared_ptr<const Program> program,
                     const std::vector<at::Tensor>& lasting, bool log) {
  if (step_) (void)finish();
  Meter& meter = Meter::instance();
  logging_ = log;
  log_.clear();
  step_ = std::make_shared<Step>(next_number_++, mode, std::move(program), store_, capture_tier_);
  step_->logging = log;
  step_->tape.reserve(last_ops_, last_values_);
  for (const at::Tensor& tensor : lasting)
    if (tensor.defined() && tensor.has_storage() &&
        step_->tape.find(tensor.storage().unsafeGetStorageImpl()) == kNone)
      step_->tape.add(tensor, Source::lasting, kNone);
  live_at_begin_ = meter.live_bytes();
  meter.reset_peak();
  if (log) meter.log_to(&log_);
  ended_ns_ = 0;
  began_ns_ = now_ns();
  follow_backward(step_);
  start_recording(step_);
}

void Executor::end_forward() {
  if (step_ && recorded_step() == step_) stop_recording();
}

void Executor::end_step() {
  if (step_) ended_ns_ = now_ns();
}

Record Executor::finish() {
  Meter& meter = Meter::instance();
  end_forward();
  meter.log_to(nullptr);
  Record record;
  if (!step_) return record;
  if (logging_) record = record_of(*step_);
  record.counts = step_->counts;
  last_ops_ = step_->tape.ops.size();
  last_values_ = step_->tape.values.size();
  record.mode = step_->mode();
  record.log = std::move(log_);
  log_ = {};
  record.live_at_begin = live_at_begin_;
  record.peak_bytes = meter.peak_bytes();
  record.began_ns = began_ns_;
  record.ended_ns = ended_ns_ ? ended_ns_ : now_ns();
  step_.reset();
  return record;
}

}  // namespace worktop::adapter
