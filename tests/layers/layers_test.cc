// The house keeps to tools/layers.txt, and the checker that says so bites.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "checker.h"

namespace worktop::layers {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string joined(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) text += finding.text() + "\n";
  return text;
}

// base <- graph <- format, and a program.
Table small_table() {
  std::vector<Finding> findings;
  Table table = read_table(
      "src/base pure -\n"
      "src/graph pure base\n"
      "src/format pure base graph\n"
      "apps/cli app base graph format\n"
      "adapters/torch app base graph\n"
      "bindings/python app base graph format\n",
      findings);
  EXPECT_EQ(joined(findings), "");
  return table;
}

std::string judge(std::string_view path, std::string_view text) {
  return joined(check_file(small_table(), path, text));
}

// The page's own half is TypeScript, which its compiler judges.
bool is_of_the_page(const fs::path& file) {
  const std::string path = file.generic_string();
  return path.starts_with("apps/page/") && !path.ends_with(".h") && !path.ends_with(".cc");
}

TEST(House, EveryFileKeepsToTheTable) {
  const fs::path root = WORKTOP_SOURCE_DIR;
  std::vector<Finding> findings;
  const Table table = read_table(read(root / "tools/layers.txt"), findings);
  EXPECT_EQ(joined(findings), "");
  std::vector<fs::path> files;
  for (const char* top : {"src", "apps", "adapters", "bindings"})
    for (const auto& entry : fs::recursive_directory_iterator(root / top))
      if (entry.is_regular_file() && entry.path().filename() != "CMakeLists.txt" &&
          !is_of_the_page(entry.path().lexically_relative(root)))
        files.push_back(entry.path());
  std::ranges::sort(files);
  EXPECT_GT(files.size(), 20U);  // the walk did find the house
  for (const fs::path& file : files) {
    const std::string path = file.lexically_relative(root).generic_string();
    EXPECT_EQ(joined(check_file(table, path, read(file))), "");
  }
}

TEST(Table, CyclesUnknownNamesAndDoublesAreFound) {
  const auto judged = [](std::string_view text) {
    std::vector<Finding> findings;
    (void)read_table(text, findings);
    return joined(findings);
  };
  EXPECT_EQ(judged("# comment\n\nsrc/base pure -\nsrc/plan pure base\n"), "");
  // A cycle always has an arrow to a later line.
  EXPECT_EQ(judged("src/base pure plan\nsrc/plan pure base\n"),
            "tools/layers.txt:1: base needs plan, which no earlier line names\n");
  EXPECT_EQ(judged("src/base pure base\n"),
            "tools/layers.txt:1: base needs base, which no earlier line names\n");
  EXPECT_EQ(judged("src/base pure -\nsrc/base pure -\n"),
            "tools/layers.txt:2: base stands in the table twice\n");
  EXPECT_EQ(judged("src/base poor -\n"), "tools/layers.txt:1: the kind of base is neither pure nor app\n");
  EXPECT_EQ(judged("apps/cli app -\nsrc/base pure cli\n"),
            "tools/layers.txt:2: base is pure and needs cli, which is not\n");
}

TEST(Includes, ArrowsOfTheTableAreTheOnlyOnes) {
  EXPECT_EQ(judge("src/graph/a.cc", "#include \"graph/a.h\"\n#include \"base/ids.h\"\n#include <vector>\n"),
            "");
  EXPECT_EQ(judge("src/graph/a.cc", "\n#include \"format/json.h\"\n"),
            "src/graph/a.cc:2: graph may not include format (\"format/json.h\"): tools/layers.txt has no "
            "such arrow\n");
  EXPECT_EQ(
      judge("src/graph/deep/a.cc", "  #  include \"format/json.h\" // why\n"),
      "src/graph/deep/a.cc:1: graph may not include format (\"format/json.h\"): tools/layers.txt has no such "
      "arrow\n");
  EXPECT_EQ(judge("src/graph/a.cc", "#include \"a.h\"\n"),
            "src/graph/a.cc:1: \"a.h\" names no room; write \"room/file.h\"\n");
  EXPECT_EQ(judge("src/graph/a.cc", "#include \"../format/json.h\"\n"),
            "src/graph/a.cc:1: \"../format/json.h\" names no room; write \"room/file.h\"\n");
  EXPECT_EQ(judge("src/graph/a.cc", "#include HEADER\n"),
            "src/graph/a.cc:1: an include through a macro can't be checked\n");
  EXPECT_EQ(judge("src/attic/a.cc", ""), "src/attic/a.cc:0: the folder is not a room of tools/layers.txt\n");
  EXPECT_EQ(judge("src/graph/a.hpp", ""), "src/graph/a.hpp:0: C++ files end in .h or .cc\n");
}

