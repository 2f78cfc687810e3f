// apmt manual: prints or writes manual pages and shell completions. The build calls it for the
// files that are installed; users without an installation call it themselves.

#include <cstdio>

#include "base/atomic_file.h"
#include "cli/completion.h"
#include "cli/installation.h"
#include "cli/man_page.h"
#include "cli/other_verbs.h"
#include "cli/verbs.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

constexpr const char* kManualFooter =
    "Examples:\n"
    "  apmt manual predict | man -l -\n"
    "  source <(apmt manual --completion bash)          (in ~/.bashrc)\n"
    "  apmt manual --completion zsh > ~/.zfunc/_apmt\n"
    "  apmt manual --completion fish > ~/.config/fish/completions/apmt.fish\n"
    "  apmt manual --write /usr/local/share             (all of it, for all users)\n"
    "\n"
    "Packages and cmake --install put all of it where man and the shells find it.";

struct ManualArguments {
  std::string verb;
  std::string shell;
  fs::path write;
};

/// Replaces the path of apmt's libraries with an example, because the pages are read on other
/// machines.
std::string without_own_place(std::string text) {
  std::error_code ignored;
  const fs::path own =
      (fs::read_symlink("/proc/self/exe", ignored).parent_path() / "../" APMT_LIBRARY_DIR)
          .lexically_normal();
  const std::string elsewhere = "/path/to";
  for (std::size_t at = 0; (at = text.find(own.string(), at)) != std::string::npos;)
    text.replace(at, own.string().size(), elsewhere);
  return text;
}

ProgramDescription described(const CommandLine& program) {
  ProgramDescription described = program.describe();
  described.version = APMT_VERSION;
  for (VerbDescription& verb : described.verbs) verb.footer = without_own_place(verb.footer);
  return described;
}

std::string page_of(const ProgramDescription& program, const std::string& name) {
  for (const VerbDescription& verb : program.verbs)
    if (verb.name == name) return man_page(program, verb);
  return man_page(program);
}

std::vector<std::string> names_of(const std::vector<VerbDescription>& verbs) {
  std::vector<std::string> names;
  for (const VerbDescription& verb : verbs) names.push_back(verb.name);
  return names;
}

std::string completion(const ProgramDescription& program, const std::string& shell) {
  return shell == "bash"  ? bash_completion(program)
         : shell == "zsh" ? zsh_completion(program)
                          : fish_completion(program);
}

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  write_file_atomically(file, text);
}

void write_all(const ProgramDescription& program, const fs::path& share) {
  const fs::path pages = share / "man/man1";
  write(pages / "apmt.1", man_page(program));
  for (const VerbDescription& verb : program.verbs)
    write(pages / ("apmt-" + verb.name + ".1"), man_page(program, verb));
  write(share / "bash-completion/completions/apmt", bash_completion(program));
  // zsh on Debian reads the completions of packages from vendor-completions.
  for (const char* folder : {"zsh/site-functions", "zsh/vendor-completions"})
    write(share / folder / "_apmt", zsh_completion(program));
  write(share / "fish/vendor_completions.d/apmt.fish", fish_completion(program));
}

int run_manual(const CommandLine& command_line, const ManualArguments& options) {
  const ProgramDescription program = described(command_line);
  if (!options.write.empty()) {
    write_all(program, options.write);
    return 0;
  }
  const std::string text =
      options.shell.empty() ? page_of(program, options.verb) : completion(program, options.shell);
  std::fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace

void add_manual(CommandLine& program) {
  Verb verb = program.add_verb(kManual.name, kManual.help);
  verb.footer(kManualFooter);
  auto options = std::make_shared<ManualArguments>();
  Argument page =
      verb.add_option("verb", options->verb, "Verb whose manual page to print [apmt itself]")
          .check(one_of(names_of(program.describe().verbs)));
  Argument shell =
      verb.add_option("--completion", options->shell, "Print the completion script of a shell")
          .check(one_of({"bash", "zsh", "fish"}))
          .excludes(page);
  verb.add_option("--write", options->write,
                  "Write all pages and completions below a folder such as /usr/local/share")
      .excludes(page)
      .excludes(shell);
  verb.action([&program, options] { return run_manual(program, *options); });
}

}  // namespace apmt
