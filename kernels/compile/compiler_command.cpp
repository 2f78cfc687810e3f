#include "kernels/compile/compiler_command.h"

#include <algorithm>
#include <sstream>
#include <string_view>

namespace apmt {
namespace {

using Words = std::vector<std::string>;

bool starts_with_any(const std::string& word, std::initializer_list<std::string_view> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view beginning) { return word.starts_with(beginning); });
}

/// Whether the value of this option is the next word. That word is not an input file.
bool takes_next_word(const std::string& word) {
  static constexpr std::string_view kOptions[] = {"-o",        "-I",          "-L",
                                                  "-l",        "-D",          "-U",
                                                  "-x",        "-MF",         "-MT",
                                                  "-MQ",       "-J",          "-idirafter",
                                                  "-include",  "-isystem",    "-iquote",
                                                  "-isysroot", "-imacros",    "-Xlinker",
                                                  "-Xclang",   "-Xassembler", "-Xpreprocessor",
                                                  "-T",        "-u",          "-z",
                                                  "-target",   "-arch",       "-module-dir",
                                                  "-mllvm",    "--param",     "-fpass-plugin"};
  return std::find(std::begin(kOptions), std::end(kOptions), word) != std::end(kOptions);
}

/// Why an argument must be dropped; empty: it is kept.
std::string why_dropped(Language language, const std::string& word) {
  if (starts_with_any(word, {"-flto", "-ffat-lto-objects", "-fno-fat-lto-objects"}) ||
      word == "-fuse-linker-plugin")
    return "the pass works on each source, before link-time optimisation";
  if (word == "-static" || word == "-static-pie" || word == "-nostdlib")
    return "the library that counts is a shared one";
  if (starts_with_any(word, {"-fprofile-use", "-fauto-profile", "-fbranch-probabilities"}))
    return "profiles of gcc are not those of clang";
  if (language == Language::kFortran) {
    if (word.starts_with("-std=")) return "flang-19 accepts all standards at once";
    if (word.starts_with("-ffree-line-length")) return "flang-19 accepts lines of any length";
  }
  return {};
}

/// Translates gfortran's spelling to flang's; everything else stays as it is.
Words respelled(Language language, const std::string& word) {
  if (language != Language::kFortran)
    // C and C++ programs with Fortran parts name gfortran's library when they are linked.
    return word == "-lgfortran" ? Words{"-lFortranRuntime", "-lFortranDecimal", "-lm"}
                                : Words{word};
  constexpr std::string_view kFixed = "-ffixed-line-length-";
  if (word.starts_with(kFixed)) {
    const std::string length = word.substr(kFixed.size());
    return {"-ffixed-line-length=" + (length == "none" ? "0" : length)};
  }
  return {word};
}

bool is_optimisation_level(const std::string& word) {
  return word.starts_with("-O") &&
         (word.size() == 2 || word.find_first_not_of("0123456789", 2) == std::string::npos ||
          word == "-Os" || word == "-Oz" || word == "-Og" || word == "-Ofast");
}

bool has_debug_information(const Words& arguments) {
  const auto last = std::find_if(arguments.rbegin(), arguments.rend(), [](const std::string& word) {
    return word == "-g" || starts_with_any(word, {"-g0", "-g1", "-g2", "-g3", "-ggdb", "-gline",
                                                  "-gdwarf", "-gmlt"});
  });
  return last != arguments.rend() && *last != "-g0" && *last != "-ggdb0";
}

}  // namespace

std::vector<std::string> unknown_arguments(const std::string& messages) {
  std::vector<std::string> unknown;
  std::istringstream lines(messages);
  for (std::string line; std::getline(lines, line);) {
    for (const std::string_view complaint : {"unknown argument: '", "unknown argument '",
                                             "unsupported option '", "unsupported argument '"}) {
      const std::size_t begin = line.find(complaint);
      if (line.find("error: ") == std::string::npos || begin == std::string::npos) continue;
      const std::size_t word = begin + complaint.size();
      const std::size_t end = line.find('\'', word);
      if (end == std::string::npos) continue;
      std::string argument = line.substr(word, end - word);
      // "unsupported argument 'x' to option '-fy='": the argument was -fy=x.
      constexpr std::string_view kTo = "' to option '";
      if (line.compare(end, kTo.size(), kTo) == 0) {
        const std::size_t option = end + kTo.size();
        argument = line.substr(option, line.find('\'', option) - option) + argument;
      }
      unknown.push_back(std::move(argument));
      break;
    }
  }
  return unknown;
}

CompilerCommand translated(Language language, const std::vector<std::string>& arguments) {
  CompilerCommand command;
  std::string level = "-O0";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (takes_next_word(word) && i + 1 < arguments.size()) {
      if (word == "--param") {
        command.dropped.push_back({word + " " + arguments[i + 1], "only gcc supports it"});
      } else {
        command.arguments.push_back(word);
        command.arguments.push_back(arguments[i + 1]);
      }
      ++i;
      continue;
    }
    if (std::string reason = why_dropped(language, word); !reason.empty()) {
      command.dropped.push_back({word, std::move(reason)});
      continue;
    }
    if (is_optimisation_level(word)) level = word;
    for (std::string& spelled : respelled(language, word))
      command.arguments.push_back(std::move(spelled));
  }
  if (language != Language::kFortran && (level == "-O0" || level == "-Og")) {
    command.keeps_library_calls = true;
    command.arguments.emplace_back("-O1");
  }
  return command;
}

void drop_unknown(CompilerCommand* command, const std::vector<std::string>& unknown) {
  std::erase_if(command->arguments, [&](const std::string& word) {
    if (std::find(unknown.begin(), unknown.end(), word) == unknown.end()) return false;
    command->dropped.push_back({word, "only gcc supports it"});
    return true;
  });
}

void instrument(CompilerCommand* command, Language language, const Instrumentation& with) {
  Words& words = command->arguments;
  if (!has_input(words)) return;
  const bool linking = links(words);
  if (!has_debug_information(words)) words.push_back("-gline-tables-only");
  words.push_back("-fpass-plugin=" + with.plugin.string());
  if (language == Language::kFortran) {
    // At -O3 flang would add a second version of each loop for contiguous arrays.
    words.push_back("-fno-version-loops-for-stride");
  } else {
    words.insert(words.end(), {"-Qunused-arguments", "-Wno-error", "-Wno-unknown-warning-option"});
  }
  if (language == Language::kC)  // gcc 12 only warns about these; clang-19 stops
    for (const char* lenient : {"implicit-int", "implicit-function-declaration", "int-conversion",
                                "incompatible-function-pointer-types"})
      words.push_back(std::string("-Wno-error=") + lenient);
  if (linking)
    words.insert(words.end(), {"-L" + with.runtime_dir.string(), "-lapmt-kernels",
                               "-Wl,-rpath," + with.runtime_dir.string()});
}

bool has_input(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (takes_next_word(arguments[i])) {
      ++i;
      continue;
    }
    if (arguments[i] == "-" || !arguments[i].starts_with("-")) return true;
  }
  return false;
}

bool links(const std::vector<std::string>& arguments) {
  static constexpr std::string_view kStops[] = {"-c",   "-S", "-E", "-M", "-MM", "-fsyntax-only",
                                                "-###", "-r"};
  return has_input(arguments) &&
         std::none_of(arguments.begin(), arguments.end(), [](const std::string& word) {
           return std::find(std::begin(kStops), std::end(kStops), word) != std::end(kStops);
         });
}

}  // namespace apmt