TEST(Includes, LibrariesHaveTheirRooms) {
  EXPECT_EQ(judge("src/format/a.cc", "#include <nlohmann/json.hpp>\n"), "");
  EXPECT_EQ(judge("src/graph/a.cc", "#include <nlohmann/json.hpp>\n"),
            "src/graph/a.cc:1: only src/format may include <nlohmann/json.hpp>\n");
  EXPECT_EQ(judge("apps/cli/a.cc", "#include <CLI/CLI.hpp>\n#include <iostream>\n#include \"local.h\"\n"),
            "");
  EXPECT_EQ(judge("src/format/a.cc", "#include <CLI/CLI.hpp>\n"),
            "src/format/a.cc:1: only apps/cli may include <CLI/CLI.hpp>\n");
  EXPECT_EQ(judge("apps/cli/a.cc", "#include <torch/torch.h>\n#include <nanobind/nanobind.h>\n"),
            "apps/cli/a.cc:1: only adapters/torch may include <torch/torch.h>\n"
            "apps/cli/a.cc:2: only bindings/python may include <nanobind/nanobind.h>\n");
  const char* doors =
      "#include <Python.h>\n#include <c10/core/Allocator.h>\n#include <nanobind/nanobind.h>\n"
      "#include <pybind11/pybind11.h>\n#include <ATen/ATen.h>\n";
  EXPECT_EQ(judge("adapters/torch/a.cc", doors),
            "adapters/torch/a.cc:3: only bindings/python may include <nanobind/nanobind.h>\n");
  EXPECT_EQ(judge("bindings/python/a.cc", doors),
            "bindings/python/a.cc:2: only adapters/torch may include <c10/core/Allocator.h>\n"
            "bindings/python/a.cc:4: only adapters/torch may include <pybind11/pybind11.h>\n"
            "bindings/python/a.cc:5: only adapters/torch may include <ATen/ATen.h>\n");
  EXPECT_EQ(judge("src/graph/b.cc", "#include <Python.h>\n"),
            "src/graph/b.cc:1: only adapters/torch and bindings/python may include <Python.h>\n");
  EXPECT_EQ(judge("src/graph/a.cc", "#include <gtest/gtest.h>\n"),
            "src/graph/a.cc:1: only tests may include <gtest/gtest.h>\n");
}

TEST(Includes, TestsMayUseToolsButKeepToTheArrows) {
  EXPECT_EQ(judge("src/graph/a_test.cc",
                  "#include <gtest/gtest.h>\n#include <rapidcheck.h>\n#include <fstream>\n"
                  "#include \"support/graphs.h\"\nvoid f() { throw 1; }\n"),
            "");
  EXPECT_NE(judge("src/graph/a_test.cc", "#include \"format/json.h\"\n"), "");
  EXPECT_EQ(judge("src/graph/testing.h", "#include <gtest/gtest.h>\n"), "");
  EXPECT_EQ(judge("src/graph/a_test.cc", "#include \"graph/testing.h\"\n"), "");
  EXPECT_EQ(judge("src/graph/a.h", "#include \"graph/testing.h\"\n"),
            "src/graph/a.h:1: only tests may include \"graph/testing.h\"\n");
  EXPECT_NE(judge("src/graph/a.cc", "#include \"support/graphs.h\"\n"), "");
}

TEST(PureRooms, EveryForbiddenHeaderIsFound) {
  for (const char* header : {"chrono",
                             "ctime",
                             "time.h",
                             "fstream",
                             "iostream",
                             "cstdio",
                             "stdio.h",
                             "print",
                             "filesystem",
                             "thread",
                             "mutex",
                             "shared_mutex",
                             "condition_variable",
                             "atomic",
                             "future",
                             "random",
                             "csignal",
                             "cassert",
                             "unordered_map",
                             "unordered_set",
                             "unistd.h",
                             "pthread.h",
                             "fmt/ostream.h"}) {
    const std::string line = "#include <" + std::string(header) + ">\n";
    EXPECT_EQ(judge("src/graph/a.h", "#pragma once\n" + line),
              "src/graph/a.h:2: <" + std::string(header) + "> in a pure room\n");
    EXPECT_EQ(judge("apps/cli/a.h", line), "");
  }
}

