#include "cli/man_page.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <vector>

namespace apmt {
namespace {

/// Quotes text for troff. There, a backslash starts a command, a dot or quote at the start of a
/// line makes the line a request, and at a plain hyphen troff may break the line or print another
/// character.
std::string quoted(const std::string& text) {
  std::string quoted;
  for (const char c : text) {
    if (c == '\\')
      quoted += "\\e";
    else if (c == '-')
      quoted += "\\-";
    else
      quoted += c;
  }
  return quoted.starts_with('.') || quoted.starts_with('\'') ? "\\&" + quoted : quoted;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string title(const ProgramDescription& program, const std::string& page) {
  return ".TH " + upper(page) + " 1 \"\" \"" + program.name + " " + program.version +
         "\" \"User Commands\"\n";
}

std::string name_section(const std::string& page, const std::string& help) {
  return ".SH NAME\n" + quoted(page) + " \\- " + quoted(help) + "\n";
}

/// The text below the options in the help, split into sentences and blocks. A block is indented and
/// has a heading that ends in a colon ("Examples:").
struct Footer {
  std::vector<std::string> sentences;
  struct Block {
    std::string heading;
    std::vector<std::string> lines;
  };
  std::vector<Block> blocks;
};

Footer parts_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  Footer footer;
  bool in_block = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool indented = lines[i].starts_with(' ');
    const bool block_follows = i + 1 < lines.size() && lines[i + 1].starts_with(' ');
    if (!indented && lines[i].ends_with(':') && block_follows) {
      footer.blocks.push_back({lines[i].substr(0, lines[i].size() - 1), {}});
      in_block = true;
    } else if (in_block && (indented || (lines[i].empty() && block_follows))) {
      footer.blocks.back().lines.push_back(lines[i].empty() ? "" : lines[i].substr(2));
    } else {
      in_block = false;
      footer.sentences.push_back(lines[i]);
    }
  }
  return footer;
}

std::string paragraphs(const std::vector<std::string>& lines) {
  std::string text;
  bool literal = false;  // inside indented lines, which troff must not join
  for (const std::string& line : lines) {
    const bool indented = line.starts_with(' ');
    if (indented != literal) text += indented ? ".nf\n" : ".fi\n";
    literal = indented;
    text += line.empty() ? ".PP\n" : quoted(line) + "\n";
  }
  return text + (literal ? ".fi\n" : "");
}

std::string blocks(const Footer& footer) {
  std::string text;
  for (const Footer::Block& block : footer.blocks) {
    text += ".SH " + upper(quoted(block.heading)) + "\n.nf\n";
    for (const std::string& line : block.lines) text += quoted(line) + "\n";
    text += ".fi\n";
  }
  return text;
}

std::string synopsis(const ProgramDescription& program, const VerbDescription& verb) {
  std::string text = ".SH SYNOPSIS\n.B " + program.name + " " + verb.name + "\n[\\fIOPTIONS\\fR]";
  for (const ArgumentDescription& argument : verb.arguments) {
    if (!argument.is_positional) continue;
    const std::string name =
        "\\fI" + quoted(argument.names.front()) + "\\fR" + (argument.repeats ? "..." : "");
    text += argument.required ? " " + name : " [" + name + "]";
  }
  return text + "\n";
}

/// Remarks on an argument: "required", "one of: a, b", "in [1 - 9]", "default: x", ...
std::string remarks(const ArgumentDescription& argument) {
  std::vector<std::string> all;
  if (argument.required) all.emplace_back("required");
  if (argument.repeats) all.emplace_back("may be given several times");
  if (!argument.choices.empty()) {
    std::string words;
    for (const std::string& word : argument.choices) words += (words.empty() ? "" : ", ") + word;
    all.push_back("one of: " + words);
  }
  if (!argument.limits.empty()) all.push_back(argument.limits);
  if (!argument.default_value.empty()) all.push_back("default: " + argument.default_value);
  if (!argument.environment.empty())
    all.push_back("if absent, taken from the environment variable " + argument.environment);
  std::string text;
  for (const std::string& remark : all) text += (text.empty() ? "" : "; ") + remark;
  return text;
}

std::string entry(const ArgumentDescription& argument) {
  std::string text = ".TP\n";
  for (std::size_t i = 0; i < argument.names.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::string("\\fB") + quoted(argument.names[i]) + "\\fR";
  if (!argument.is_positional && !argument.value.empty())
    text += " \\fI" + quoted(argument.value) + "\\fR";
  text += "\n" + quoted(argument.help) + "\n";
  const std::string more = remarks(argument);
  return more.empty() ? text : text + ".br\n(" + quoted(more) + ")\n";
}

std::string entries(const std::vector<ArgumentDescription>& arguments) {
  std::string positionals, options, groups, group;
  for (const ArgumentDescription& argument : arguments) {
    if (argument.is_positional) {
      positionals += entry(argument);
    } else if (argument.group == "Options") {
      options += entry(argument);
    } else {
      if (argument.group != group) groups += ".SS " + quoted(argument.group) + "\n";
      group = argument.group;
      groups += entry(argument);
    }
  }
  return (positionals.empty() ? "" : ".SH ARGUMENTS\n" + positionals) + ".SH OPTIONS\n" + options +
         groups;
}

}  // namespace

std::string man_page(const ProgramDescription& program) {
  const Footer footer = parts_of(program.footer);
  std::string text = title(program, program.name) + name_section(program.name, program.help) +
                     ".SH SYNOPSIS\n.B " + program.name +
                     "\n[\\fIOPTIONS\\fR] \\fIVERB\\fR [\\fIARGUMENTS\\fR]\n.SH VERBS\n";
  for (const VerbDescription& verb : program.verbs)
    text += ".TP\n\\fB" + quoted(verb.name) + "\\fR\n" + quoted(verb.help) + "\n";
  text += entries(program.arguments);
  if (!footer.sentences.empty()) text += ".SH NOTES\n" + paragraphs(footer.sentences);
  text += blocks(footer) + ".SH SEE ALSO\n";
  for (const VerbDescription& verb : program.verbs)
    text += ".BR " + quoted(program.name + "-" + verb.name) +
            (&verb == &program.verbs.back() ? " (1)\n" : " (1),\n");
  return text;
}

std::string man_page(const ProgramDescription& program, const VerbDescription& verb) {
  const std::string page = program.name + "-" + verb.name;
  const Footer footer = parts_of(verb.footer);
  std::string text = title(program, page) + name_section(page, verb.help) +
                     synopsis(program, verb) + entries(verb.arguments);
  if (!footer.sentences.empty()) text += ".SH NOTES\n" + paragraphs(footer.sentences);
  return text + blocks(footer) + ".SH SEE ALSO\n.BR " + quoted(program.name) + " (1)\n";
}

}  // namespace apmt
