// What lies in data/ is complete, consistent, and byte for byte what is built into the program.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/names.h"
#include "format/builtin.h"
#include "format/json_cursor.h"

namespace worktop::format {
namespace {

namespace fs = std::filesystem;

const fs::path kData = fs::path(WORKTOP_SOURCE_DIR) / "data";

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::map<std::string, std::string_view> built_in() {
  std::map<std::string, std::string_view> files;
  for (const BuiltinFile& file : builtin_files())
    files[std::string(file.folder) + "/" + std::string(file.name)] = file.text;
  return files;
}

// The value, or the end of the test.
template <class T>
T must(base::Result<T> result) {
  if (!result) ADD_FAILURE() << result.error().what << " at " << result.error().where;
  return std::move(result).value();
}

TEST(BuiltIn, EveryJsonFileOfTheFolderAndNothingElse) {
  std::map<std::string, std::string_view> files = built_in();
  EXPECT_EQ(files.size(), builtin_files().size());
  for (const auto& entry : fs::recursive_directory_iterator(kData)) {
    if (entry.path().extension() != ".json") continue;
    const std::string path = entry.path().lexically_relative(kData).generic_string();
    const auto found = files.find(path);
    ASSERT_NE(found, files.end()) << path << " is missing in data/index.txt";
    EXPECT_EQ(found->second, read(entry.path())) << path;
    files.erase(found);
  }
  EXPECT_TRUE(files.empty());
}

TEST(BuiltIn, MachinesAreNamedAsTheirFilesAndHaveBothWays) {
  int count = 0;
  for (const BuiltinFile& file : builtin_files()) {
    if (file.folder != "machines") continue;
    ++count;
    const JsonDocument document = must(JsonDocument::parse(file.text));
    const JsonObject machine = must(document.root().object());
    const std::string name(must(machine.string("name")));
    EXPECT_EQ(name + ".json", file.name);
    EXPECT_EQ(base::slug(name), name);
    EXPECT_FALSE(must(machine.string("usable_source")).empty()) << name;
    std::set<std::string> links;
    for (const JsonCursor link : must(machine.array("links"))) {
      const JsonObject ends = must(link.object());
      links.insert(std::string(must(ends.string("from"))) + ">" + std::string(must(ends.string("to"))));
      EXPECT_LE(must(ends.integer("both_ways_bytes_per_s", 1, INT64_MAX)),
                must(ends.integer("bandwidth_bytes_per_s", 1, INT64_MAX)));
      EXPECT_FALSE(must(ends.string("source")).empty()) << name;
    }
    using Links = std::set<std::string>;
    EXPECT_EQ(links, must(machine.string("kind")) == "cpu"
                         ? Links({"device>disk", "disk>device"})
                         : Links({"device>host", "host>device", "host>disk", "disk>host"}));
    for (const JsonCursor rate : must(machine.array("matmul"))) {
      EXPECT_GT(must(must(rate.object()).number("efficiency", 0, 1)), 0) << name;
      EXPECT_FALSE(must(must(rate.object()).string("source")).empty()) << name;
    }
  }
  EXPECT_EQ(count, 36);
}

TEST(BuiltIn, TheIndexOfModelsAgreesWithTheConfigurations) {
  std::map<std::string, std::string_view> files = built_in();
  const JsonDocument document = must(JsonDocument::parse(files["models/index.json"]));
  std::set<std::string> names;
  for (const JsonCursor entry : must(must(document.root().object()).array("models"))) {
    const JsonObject model = must(entry.object());
    const std::string name(must(model.string("name")));
    EXPECT_EQ(name, base::slug(must(model.string("title"))));
    EXPECT_TRUE(names.insert(name).second) << name;
    for (const JsonCursor alias : must(model.array("aliases")))
      EXPECT_TRUE(names.insert(std::string(must(alias.string()))).second) << name;
    EXPECT_EQ(must(model.boolean("config")), files.contains("models/" + name + "/config.json")) << name;
    EXPECT_FALSE(must(model.string("source")).empty()) << name;
    files.erase("models/" + name + "/config.json");
  }
  EXPECT_EQ(names.size(), 79U + 4U);  // and four aliases
  for (const auto& [path, text] : files)
    EXPECT_TRUE(!path.starts_with("models/") || path == "models/index.json") << path;
}

}  // namespace
}  // namespace worktop::format
