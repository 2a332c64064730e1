#include "format/policy_json.h"

#include "format/json_cursor.h"
#include "format/json_tables.h"

namespace worktop::format {
namespace {

using base::Result;
using base::Status;
using plan::Fate;
using plan::Policy;
using plan::Replay;
using plan::Rule;
using plan::Selector;

constexpr std::int64_t kVersion = 1;
constexpr NamedValue<Replay> kReplays[] = {{"hold", Replay::hold}, {"redo", Replay::redo}};
constexpr NamedValue<std::optional<std::string> Selector::*> kFields[] = {
    {"value", &Selector::value},
    {"block", &Selector::block},
    {"block_kind", &Selector::block_kind},
    {"op_kind", &Selector::op_kind}};

Result<Rule> read_rule(JsonCursor at) {
  WORKTOP_TRY(const JsonObject object, at.object());
  WORKTOP_CHECK(object.only({"value", "block", "block_kind", "op_kind", "fate"}));
  Rule rule;
  for (const auto& [key, field] : kFields) {
    if (!object.find_set(key)) continue;
    WORKTOP_TRY(rule.select.*field, object.string(key));
  }
  WORKTOP_TRY(const JsonCursor fate, object.at("fate"));
  WORKTOP_TRY(rule.fate, value_in(kFates, fate));
  return rule;
}

}  // namespace

Result<Policy> read_policy_file(std::string_view text) {
  WORKTOP_TRY(const JsonDocument document, JsonDocument::parse(text));
  WORKTOP_TRY(const JsonObject file, document.root().object());
  WORKTOP_CHECK(file.is_format(kPolicyFormat, kVersion));
  WORKTOP_CHECK(file.only({"format", "version", "name", "rules", "otherwise", "replay"}));
  Policy policy;
  WORKTOP_TRY(policy.name, file.string("name"));
  WORKTOP_TRY(policy.otherwise, value_or(kFates, file, "otherwise", Fate::keep));
  WORKTOP_TRY(policy.replay, value_or(kReplays, file, "replay", Replay::hold));
  if (const auto at = file.find_set("rules")) {
    WORKTOP_TRY(const JsonArray rules, at->array());
    for (const JsonCursor item : rules) {
      WORKTOP_TRY(Rule rule, read_rule(item));
      policy.rules.push_back(std::move(rule));
    }
  }
  return policy;
}

void write_policy(JsonWriter& w, const Policy& policy) {
  w.begin_object().member("format", kPolicyFormat).member("version", kVersion).member("name", policy.name);
  w.key("rules").begin_array();
  for (const Rule& rule : policy.rules) {
    w.begin_object_row();
    for (const auto& [key, field] : kFields)
      if (const auto& wanted = rule.select.*field) w.member(key, *wanted);
    w.member("fate", name_in(kFates, rule.fate)).end();
  }
  w.end().member("otherwise", name_in(kFates, policy.otherwise));
  w.member("replay", name_in(kReplays, policy.replay)).end();
}

std::string write_policy_file(const Policy& policy) {
  JsonWriter w(2);
  write_policy(w, policy);
  return std::move(w).take();
}

}  // namespace worktop::format
