#include "hand_over.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "console.h"
#include "usage.h"

namespace worktop::cli {
namespace {

constexpr const char* kPython = "python3";

// The python for which this build made its package, if it did; a copy of the program that was moved elsewhere
// finds the package no more, and goes by python3 alone.
#ifdef WORKTOP_PYTHON_EXECUTABLE
constexpr const char* kBuiltFor = WORKTOP_PYTHON_EXECUTABLE;
#else
constexpr const char* kBuiltFor = nullptr;
#endif

constexpr const char* kIsThere =
    "import importlib.util as u, sys\n"
    "sys.exit(0 if u.find_spec('worktop') and u.find_spec('worktop.__main__') else 3)";
constexpr const char* kHasExecutor =
    "import sys, worktop._executor as e\n"
    "sys.exit(0 if e.why_not() is None else 3)";

// Whether that python runs and says yes to a question about the package.
enum class Found { package, no_package, no_python };
Found look_for_package(const char* python, const char* question = kIsThere) {
  const pid_t child = ::fork();
  if (child < 0) return Found::no_python;
  if (child == 0) {
    if (const int null = ::open("/dev/null", O_WRONLY); null >= 0) ::dup2(null, STDERR_FILENO);
    ::execlp(python, python, "-c", question, nullptr);
    ::_exit(127);
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return Found::no_python;
  return WEXITSTATUS(status) == 0   ? Found::package
         : WEXITSTATUS(status) == 3 ? Found::no_package
                                    : Found::no_python;
}

// The folder python/ of the build that this program is part of.
std::optional<std::string> package_of_this_build() {
  namespace fs = std::filesystem;
  if (kBuiltFor == nullptr) return std::nullopt;
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  const fs::path package = program.parent_path().parent_path().parent_path() / "python";
  if (failed || !fs::exists(package / "worktop" / "__main__.py", failed)) return std::nullopt;
  return package.string();
}

// Before whatever PYTHONPATH says already.
void put_first(const std::string& package) {
  const char* others = std::getenv("PYTHONPATH");
  const std::string path = others != nullptr && *others != '\0' ? package + ":" + others : package;
  ::setenv("PYTHONPATH", path.c_str(), 1);
}

void become(const char* python, int argc, char** argv) {
  std::vector<char*> arguments{const_cast<char*>(python), const_cast<char*>("-m"),
                               const_cast<char*>("worktop")};
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  arguments.push_back(nullptr);
  ::execvp(python, arguments.data());
}

}  // namespace

bool is_handed_over(int argc, char** argv) {
  if (argc < 2) return false;
  for (const char* command : {"run", "profile", "check"})
    if (std::strcmp(argv[1], command) == 0) return true;
  return false;
}

int hand_over(int argc, char** argv) {
  const Found found = look_for_package(kPython);
  if (found == Found::package) become(kPython, argc, argv);
  if (const auto package = package_of_this_build()) {
    put_first(*package);
    for (const char* python : {kPython, kBuiltFor})
      if (look_for_package(python, kHasExecutor) == Found::package) become(python, argc, argv);
    if (look_for_package(kBuiltFor) == Found::package) become(kBuiltFor, argc, argv);  // says what is missing
  }
  Console console;
  console.json = asks_for_json(argc, argv);
  const bool python = found != Found::no_python;
  const base::Error error{
      base::ErrorCode::environment,
      std::string(argv[1]) + " runs in PyTorch, and " +
          (python ? "python3 finds no package 'worktop'" : "there is no python3 that starts"),
      std::string("worktop ") + argv[1],
      "install the Python package into the python3 of your PATH; 'worktop simulate' needs none of it"};
  console.error(error);
  return base::exit_code(error.code);
}

}  // namespace worktop::cli
