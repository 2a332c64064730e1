// Marks what the executor does by itself in the log, so that the profile can tell it from the program's
// doing; and small things every part of it needs.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/Storage.h>
#include <torch/csrc/autograd/graph_task.h>

#include "meter.h"

namespace worktop::adapter {

class OwnDoing {
 public:
  OwnDoing() { Meter::instance().mark(EventKind::own_begin); }
  ~OwnDoing() { Meter::instance().mark(EventKind::own_end); }
  OwnDoing(const OwnDoing&) = delete;
  OwnDoing& operator=(const OwnDoing&) = delete;
};

[[nodiscard]] inline c10::Storage new_storage(std::int64_t bytes) {
  c10::Allocator* allocator = c10::GetCPUAllocator();
  return c10::Storage(c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t{}, bytes, allocator->allocate(static_cast<size_t>(bytes)), allocator,
      /*resizable=*/false));
}

// Will the running backward leave the graph for another one?
[[nodiscard]] inline bool keeps_graph() {
  return torch::autograd::get_current_graph_task_id() >= 0 &&
         torch::autograd::get_current_graph_task_keep_graph();
}

}  // namespace worktop::adapter
