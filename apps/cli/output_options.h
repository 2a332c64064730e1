// How an answer is shown: the options that every command has.
#pragma once

#include "command.h"

namespace worktop::cli {

struct OutputOptions {
  bool json = false;
  bool quiet = false;
  bool verbose = false;

  void add(CLI::App& app) {
    const std::string group = "Output";
    app.add_flag("--json", json, "one JSON object (docs/schema), errors too")->group(group);
    CLI::Option* q = app.add_flag("-q,--quiet", quiet, "no progress, no notes")->group(group);
    app.add_flag("-v,--verbose", verbose, "say what is done and how long it took")->group(group)->excludes(q);
  }
  void apply(Console& console) const {
    console.json = console.json || json;  // --json may be taken for the value of another option
    console.verbosity = quiet ? Verbosity::quiet : verbose ? Verbosity::verbose : Verbosity::normal;
  }
};

}  // namespace worktop::cli
