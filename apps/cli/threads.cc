#include "threads.h"

#include <algorithm>
#include <csignal>

namespace worktop::cli {
namespace {

volatile std::sig_atomic_t interrupt_seen = 0;

void on_interrupt(int) {
  interrupt_seen = 1;
}

}  // namespace

ThreadPool::ThreadPool(std::int32_t threads) {
  for (std::int32_t i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::for_each(std::int32_t count, const std::function<void(std::int32_t)>& body) {
  std::unique_lock lock(mutex_);
  body_ = &body;
  next_ = 0;
  count_ = count;
  wake_.notify_all();
  take_all(lock);
  done_.wait(lock, [this] { return running_ == 0; });
  count_ = 0;
}

void ThreadPool::take_all(std::unique_lock<std::mutex>& lock) {
  while (next_ < count_) {
    const std::int32_t i = next_++;
    ++running_;
    lock.unlock();
    (*body_)(i);
    lock.lock();
    --running_;
  }
}

void ThreadPool::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return end_ || next_ < count_; });
    if (end_) return;
    take_all(lock);
    if (running_ == 0) done_.notify_one();
  }
}

std::int32_t hardware_threads() {
  return std::max(1, static_cast<std::int32_t>(std::thread::hardware_concurrency()));
}

void watch_interrupts() {
  struct sigaction action{};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, nullptr);
}

bool interrupted() {
  return interrupt_seen != 0;
}

}  // namespace worktop::cli
