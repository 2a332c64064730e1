// worktop ledger: the closed form that people reason with (docs/ledger.md).
#include "cost/ledger.h"

#include "command.h"
#include "format/ledger_json.h"
#include "format/ledger_text.h"
#include "format/sizes.h"
#include "output_options.h"
#include "values.h"

namespace worktop::cli {
namespace {

constexpr double kBytesInGb = 1e9;

struct LedgerOptions {
  Text layers, activation, base, forward, bandwidth, segments, beta, lambda, compete;
  Text memory_limit, time_limit, window, compute_limit;
  OutputOptions output;

  void add(CLI::App& app) {
    add_text(app, "--layers", layers, "L", "number of layers");
    add_text(app, "--activation", activation, "SIZE", "activations of one layer, such as 3GB");
    add_text(app, "--base", base, "SIZE", "memory beside activations (0B)");
    add_text(app, "--forward", forward, "TIME", "time of the forward, such as 120s");
    add_text(app, "--bandwidth", bandwidth, "RATE", "of the link, such as 50GB/s");
    add_text(app, "--segments", segments, "K", "of checkpointing: a number or best (best)");
    add_text(app, "--beta", beta, "SHARE", "of a hybrid that recomputes, 0 to 1");
    add_text(app, "--lambda", lambda, "M[,C,T]", "cost of a GB, a s of compute, of transfer (0.5)");
    add_text(app, "--compete", compete, "NAMES", "who may win, or all (keep_all,checkpoint,offload_all)");
    add_text(app, "--memory-limit", memory_limit, "SIZE", "at most so much memory");
    add_text(app, "--time-limit", time_limit, "TIME", "at most so much added to the forward");
    add_text(app, "--window", window, "TIME", "that the link has for a hybrid's rest (the forward)");
    add_text(app, "--compute-limit", compute_limit, "TIME", "on a hybrid's recompute (--time-limit)");
    output.add(app);
  }
};

Result<double> gigabytes(const Option& option, const std::string& text) {
  WORKTOP_TRY(const base::Bytes bytes, at(option, format::parse_bytes(text)));
  return bytes.as_double() / kBytesInGb;
}

Result<double> seconds(const Option& option, const std::string& text) {
  WORKTOP_TRY(const base::Nanoseconds ns, at(option, format::parse_duration(text)));
  return ns.as_double() / base::kSecond.as_double();
}

// Of an option that may be left out.
template <class Parse>
base::Status read_optional(std::optional<double>& value, const Option& option, const Text& text,
                           Parse parse) {
  if (!text) return {};
  WORKTOP_TRY(value, parse(option, *text));
  return {};
}

base::Status required(const Option& option, const Text& text, const char* example) {
  if (text) return {};
  return base::fail(base::ErrorCode::usage, "the ledger needs " + option, option,
                    "write for example " + option + " " + example);
}

Result<cost::Kitchen> read_kitchen(const LedgerOptions& options) {
  WORKTOP_CHECK(required("--layers", options.layers, "100"));
  WORKTOP_CHECK(required("--activation", options.activation, "3GB"));
  WORKTOP_CHECK(required("--forward", options.forward, "120s"));
  WORKTOP_CHECK(required("--bandwidth", options.bandwidth, "50GB/s"));
  cost::Kitchen kitchen;
  WORKTOP_TRY(kitchen.layers, whole("--layers", *options.layers, 1, cost::kMostLayers));
  WORKTOP_TRY(kitchen.activation_gb, gigabytes("--activation", *options.activation));
  WORKTOP_TRY(kitchen.base_gb, gigabytes("--base", options.base.value_or("0B")));
  WORKTOP_TRY(kitchen.forward_s, seconds("--forward", *options.forward));
  WORKTOP_TRY(const base::BytesPerSecond rate,
              at("--bandwidth", format::parse_bandwidth(*options.bandwidth)));
  kitchen.bandwidth_gb_per_s = rate.per_second / kBytesInGb;
  return kitchen;
}

Result<cost::Weights> read_weights(const Text& lambda) {
  WORKTOP_TRY(const std::vector<double> shares, numbers("--lambda", lambda.value_or("0.5"), 0, 1));
  if (shares.size() == 1) return cost::Weights::of(shares[0]);
  if (shares.size() == 3) return cost::Weights{shares[0], shares[1], shares[2]};
  return base::fail(base::ErrorCode::usage, "lambda is one number or three", "--lambda",
                    "write M, which means M,1-M,1-M; or M,C,T");
}

Result<cost::LedgerQuestion> read_question(const LedgerOptions& options) {
  cost::LedgerQuestion question;
  WORKTOP_TRY(question.kitchen, read_kitchen(options));
  WORKTOP_TRY(question.weights, read_weights(options.lambda));
  if (options.segments && *options.segments != "best") {
    WORKTOP_TRY(question.segments, whole("--segments", *options.segments, 1, question.kitchen.layers));
  }
  const auto share = [](const Option& option, const std::string& text) { return number(option, text, 0, 1); };
  WORKTOP_CHECK(read_optional(question.beta, "--beta", options.beta, share));
  WORKTOP_CHECK(read_optional(question.limits.memory_gb, "--memory-limit", options.memory_limit, gigabytes));
  WORKTOP_CHECK(read_optional(question.limits.time_s, "--time-limit", options.time_limit, seconds));
  WORKTOP_CHECK(read_optional(question.transfer_window_s, "--window", options.window, seconds));
  WORKTOP_CHECK(read_optional(question.compute_limit_s, "--compute-limit", options.compute_limit, seconds));
  if (options.compete) {
    WORKTOP_TRY(question.compete,
                at("--compete", cost::parse_competitors(*options.compete, question.beta.has_value())));
  }
  return question;
}

Result<int> run(const LedgerOptions& options, Console& console) {
  options.output.apply(console);
  WORKTOP_TRY(const cost::LedgerQuestion question, read_question(options));
  WORKTOP_TRY(const cost::Ledger ledger, cost::make_ledger(question));
  WORKTOP_CHECK(console.answer(console.json ? format::ledger_json(ledger) : format::ledger_text(ledger)));
  return ledger.best ? kOk : kInfeasible;
}

}  // namespace

Action add_ledger(CLI::App& app) {
  const auto options = std::make_shared<LedgerOptions>();
  options->add(app);
  return [options](Console& console) { return run(*options, console); };
}

}  // namespace worktop::cli
