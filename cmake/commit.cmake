# cmake -DGIT=... -DSOURCE=... -DCOMMIT=... -DOUTPUT=... -P commit.cmake: writes the source file OUTPUT, which
# defines the commit of the sources for apmt --version. Packagers pass COMMIT if they build without git's directory.
if(NOT COMMIT AND GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --short=12 HEAD OUTPUT_VARIABLE COMMIT ERROR_QUIET
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT
"#include \"cli/version.h\"

namespace apmt {
const char* const kCommit = \"@COMMIT@\";
}  // namespace apmt
")
