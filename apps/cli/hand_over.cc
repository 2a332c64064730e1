#include "hand_over.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "console.h"
#include "usage.h"

namespace worktop::cli {
namespace {

constexpr const char* kPython = "python3";

// Whether python3 runs and finds a package that can be run.
enum class Found { package, no_package, no_python };
Found look_for_package() {
  const pid_t child = ::fork();
  if (child < 0) return Found::no_python;
  if (child == 0) {
    const char* question =
        "import importlib.util as u, sys\n"
        "sys.exit(0 if u.find_spec('worktop') and u.find_spec('worktop.__main__') else 3)";
    ::execlp(kPython, kPython, "-c", question, nullptr);
    ::_exit(127);
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return Found::no_python;
  return WEXITSTATUS(status) == 0   ? Found::package
         : WEXITSTATUS(status) == 3 ? Found::no_package
                                    : Found::no_python;
}

}  // namespace

bool is_handed_over(int argc, char** argv) {
  if (argc < 2) return false;
  for (const char* command : {"run", "profile", "check"})
    if (std::strcmp(argv[1], command) == 0) return true;
  return false;
}

int hand_over(int argc, char** argv) {
  const Found found = look_for_package();
  if (found == Found::package) {
    std::vector<char*> arguments{const_cast<char*>(kPython), const_cast<char*>("-m"),
                                 const_cast<char*>("worktop")};
    arguments.insert(arguments.end(), argv + 1, argv + argc);
    arguments.push_back(nullptr);
    ::execvp(kPython, arguments.data());
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