TEST(PureRooms, EveryForbiddenCallIsFound) {
  struct Case {
    const char* code;
    const char* named;
  };
  for (const Case& c : {
           Case{"auto t = std::chrono::steady_clock::now();", "std::chrono"},
           Case{"auto t = time(nullptr);", "time()"},
           Case{"auto t = ::time(nullptr);", "time()"},
           Case{"auto t = std::time(nullptr);", "std::time"},
           Case{"const char* now = __TIME__;", "'__TIME__'"},
           Case{"std::ifstream file(path);", "std::ifstream"},
           Case{"auto* file = fopen(path, mode);", "fopen()"},
           Case{"if (std::filesystem::exists(path)) {}", "std::filesystem"},
           Case{"std::cout << 1;", "std::cout"},
           Case{"printf(text);", "printf()"},
           Case{"std::puts(text);", "std::puts"},
           Case{"fmt::print(text);", "fmt::print"},
           Case{"fmt::format_to(stdout, text);", "'stdout'"},
           Case{"write(stderr);", "'stderr'"},
           Case{"std::thread worker;", "std::thread"},
           Case{"std::atomic<int> count;", "std::atomic"},
           Case{"std::mutex lock;", "std::mutex"},
           Case{"auto later = std::async(f);", "std::async"},
           Case{"thread_local int x;", "'thread_local'"},
           Case{"return getenv(name);", "getenv()"},
           Case{"x = std::getenv (name);", "std::getenv"},
           Case{"std::exit(1);", "std::exit"},
           Case{"exit(1);", "exit()"},
           Case{"else abort();", "abort()"},
           Case{"std::quick_exit(0);", "std::quick_exit"},
           Case{"std::terminate();", "std::terminate"},
           Case{"int r = rand();", "rand()"},
           Case{"std::random_device device;", "std::random_device"},
           Case{"throw 1;", "'throw'"},
           Case{"try { f(); }", "'try'"},
           Case{"std::unordered_map<int, int> m;", "std::unordered_map"},
           Case{"double y = std::exp(x);", "std::exp"},
           Case{"double y = 2 * log(x);", "log()"},
           Case{"return pow(x, 2);", "pow()"},
           Case{"auto f = std::sin;", "std::sin"},
           Case{"double y = ::cos(x);", "cos()"},
       })
    EXPECT_EQ(judge("src/graph/a.cc", std::string("void f() {\n") + c.code + "\n}\n"),
              "src/graph/a.cc:2: " + std::string(c.named) + " in a pure room\n")
        << c.code;
}

TEST(PureRooms, OwnNamesAndTextAreLeftAlone) {
  for (const char* code : {
           "Nanoseconds time(OpId op) const;",     // declares
           "plan.time(op) + schedule->exit(op);",  // members
           "cost::log(entry);",                    // a scope of ours
           "double y = std::sqrt(x);",             // exact everywhere
           "int exit = 1; use(exit);",             // a variable
           "// throw, std::cout, printf(1)",
           "/* std::thread\n throw */",
           "const char* s = \"throw \\\" printf(1)\"; char c = 'x';",
           "const char* s = R\"(throw \" printf(1))\";",
           "long n = 1'000'000; const char* s = \"throw\";",
       })
    EXPECT_EQ(judge("src/graph/a.cc", code), "") << code;
}

TEST(PureRooms, TheOneExceptionIsForOneFile) {
  const char* code = "#include <cstdio>\nvoid f() { std::fprintf(stderr, text); }\n";
  EXPECT_EQ(judge("src/base/ensure.cc", code), "");
  EXPECT_EQ(judge("src/base/other.cc", code),
            "src/base/other.cc:1: <cstdio> in a pure room\n"
            "src/base/other.cc:2: std::fprintf in a pure room\n"
            "src/base/other.cc:2: 'stderr' in a pure room\n");
}

TEST(CodeOf, KeepsLinesAndIncludes) {
  EXPECT_EQ(code_of("#include \"a/b.h\" // x\nint a; /* 1\n2 */ int b;"),
            "#include \"a/b.h\"     \nint a;     \n     int b;");
  EXPECT_EQ(code_of("\"unterminated"), "\"            ");
  EXPECT_EQ(code_of("/* unterminated"), "               ");
  EXPECT_EQ(code_of("R\"x(unterminated"), "                ");
  EXPECT_EQ(code_of("\"\\"), "\" ");
}

}  // namespace
}  // namespace worktop::layers
