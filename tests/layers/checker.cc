#include "checker.h"

#include <algorithm>
#include <array>
#include <regex>
#include <span>
#include <sstream>

namespace worktop::layers {
namespace {

using Names = std::span<const std::string_view>;

// What a pure room may not include, and what it may not name even if another header brings it in.
constexpr auto kHeaders = std::to_array<std::string_view>(
    {// clocks
     "chrono", "ctime", "time.h", "sys/time.h",
     // files and printing
     "fstream", "iostream", "cstdio", "stdio.h", "print", "syncstream", "filesystem", "fcntl.h", "unistd.h",
     "sys/stat.h", "sys/mman.h", "fmt/os.h", "fmt/ostream.h",
     // threads
     "thread", "mutex", "shared_mutex", "condition_variable", "atomic", "stdatomic.h", "future", "stop_token",
     "semaphore", "latch", "barrier", "execution", "pthread.h",
     // chance, ends of the process, order by hash
     "random", "csignal", "signal.h", "csetjmp", "setjmp.h", "cassert", "assert.h", "unordered_map",
     "unordered_set"});

// Forbidden wherever they stand: no other meaning of these words is likely enough to allow for.
constexpr auto kWords =
    std::to_array<std::string_view>({"throw", "try", "catch", "thread_local", "stdout", "stderr", "stdin",
                                     "__DATE__", "__TIME__", "__TIMESTAMP__"});

// Forbidden as std::name, whether called or not.
constexpr auto kStandard = std::to_array<std::string_view>({"chrono",
                                                            "filesystem",
                                                            "ifstream",
                                                            "ofstream",
                                                            "fstream",
                                                            "cout",
                                                            "cerr",
                                                            "clog",
                                                            "cin",
                                                            "print",
                                                            "println",
                                                            "thread",
                                                            "jthread",
                                                            "mutex",
                                                            "shared_mutex",
                                                            "lock_guard",
                                                            "unique_lock",
                                                            "scoped_lock",
                                                            "condition_variable",
                                                            "atomic",
                                                            "future",
                                                            "promise",
                                                            "async",
                                                            "random_device",
                                                            "mt19937",
                                                            "mt19937_64",
                                                            "unordered_map",
                                                            "unordered_set",
                                                            "unordered_multimap",
                                                            "unordered_multiset",
                                                            "terminate"});

// Forbidden when called, plainly or as std::name or ::name.
constexpr auto kCalls = std::to_array<std::string_view>(
    {// clocks, chance, environment, ends of the process
     "time", "clock", "localtime", "gmtime", "clock_gettime", "gettimeofday", "rand", "srand", "getenv",
     "secure_getenv", "setenv", "putenv", "system", "exit", "abort", "quick_exit", "_exit", "_Exit", "atexit",
     "at_quick_exit", "assert",
     // printing and files
     "printf", "fprintf", "vprintf", "vfprintf", "puts", "fputs", "putchar", "putc", "fputc", "fwrite",
     "perror", "fopen", "freopen", "fdopen", "fread", "fclose", "tmpfile",
     // libm: results differ from one library to the next
     "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "pow", "sin", "cos", "tan", "asin", "acos",
     "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "cbrt", "hypot", "erf", "erfc",
     "tgamma", "lgamma", "fma", "expf", "exp2f", "logf", "log2f", "log10f", "powf", "sinf", "cosf", "tanf",
     "tanhf", "expl", "logl", "powl"});

// The only exceptions, each with its reason.
struct Exception {
  std::string_view file;
  std::string_view name;
  std::string_view reason;
};
constexpr auto kExceptions = std::to_array<Exception>({
    {"src/base/ensure.cc", "cstdio", "a broken promise is reported before the process ends"},
    {"src/base/ensure.cc", "fprintf", "a broken promise is reported before the process ends"},
    {"src/base/ensure.cc", "stderr", "a broken promise is reported before the process ends"},
});

bool contains(Names names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_identifier(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// One file on its way through the rules.
class Check {
 public:
  Check(const Table& table, std::string_view path) : table_(table), path_(path) {}

  std::vector<Finding> run(std::string_view text) {
    const auto name = std::string(path_.substr(0, path_.rfind('/')));
    for (const auto& [room, entry] : table_)
      if (name == entry.folder || name.starts_with(entry.folder + "/")) room_ = room, entry_ = &entry;
    if (entry_ == nullptr) {
      report("the folder is not a room of tools/layers.txt");
      return std::move(findings_);
    }
    if (!path_.ends_with(".h") && !path_.ends_with(".cc")) report("C++ files end in .h or .cc");
    test_ = path_.ends_with("_test.cc") || path_.ends_with("/testing.h");
    std::istringstream lines{code_of(text)};
    for (std::string line; std::getline(lines, line);) {
      ++line_;
      check_include(line);
      if (entry_->pure && !test_) check_words(line);
    }
    return std::move(findings_);
  }

 private:
  void report(std::string what) { findings_.push_back({std::string(path_), line_, std::move(what)}); }

  void reject(std::string_view name, const std::string& what) {
    for (const Exception& allowed : kExceptions)
      if (allowed.file == path_ && allowed.name == name) return;
    report(what + " in a pure room");
  }

  void check_include(const std::string& line) {
    static const std::regex directive(R"(^\s*#\s*(include|import)\b\s*(["<]?)([^">]*)[">]?.*$)");
    std::smatch match;
    if (!std::regex_match(line, match, directive)) return;
    const std::string name = match[3];
    if (match[2] == "\"")
      check_own_header(name);
    else if (match[2] == "<")
      check_library_header(name);
    else
      report("an include through a macro can't be checked");
  }

  void check_own_header(const std::string& name) {
    const std::size_t slash = name.find('/');
    const std::string room = name.substr(0, slash);
    const bool inside = slash != std::string::npos ? room == room_ : !entry_->pure;
    if (name.ends_with("/testing.h") && !test_) report("only tests may include \"" + name + "\"");
    const bool support = test_ && room == "support";
    if (inside || support || contains_string(entry_->needs, room)) return;
    if (slash != std::string::npos && table_.contains(room))
      report(room_ + " may not include " + room + " (\"" + name + "\"): tools/layers.txt has no such arrow");
    else
      report("\"" + name + "\" names no room; write \"room/file.h\"");
  }

  void check_library_header(const std::string& name) {
    const std::string top = name.substr(0, name.find('/'));
    if (top == "nlohmann" && room_ != "format") report("only src/format may include <" + name + ">");
    if (top == "CLI" && room_ != "cli") report("only apps/cli may include <" + name + ">");
    if ((top == "torch" || top == "ATen" || top == "c10" || top == "pybind11") && room_ != "torch")
      report("only adapters/torch may include <" + name + ">");
    if (top == "interfaces" && room_ != "highs") report("only src/highs may include <" + name + ">");
    if (top == "nanobind" && room_ != "python") report("only bindings/python may include <" + name + ">");
    if (top == "Python.h" && room_ != "torch" && room_ != "python")
      report("only adapters/torch and bindings/python may include <" + name + ">");
    if ((top == "gtest" || top == "gmock" || top.starts_with("rapidcheck")) && !test_)
      report("only tests may include <" + name + ">");
    if (entry_->pure && !test_ && contains(kHeaders, name)) reject(name, "<" + name + ">");
  }

  void check_words(const std::string& line) {
    for (std::size_t i = 0; i < line.size();) {
      if (!is_identifier(line[i])) {
        ++i;
        continue;
      }
      std::size_t end = i;
      while (end < line.size() && is_identifier(line[end])) ++end;
      check_word(line.substr(0, i), line.substr(i, end - i), line.substr(end));
      i = end;
    }
  }

  void check_word(const std::string& before, const std::string& word, const std::string& after) {
    static const std::regex directive(R"(^\s*#\s*include\b.*$)");
    if (std::regex_match(before, directive)) return;  // judged as an include
    static const std::regex standard(R"((^|.*[^\w:])(::)?\s*std\s*::\s*$)");
    static const std::regex printer(R"(.*\bfmt\s*::\s*$)");
    static const std::regex other(R"(.*(\w\s*::|\.|->)\s*$)");  // a member, or a name of another scope
    static const std::regex word_before(R"((.*[^\w])?([A-Za-z_]\w*)\s*$)");
    const bool is_standard = std::regex_match(before, standard);
    if (contains(kWords, word)) return reject(word, "'" + word + "'");
    if (is_standard && contains(kStandard, word)) return reject(word, "std::" + word);
    if ((word == "print" || word == "println") && std::regex_match(before, printer))
      return reject(word, "fmt::" + word);
    if (!contains(kCalls, word)) return;
    if (is_standard) return reject(word, "std::" + word);
    const std::size_t next = after.find_first_not_of(" \t");
    if (next == std::string::npos || after[next] != '(' || std::regex_match(before, other)) return;
    // "double log(" declares something of ours, while "return log(" calls.
    std::smatch match;
    if (std::regex_match(before, match, word_before) && match[2] != "return" && match[2] != "else" &&
        match[2] != "case" && match[2] != "and" && match[2] != "or" && match[2] != "not")
      return;
    reject(word, word + "()");
  }

  static bool contains_string(const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  }

  const Table& table_;
  std::string_view path_;
  std::string room_;
  const Room* entry_ = nullptr;
  bool test_ = false;
  int line_ = 0;
  std::vector<Finding> findings_;
};

}  // namespace

std::string Finding::text() const {
  return file + ":" + std::to_string(line) + ": " + what;
}

Table read_table(std::string_view text, std::vector<Finding>& findings) {
  Table table;
  std::istringstream lines{std::string(text)};
  int number = 0;
  const auto report = [&](const std::string& what) {
    findings.push_back({"tools/layers.txt", number, what});
  };
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words{line};
    Room room;
    std::string kind;
    if (!(words >> room.folder) || room.folder.starts_with('#')) continue;
    const std::string name = room.folder.substr(room.folder.rfind('/') + 1);
    if (!(words >> kind) || (kind != "pure" && kind != "app"))
      report("the kind of " + name + " is neither pure nor app");
    room.pure = kind == "pure";
    for (std::string need; words >> need;) {
      if (need == "-") continue;
      const auto found = table.find(need);
      if (found == table.end())
        report(name + " needs " + need + ", which no earlier line names");
      else if (room.pure && !found->second.pure)
        report(name + " is pure and needs " + need + ", which is not");
      room.needs.push_back(need);
    }
    if (!table.emplace(name, room).second) report(name + " stands in the table twice");
  }
  return table;
}

std::vector<Finding> check_file(const Table& table, std::string_view path, std::string_view text) {
  return Check(table, path).run(text);
}

std::string code_of(std::string_view text) {
  std::string code(text);
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < std::min(to, code.size()); ++i)
      if (code[i] != '\n') code[i] = ' ';
  };
  // The end of what starts at `from` with `closing`, past it; the end of the text if it never closes.
  const auto past = [&](std::string_view closing, std::size_t from) {
    const std::size_t at = text.find(closing, from);
    return at == std::string_view::npos ? text.size() : at + closing.size();
  };
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    std::size_t end = i + 1;
    if (rest.starts_with("//")) {
      end = std::min(text.find('\n', i), text.size());
      blank(i, end);
    } else if (rest.starts_with("/*")) {
      end = past("*/", i + 2);
      blank(i, end);
    } else if (rest.starts_with("R\"") && (i == 0 || !is_identifier(text[i - 1]))) {
      const std::size_t open = std::min(text.find('(', i), text.size());
      end = past(")" + std::string(text.substr(i + 2, open - i - 2)) + "\"", open);
      blank(i, end);
    } else if (rest[0] == '"' || (rest[0] == '\'' && (i == 0 || !is_identifier(text[i - 1])))) {
      while (end < text.size() && text[end] != rest[0] && text[end] != '\n')
        end += text[end] == '\\' ? 2U : 1U;
      const std::size_t line = text.rfind('\n', i) + 1;  // npos + 1 is 0
      const std::size_t first = text.find_first_not_of(" \t", line);
      if (text[first] != '#') blank(i + 1, end);  // an include line keeps its name
      end = std::min(end + 1, text.size());
    }
    i = end;
  }
  return code;
}

}  // namespace worktop::layers
