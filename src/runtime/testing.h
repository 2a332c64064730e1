// A directory of its own for a test, gone at the end. It lies in TMPDIR, or in /var/tmp, which is on a disk
// where /tmp is memory.
#pragma once

#include <dirent.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace worktop::runtime {

class EmptyDirectory {
 public:
  EmptyDirectory() {
    const char* const parent = std::getenv("TMPDIR");
    const std::string pattern = std::string(parent != nullptr ? parent : "/var/tmp") + "/worktop-test-XXXXXX";
    std::vector<char> name(pattern.begin(), pattern.end());
    name.push_back('\0');
    if (::mkdtemp(name.data()) != nullptr) path_ = name.data();
  }
  ~EmptyDirectory() { ::rmdir(path_.c_str()); }
  EmptyDirectory(const EmptyDirectory&) = delete;
  EmptyDirectory& operator=(const EmptyDirectory&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool empty() const {
    DIR* const directory = ::opendir(path_.c_str());
    if (directory == nullptr) return false;
    int entries = 0;
    while (::readdir(directory) != nullptr) ++entries;
    ::closedir(directory);
    return entries == 2;  // . and ..
  }

 private:
  std::string path_;
};

}  // namespace worktop::runtime
