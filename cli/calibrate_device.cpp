#include "cli/calibrate_device.h"

#include <cstdio>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "cli/logging.h"
#include "cli/progress.h"
#include "devices/calibrate/cpu.h"
#include "machine/repeat.h"
#include "machine/yaml_json.h"
#include "reports/device.h"
#include "reports/render.h"

namespace apmt {

void show_device(const std::filesystem::path& file, bool json) {
  const devices::Device device = devices::read_device(file);
  const std::string text = json ? format_json(read_yaml_file(file, "apmt-device", 1))
                                : render_text(make_device_report(device));
  std::fputs(text.c_str(), stdout);
}

void calibrate_device(const DeviceCalibration& options) {
  if (options.device != "cpu")
    throw InputError("--device " + options.device, "only cpu can be measured",
                     "the card of another device can be written by hand (docs/devices.md)");
  const double begin_s = now_s();
  {
    Progress progress("measuring the processors");
    const devices::Device device = devices::measure_cpu(
        {.name = options.name,
         .by = "apmt " APMT_VERSION " calibrate --device cpu",
         .largest_bytes = options.largest_bytes,
         .effort = 1,
         .on_progress = [&](std::size_t done, std::size_t total) { progress.at(done, total); }});
    write_file_atomically(options.output, devices::to_yaml(device));
  }
  show_device(options.output, options.json);
  logging::info("measured in {:.0f} s; card written to {}", now_s() - begin_s,
                options.output.string());
}

}  // namespace apmt
