// Fuzzes files of kernel analyses: reads an analysis, writes it as JSON, and prints its report.

#include "kernels/analysis.h"
#include "reports/kernels.h"
#include "reports/render.h"
#include "tests/fuzz/answers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const apmt::fuzz::File file(data, size);
  return apmt::fuzz::answers([&] {
    const apmt::kernels::Analysis analysis = apmt::kernels::read_analysis(file.path());
    apmt::kernels::analysis_to_json(analysis);
    apmt::render_text(apmt::make_analysis_report(analysis));
  });
}
