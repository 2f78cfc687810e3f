#include "cli/calibrate_device.h"

#include <cstdio>

#include "base/atomic_file.h"
#include "cli/logging.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "devices/calibrate/accelerator_probe.h"
#include "devices/calibrate/cpu.h"
#include "devices/calibrate/cuda.h"
#include "devices/calibrate/device_choice.h"
#include "devices/calibrate/opencl.h"
#include "machine/repeat.h"
#include "machine/yaml_json.h"
#include "reports/devices/device.h"
#include "reports/render.h"

namespace apmt {

namespace {

void print(const Report& report, const std::filesystem::path& file, bool json) {
  const std::string text = json ? format_json(read_yaml_file(file, "apmt-device", 1))
                                : render_text(report, text_columns());
  std::fputs(text.c_str(), stdout);
}

devices::Device measure(const DeviceCalibration& options) {
  const devices::DeviceChoice choice = devices::device_choice(options.device);
  const bool is_cpu = choice.interface == devices::DeviceInterface::kCpu;
  Progress progress(is_cpu ? "measuring the processors" : "measuring the device");
  const devices::CalibrationOptions calibration{
      .name = options.name,
      .by = "apmt " APMT_VERSION " calibrate --device " + options.device,
      .largest_bytes = options.largest_bytes,
      .effort = 1,
      .on_progress = [&](std::size_t done, std::size_t total) { progress.at(done, total); }};
  if (is_cpu) return devices::measure_cpu(calibration);
  const auto device = choice.interface == devices::DeviceInterface::kOpenCl
                          ? devices::open_opencl(choice.index)
                          : devices::open_cuda(choice.index);
  return devices::measure_accelerator(*device, calibration);
}

}  // namespace

void show_device(const std::filesystem::path& file, bool json) {
  print(make_device_report(devices::read_device(file)), file, json);
}

void calibrate_device(const DeviceCalibration& options) {
  const double begin_s = now_s();
  write_file_atomically(options.output, devices::to_yaml(measure(options)));
  Report report = make_device_report(devices::read_device(options.output));
  for (const std::string& doubt : report.warnings) logging::warn("{}", doubt);
  if (!report.warnings.empty())
    logging::warn("if other programs ran, measure again on an idle machine");
  report.warnings.clear();
  print(report, options.output, options.json);
  logging::info("measured in {:.0f} s; card written to {}", now_s() - begin_s,
                options.output.string());
}

}  // namespace apmt
