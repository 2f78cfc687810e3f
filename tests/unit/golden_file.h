// Checks that texts are exactly equal to committed files. With APMT_UPDATE_GOLDEN=1 in the
// environment, the tests rewrite the files instead; read the difference before you commit it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/paths.h"

namespace apmt {

/// Fails if the text differs from the file. The path is relative to the root of the sources.
inline void expect_committed(const std::string& path_from_root, const std::string& text) {
  const std::string path = source_dir() + "/" + path_from_root;
  if (std::getenv("APMT_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file.good()) << path;
  std::ostringstream expected;
  expected << file.rdbuf();
  const std::string wanted = expected.str();
  if (text == wanted) return;
  std::istringstream is(text);
  std::istringstream should_be(wanted);
  std::string line;
  std::string wanted_line;
  int number = 0;
  do {
    ++number;
    if (!std::getline(is, line)) line = "(end)";
    if (!std::getline(should_be, wanted_line)) wanted_line = "(end)";
  } while (line == wanted_line && line != "(end)");
  ADD_FAILURE()
      << path << ", line " << number << "\n  is:        " << line.substr(0, 300)
      << "\n  should be: " << wanted_line.substr(0, 300)
      << "\n  If the change is intended: set APMT_UPDATE_GOLDEN=1, run this program again, and "
         "read the difference.";
}

inline void expect_golden(const std::string& name, const std::string& text) {
  expect_committed("tests/golden/reports/" + name, text);
}

}  // namespace apmt
