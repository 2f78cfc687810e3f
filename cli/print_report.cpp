#include "cli/print_report.h"

#include <cstdio>

#include "base/atomic_file.h"
#include "cli/logging.h"
#include "cli/terminal.h"
#include "reports/render.h"

namespace apmt {

void print_report(const Report& report, const std::filesystem::path& page,
                  const std::optional<std::string>& json) {
  if (!page.empty()) {
    write_file_atomically(page, render_html(report));
    logging::info("page written to {}", page.string());
  }
  std::fputs((json ? *json : render_text(report, text_columns())).c_str(), stdout);
}

}  // namespace apmt
