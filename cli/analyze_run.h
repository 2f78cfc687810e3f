// Runs a program under analysis and writes the results, as apmt analyze does for any command.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace apmt {

inline constexpr const char* kNoAnalyser = "counts";  // value of --with

struct AnalyzeArguments {
  std::vector<std::string> words;  // the command and its arguments; with --join, an analysis
  std::vector<std::string> kernels;
  std::vector<std::string> analysers;
  std::vector<std::string> parallel, sequential;  // loops, as FILE:LINE
  bool every_invocation = false;
  int rank = 0;
  std::filesystem::path output = "analysis.json";
  std::filesystem::path join;
  bool json = false;
  bool opencl = false;
};

/// Runs the command, writes its analysis and prints a report of it. Returns the exit code.
int run_analysed(const AnalyzeArguments& options);

}  // namespace apmt
