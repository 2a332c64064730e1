// A Hugging Face config.json as a decoder (model/decoder.h). Known: the architectures of model/families.h;
// any other is an error that names it and the nearest known one.
//
// Sizes (layers, width, heads, vocabulary, and the MLP's width but in GPT-2) must be there: a file without
// them is not a decoder's. Everything else has the default of its family in the transformers library, for
// files leave out what is equal to it:
//
//                     gpt2          llama   mistral   qwen2           qwen3           phi3
//   kv heads          as heads      heads   8         32              32              heads
//   head_dim          width/heads   w/h     w/h       w/h             128             w/h
//   tied              yes           no      no        no              no              no
//   positions         1024          2048    131072    32768           32768           4096
//   sliding window    -             -       4096      see below       see below       none
//   bias q,k,v | out  yes | yes     attention_bias (no)  none  yes | no  attention_bias (no)  none
//
// (The bias column of Llama and Qwen3 is one key for all four projections.) A null means the same as an
// absent key, but for sliding_window, where it means no window. A window of Qwen2 and Qwen3 counts only with
// use_sliding_window, and only if every layer has it (max_window_layers 0): else all tokens are seen, which
// costs at least as much. Other keys are ignored: such files have many.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "model/decoder.h"

namespace worktop::format {

// `name`: what the model is called.
[[nodiscard]] base::Result<model::Decoder> read_model_config(std::string_view text, std::string name);

}  // namespace worktop::format
