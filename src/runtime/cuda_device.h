// The door to a CUDA device: declared, so that it is known what it has to do; it is not implemented yet.
//
// - `grow(host)` pins the new part of one reserved range of host memory (cudaHostRegister), in steps of many
//   MiB: pinning is slow, and pageable memory makes every copy wait for the driver's own staging.
// - `mark` records an event on the compute stream. The events are kept in a small ring; a mark is its number.
// - `start` makes the copy stream of the move's link wait for the mark's event (cudaStreamWaitEvent), issues
//   cudaMemcpyAsync there and records an event of its own: one stream per link and direction, so that both
//   directions overlap. `finish` waits for that event (with cudaDeviceScheduleBlockingSync, not spinning).
// - Marks matter for copies in too: the destination may be memory that the compute stream has still to finish
//   with, since the caching allocator hands out freed blocks at once.
// - There is no link between device and disk: the store's `stage_out` and `stage_in` go through the host.
// - `release` and `arrive` block the calling thread. Should that cost more than the copies do, the store can
// let
//   the compute stream wait instead; the plan's meaning allows both.
#pragma once

#include <memory>

#include "base/error.h"
#include "runtime/device.h"
#include "runtime/store.h"

namespace worktop::runtime {

struct CudaOptions {
  int ordinal = 0;
  void* compute_stream = nullptr;  // cudaStream_t
  StoreOptions tiers;
};
[[nodiscard]] Result<std::unique_ptr<Device>> open_cuda_device(const CudaOptions& options);

}  // namespace worktop::runtime
