// This machine: the device tier is the process's own memory, the host tier one range of it, the disk tier a
// file without a name (disk_file.h). Copies between memories are plain copies; compute is done when its call
// returns, so there is nothing to mark.
//
// The host range is reserved once; its pages are taken from the machine when they are first written.
#pragma once

#include <memory>

#include "runtime/device.h"
#include "runtime/store.h"

namespace worktop::runtime {

// The error: a limit that the machine does not have, or a directory that cannot be used.
[[nodiscard]] Result<std::unique_ptr<Device>> open_host_device(const StoreOptions& options);

}  // namespace worktop::runtime
