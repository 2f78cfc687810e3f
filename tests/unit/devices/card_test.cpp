// Tests of device cards: what is read, what is refused, and that a written card is read back
// unchanged.
#include "devices/card.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "base/temporary_folder.h"
#include "devices/card_figures.h"
#include "devices/machine_card.h"
#include "tests/paths.h"

namespace apmt::devices {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr const char* kHead =
    "format: apmt-device\nformat_version: \"1.0\"\nname: box\nkind: gpu\n"
    "sources:\n"
    "  book: {kind: published, address: \"https://example.org\", publisher: vendor}\n"
    "  here: {kind: measured}\n";

class Card : public ::testing::Test {
 protected:
  Device read(const std::string& text) const {
    const fs::path file = folder_.path() / "card.yaml";
    std::ofstream(file, std::ios::binary) << text;
    return read_device(file);
  }
  std::string complaint(const std::string& text) const {
    try {
      read(text);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
  TemporaryFolder folder_;
};

std::vector<fs::path> shipped() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(source_dir() + "/configs/devices"))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

TEST_F(Card, AFigureHasItsOrigin) {
  const Device d = read(std::string(kHead) +
                        "cores: {value: 20, from: book, line: \"20 SMs\"}\n"
                        "slow_bytes_per_s: {value: 3.2e11, spread: 0.1, from: here}\n"
                        "launch_s: null\n");
  EXPECT_EQ(d.label, "card");
  EXPECT_EQ(d.cores->value, 20);
  EXPECT_EQ(d.cores->origin.line, "20 SMs");
  EXPECT_EQ(d.slow_bytes_per_s->spread, 0.1);
  EXPECT_FALSE(d.launch_s);
  EXPECT_FALSE(d.units);  // not in the file
  EXPECT_TRUE(d.is_measured());
}

TEST_F(Card, BadOnesAreRefusedWithTheirPlace) {
  const std::string head = kHead;
  EXPECT_THAT(complaint(head + "cores: {value: 20, from: book}\n"), HasSubstr("the line"));
  EXPECT_THAT(complaint(head + "cores: {value: 20, from: page, line: x}\n"),
              HasSubstr("one of the sources"));
  EXPECT_THAT(complaint(head + "cores: {value: 0, from: here}\n"), HasSubstr("above 0"));
  EXPECT_THAT(complaint(head + "cores: {value: 2.5, from: here}\n"), HasSubstr("whole number"));
  EXPECT_THAT(complaint(head + "cores: 20\n"), HasSubstr("cores"));
  EXPECT_THAT(complaint(head + "core: {value: 20, from: here}\n"), HasSubstr("one of: "));
  EXPECT_THAT(complaint(head + "launch_s: {value: 1e31, from: here}\n"), HasSubstr("launch_s"));
  EXPECT_THAT(complaint("format: apmt-device\nformat_version: \"2.0\"\n"), HasSubstr("reads 1"));
  EXPECT_THAT(complaint(head + "rates: {double: {peak: {core: {value: 2, from: here}, all: "
                               "{value: 1, from: here}}}}\n"),
              HasSubstr("no smaller rate"));
  EXPECT_THAT(complaint(head + "levels:\n- {name: L1, size_bytes: {value: 2, from: here}}\n"
                               "- {name: L2, size_bytes: {value: 1, from: here}}\n"),
              HasSubstr("more than the level before"));
  EXPECT_THAT(complaint(head + "levels:\n- {name: memory}\n- {name: L2}\n"),
              HasSubstr("nothing after the memory"));
  EXPECT_THAT(complaint("format: apmt-device\nformat_version: \"1.0\"\nname: x\nkind: cpu\n"
                        "sources: {s: {kind: published, publisher: vendor}}\n"),
              HasSubstr("address"));
}

TEST_F(Card, CurvesAreCheckedPointByPoint) {
  const auto with = [&](const std::string& curve) {
    return complaint(std::string(kHead) + "idioms: {stream: {from: here, " + curve + "}}\n");
  };
  EXPECT_EQ(with("points: [[1024, 1e9, 0], [2048, 2e9, 0]]"), "");
  EXPECT_THAT(with("points: [[1024, 1e9], [1024, 2e9]]"), HasSubstr("more bytes"));
  EXPECT_THAT(with("points: [[1024, 0]]"), HasSubstr("above 0"));
  EXPECT_THAT(with("points: []"), HasSubstr("at least one"));
  EXPECT_THAT(with("points: [[1, 1]], pieces: []"), HasSubstr("either"));
  // PMaC's equation (2) gives a negative bandwidth below 122 KB, so a card must not use it there.
  EXPECT_THAT(with("pieces: [{from_bytes: 1024, per_log_bytes_per_s: 13.59e9, "
                   "constant_bytes_per_s: -159.2e9}, {from_bytes: 4194305, constant_bytes_per_s: "
                   "53e9}]"),
              HasSubstr("above 0"));
  // The last piece has no upper limit, so its bandwidth may not fall.
  EXPECT_THAT(with("pieces: [{from_bytes: 1024, per_log_bytes_per_s: -1, constant_bytes_per_s: "
                   "100}]"),
              HasSubstr("above 0"));
}

TEST_F(Card, BetweenPointsBothAxesAreLogarithmic) {
  Curve curve;
  curve.points = {{1024, 1e9, 0}, {4096, 4e9, 0}};
  EXPECT_FALSE(curve.at(1000));
  EXPECT_FALSE(curve.at(std::nan("")));
  EXPECT_NEAR(curve.at(2048)->bytes_per_s, 2e9, 1);
  EXPECT_EQ(curve.at(1024)->bytes_per_s, 1e9);
  EXPECT_EQ(curve.at(4096)->bytes_per_s, 4e9);
  EXPECT_FALSE(curve.at(4096)->is_beyond);
  EXPECT_EQ(curve.at(1e9)->bytes_per_s, 4e9);
  EXPECT_TRUE(curve.at(1e9)->is_beyond);
}

TEST_F(Card, APeakIsThatOfAllCoresAndOfThePrecisionsMix) {
  Device d;
  d.cores = CardFigure{4, 0, {}};
  d.in_double.peak_core = CardFigure{10, 0, {}};
  EXPECT_EQ(d.peak_flops_per_s(), 40);
  EXPECT_FALSE(d.peak_flops_per_s(0.5));
  d.in_single.peak_all = CardFigure{80, 0, {}};
  EXPECT_NEAR(*d.peak_flops_per_s(0.5), 1 / (0.5 / 40 + 0.5 / 80), 1e-12);
  EXPECT_EQ(d.peak_flops_per_s(1), 80);
}

TEST_F(Card, ATransferIsItsCurveOrLatencyAndBandwidth) {
  Transfer t;
  EXPECT_EQ(t.seconds(0), 0);
  EXPECT_FALSE(t.seconds(100));
  t.bytes_per_s = CardFigure{100, 0, {}};
  t.latency_s = CardFigure{2, 0, {}};
  EXPECT_EQ(t.seconds(100), 3);
  t.curve = Curve{.points = {{50, 10, 0}, {1000, 10, 0}}, .pieces = {}, .origin = {}};
  EXPECT_NEAR(*t.seconds(100), 10, 1e-12);  // from the curve, which contains the latency
  EXPECT_EQ(t.seconds(20), 2.2);            // fewer bytes than the curve: latency and bandwidth
}

TEST_F(Card, WhatIsWrittenIsReadAgain) {
  Device d;
  d.name = "a \"box\"\n";
  d.kind = "accelerator";
  d.note = "none";
  d.sources["apmt"] = {.kind = "measured", .address = {}, .publisher = {}, .note = "here"};
  d.sources["book"] = {
      .kind = "published", .address = "https://x", .publisher = "other", .note = {}};
  double value = 3;
  for (const FigureField& f : kFigures) d.*f.member = CardFigure{value++, 0.25, {"apmt", "line"}};
  for (Rates* rates : {&d.in_double, &d.in_single})
    for (const RateField& f : kRates) {
      rates->*f.core = CardFigure{value++, 0, {"apmt", ""}};
      rates->*f.all = CardFigure{value++ * 1.5, 0, {"apmt", ""}};
    }
  d.levels = {{"L1", CardFigure{32768, 0, {"apmt", ""}}, CardFigure{1.25e-9, 0, {"apmt", ""}}, {}},
              {"memory", {}, {}, CardFigure{1e11, 0, {"book", "x: \"y\""}}}};
  d.to_device.curve =
      Curve{.points = {{1, 2, 0.5}, {1e12, 4.5, 0}}, .pieces = {}, .origin = {"apmt", "q"}};
  d.idioms["matrix-matrix product"] =
      Curve{.points = {},
            .pieces = {{131072, 13.59e9, -159.2e9}, {4194305, 0, 53e9}},
            .origin = {"apmt", ""}};
  const std::string text = to_yaml(d);
  EXPECT_EQ(to_yaml(read(text)), text);
  const Device again = read(text);
  EXPECT_EQ(again.name, "a \"box\" ");
  EXPECT_EQ(again.launch_s->value, d.launch_s->value);
  EXPECT_EQ(again.to_device.curve->points[1].bytes, 1e12);
  EXPECT_EQ(again.idioms.at("matrix-matrix product").pieces[0].constant, -159.2e9);
}

TEST_F(Card, SizesAreWrittenInFullAndRatesInFiveDigits) {
  Device d;
  d.name = "x";
  d.kind = "cpu";
  d.sources["here"] = {.kind = "measured", .address = {}, .publisher = {}, .note = {}};
  d.fast_bytes = CardFigure{33554433, 0, {"here", ""}};
  d.slow_bytes_per_s = CardFigure{17014312345.5, 0, {"here", ""}};
  const Device again = read(to_yaml(d));
  EXPECT_EQ(again.fast_bytes->value, 33554433);
  EXPECT_EQ(again.slow_bytes_per_s->value, 17014000000);
  EXPECT_EQ(to_yaml(again), to_yaml(d));
}

TEST_F(Card, AMachineProfileIsOne) {
  const Device d = read_device(source_dir() + "/configs/machines/nvidia-grace.yaml");
  EXPECT_EQ(d.cores->value, 72);
  EXPECT_EQ(d.fast_bytes->value, 119537664);
  EXPECT_EQ(d.slow_bytes_per_s->value, 5e11);
  EXPECT_NEAR(d.fast_latency_s->value, 1.29e-9, 1e-15);
  EXPECT_FALSE(d.peak_flops_per_s());  // a machine profile has no arithmetic rates
  EXPECT_EQ(d.sources.at("profile").kind, "assumed");

  MachineProfile measured;
  measured.name = "here";
  measured.provenance = "measured";
  measured.cores = 4;
  measured.levels = {
      {.name = "L1",
       .size_bytes = 100,
       .latency_ns = Figure{1, 0},
       .bandwidth_bytes_per_s = Figure{10, 0}},
      {.name = "LLC",
       .size_bytes = 1000,
       .latency_ns = Figure{3, 0.5},
       .bandwidth_bytes_per_s = Figure{6, 0},
       .knee_bytes = 800},
      {.name = "memory", .latency_ns = Figure{80, 0}, .bandwidth_bytes_per_s = Figure{2, 0}},
      {.name = "remote 20", .latency_ns = Figure{160, 0}, .bandwidth_bytes_per_s = Figure{1, 0}}};
  measured.bandwidth_by_cores = {{1, {2, 0}}, {4, {5, 0}}};
  const Device here = device_of(measured);
  EXPECT_NEAR(here.fast_latency_s->value, 2e-9, 1e-18);
  EXPECT_EQ(here.fast_latency_s->spread, 0.5);
  EXPECT_EQ(here.fast_bytes_per_s->value, (40 + 24) / 2.0);
  EXPECT_EQ(here.slow_bytes_per_s->value, 5);  // of all cores
  EXPECT_EQ(here.fast_bytes->value, 800);      // rather than 1000, which the kernel gives
  ASSERT_EQ(here.levels.size(), 3u);
  EXPECT_TRUE(here.is_measured());
}

TEST_F(Card, EveryShippedCardIsRead) {
  std::size_t published = 0;
  for (const fs::path& file : shipped()) {
    const Device d = read_device(file);
    EXPECT_FALSE(d.name.empty()) << file;
    EXPECT_EQ(to_yaml(read(to_yaml(d))), to_yaml(d)) << file;
    // bench/this_machine gives this name to the cards that it measures.
    if (file.filename().string().starts_with("this-machine-")) {
      EXPECT_EQ(d.idioms.size(), kIdioms.size()) << file;
      EXPECT_TRUE(d.slow_bytes_per_s && d.slow_bytes_per_s->spread > 0) << file;
    } else {
      EXPECT_FALSE(d.is_measured()) << file;
      ++published;
    }
    if (d.in_double.peak_all && d.in_single.peak_all) {
      EXPECT_LE(d.in_double.peak_all->value, d.in_single.peak_all->value) << file;
    }
  }
  EXPECT_EQ(published, 18u);
}

TEST_F(Card, DamagedOnesAreReadOrRefused) {
  std::mt19937 random(7);
  int refused = 0;
  for (const fs::path& file : shipped())
    for (int i = 0; i < 60; ++i) {
      std::string text = read_whole_file(file);
      for (int change = 0; change < 3; ++change) {
        const std::size_t at = random() % text.size();
        if (random() % 2 == 0)
          text[at] = static_cast<char>(random() % 128);
        else
          text.erase(at, random() % 40);
      }
      if (text.empty()) continue;
      try {
        read(text);
      } catch (const InputError&) {
        ++refused;
      }
    }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace apmt::devices
