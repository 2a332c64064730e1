// What the engine remembers: opened files, and the latest subjects and solved problems, so that a slider that
// changes neither does not solve them again. Answers do not depend on it but for files, which have to be
// open.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "advisor/trade_off.h"
#include "format/page_question.h"
#include "format/page_subject.h"

namespace worktop::page {

// The last few of something, by their key: what was asked for longest ago goes first.
template <class T>
class Latest {
 public:
  explicit Latest(std::size_t most) : most_(most) {}
  // Shared: an entry that goes stays alive as long as somebody uses it.
  [[nodiscard]] std::shared_ptr<const T> find(std::string_view key) {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].first != key) continue;
      auto entry = std::move(entries_[i]);
      entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(i));
      entries_.push_back(std::move(entry));
      return entries_.back().second;
    }
    return nullptr;
  }
  std::shared_ptr<const T> add(std::string key, T value) {
    if (entries_.size() == most_) entries_.erase(entries_.begin());
    entries_.emplace_back(std::move(key), std::make_shared<const T>(std::move(value)));
    return entries_.back().second;
  }
  void clear() { entries_.clear(); }

 private:
  std::size_t most_;
  std::vector<std::pair<std::string, std::shared_ptr<const T>>> entries_;
};

struct RuleOverThreshold {
  std::vector<double> thresholds;
  std::vector<solver::Planned> plans;
};

class Memory : public format::OpenedFiles {
 public:
  using Progress = std::function<bool(const solver::Progress&)>;
  explicit Memory(Progress progress) : progress_(std::move(progress)) {}

  [[nodiscard]] const format::OpenedFile* find(std::string_view id) const override;
  const format::OpenedFile& open(std::string id, format::OpenedFile file);

  // A subject with the key that its solved problems are remembered by.
  struct Subject {
    std::string key;
    std::shared_ptr<const format::PageSubject> read;
    [[nodiscard]] base::Result<const advisor::Subject*> played() const;
  };
  [[nodiscard]] base::Result<Subject> subject(const format::JsonObject& question);

  template <class T>
  using Shared = base::Result<std::shared_ptr<const T>>;
  [[nodiscard]] Shared<solver::FrontierAnswer> frontier(const Subject& subject, solver::Effort effort,
                                                        std::int32_t points);
  [[nodiscard]] Shared<advisor::PlanAnswer> best(const Subject& subject, const advisor::Question& question);
  [[nodiscard]] Shared<RuleOverThreshold> rule(const Subject& subject);

 private:
  Progress progress_;
  std::map<std::string, format::OpenedFile, std::less<>> files_;
  Latest<format::PageSubject> subjects_{4};
  Latest<solver::FrontierAnswer> frontiers_{4};
  Latest<advisor::PlanAnswer> answers_{8};
  Latest<RuleOverThreshold> rules_{4};
};

}  // namespace worktop::page
