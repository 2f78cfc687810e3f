#include "fitter/foreign_files.h"

#include <utility>

#include "base/input_error.h"
#include "fitter/foreign_kind.h"

namespace apmt {

ForeignFile read_foreign(const std::string& text, const std::string& file,
                         const std::string& unit) {
  switch (foreign_kind(file, text)) {
    case ForeignKind::kExtrapJsonLines:
      return {"", read_extrap_json_lines(text, file)};
    case ForeignKind::kExtrapJson:
      return read_extrap_json(text, file);
    case ForeignKind::kCali:
      return read_cali(text, file, unit);
    case ForeignKind::kCaliperJson:
      return read_caliper_json(text, file, unit);
    case ForeignKind::kMpip:
      return read_mpip(text, file);
    case ForeignKind::kExtrapText:
      break;
  }
  return {"", read_extrap_text(text, file)};
}

ForeignFile joined(std::vector<ForeignFile> files, const std::string& program) {
  ForeignFile all{program, {}};
  for (ForeignFile& file : files) {
    if (all.program.empty()) all.program = file.program;
    if (program.empty() && !file.program.empty() && file.program != all.program)
      throw InputError("", "the files are of two programs: " + all.program + " and " + file.program,
                       "if it is one program under two names, name it: --program NAME");
    for (ForeignValues& values : file.values) all.values.push_back(std::move(values));
  }
  return all;
}

}  // namespace apmt
