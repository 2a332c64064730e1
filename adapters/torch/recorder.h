// Watches a forward and writes its tape: a thread-local callback of torch's dispatcher with inputs and
// outputs. It changes nothing in the program.
//
// Recorded is the outermost call of an operator that is not composite; what happens inside it is not. Views
// leave no op. Backward nodes are reported to the step they belong to, by their number. One thread follows
// one step at a time; a step begun inside another's forward is refused by the executor.
#pragma once

#include <memory>

#include "step.h"

namespace worktop::adapter {

// The step whose forward this thread is in; packs go there.
[[nodiscard]] const std::shared_ptr<Step>& recorded_step();
// Whether an op is open: packs inside it belong to it.
[[nodiscard]] bool inside_op();

void start_recording(std::shared_ptr<Step> step);
void stop_recording();

// Follows the nodes of backward for these steps, until the next call. The newest stands last.
void follow_backward(std::shared_ptr<Step> step);
void stop_following();

// The module whose forward is running (capture), or kNone.
void enter_module(std::int32_t module);

}  // namespace worktop::adapter
