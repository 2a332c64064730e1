// The threads of the program: an executor over a fixed pool, and the flag that an interrupt sets.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/executor.h"

namespace worktop::cli {

// `threads` - 1 workers beside the calling thread, which takes part. Bodies must not throw, nor call
// for_each.
class ThreadPool final : public base::Executor {
 public:
  explicit ThreadPool(std::int32_t threads);
  ~ThreadPool() override;
  void for_each(std::int32_t count, const std::function<void(std::int32_t)>& body) override;

 private:
  void work();
  void take_all(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable wake_;  // there is work, or the end
  std::condition_variable done_;  // the last body has ended
  const std::function<void(std::int32_t)>* body_ = nullptr;
  std::int32_t next_ = 0;
  std::int32_t count_ = 0;
  std::int32_t running_ = 0;
  bool end_ = false;
  std::vector<std::thread> workers_;
};

[[nodiscard]] std::int32_t hardware_threads();

// From now on the first interrupt (Ctrl-C) sets a flag, and the second ends the program.
void watch_interrupts();
[[nodiscard]] bool interrupted();

}  // namespace worktop::cli
