// Tests of reading Score-P's profiles (CUBE). The packed values are from a matrix product
// (github.com/extra-p/extrap, tests/data/cubeset/single_parameter/mm.x1000y1z1.r1/profile.cubex);
// everything else was made for this test.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>

#include "base/input_error.h"
#include "tests/unit/foreign/reading.h"

namespace apmt {
namespace {

using testing::HasSubstr;

constexpr const char* kPackedTimes =
    "5a43554245582e44415441"
    "0400000000000000000000000000000000000000000000001000000000000000"
    "0800000000000000100000000000000010000000000000001000000000000000"
    "2000000000000000100000000000000018000000000000003000000000000000"
    "1000000000000000"
    "789cebb87539f17839833d0015d50414789cd3b17ba374e3d72b3b0011ac0473"
    "789c2b74e0fb327dc3213b00109603fb789cab3857d218cd7fc10e00121e03b4";

std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

std::string member(const std::string& name, const std::string& content) {
  std::string header(512, '\0');
  header.replace(0, name.size(), name);
  char size[12];
  std::snprintf(size, sizeof size, "%011zo", content.size());
  header.replace(124, 11, size);
  header[156] = '0';
  header.replace(257, 5, "ustar");
  std::string padded = content;
  padded.resize((content.size() + 511) / 512 * 512, '\0');
  return header + padded;
}

template <typename T>
std::string bytes_of(std::initializer_list<T> values) {
  std::string bytes;
  for (const T value : values) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    bytes.append(raw, sizeof(T));
  }
  return bytes;
}

std::string index_of(std::initializer_list<std::uint32_t> entries) {
  return "CUBEX.INDEX" + bytes_of<std::uint32_t>({1}) + bytes_of<std::uint16_t>({0}) + '\1' +
         bytes_of<std::uint32_t>({static_cast<std::uint32_t>(entries.size())}) +
         bytes_of<std::uint32_t>(entries);
}

std::string metric(int id, const std::string& type, const std::string& name,
                   const std::string& dtype) {
  return "<metric id=\"" + std::to_string(id) + "\" type=\"" + type + "\"><uniq_name>" + name +
         "</uniq_name><dtype>" + dtype + "</dtype></metric>";
}

/// main calls `solve` and then a function named `ends`; `solve` calls MPI_Send. Order in the file:
/// main, solve, MPI_Send, ends.
constexpr const char* kTree =
    "<region id=\"0\"><name>main</name></region><region id=\"1\"><name>solve</name></region>"
    "<region id=\"2\"><name>MPI_Send</name></region><region id=\"3\"><name>ends</name></region>"
    "<cnode id=\"0\" calleeId=\"0\"><cnode id=\"1\" calleeId=\"1\"><cnode id=\"2\" calleeId=\"2\"/>"
    "</cnode><cnode id=\"3\" calleeId=\"3\"/></cnode>";

/// Two processes of two threads each, and an accelerator.
constexpr const char* kTwoProcesses =
    "<locationgroup Id=\"0\"><name>rank 0</name><type>process</type>"
    "<location Id=\"0\"><type>thread</type></location><location Id=\"1\"><type>thread</type>"
    "</location></locationgroup><locationgroup Id=\"1\"><type>process</type>"
    "<location Id=\"2\"><type>thread</type></location><location Id=\"3\"><type>thread</type>"
    "</location></locationgroup><locationgroup Id=\"2\"><type>accelerator</type>"
    "<location Id=\"4\"><type>accelerator stream</type></location></locationgroup>";

constexpr const char* kOneProcess =
    "<locationgroup Id=\"0\"><type>process</type><location Id=\"0\"></location></locationgroup>";

std::string anchor(const std::string& metrics, const std::string& system) {
  return "<?xml version=\"1.0\"?><cube version=\"4.3\"><metrics>" + metrics +
         "</metrics><program>" + kTree + "</program><system>" + system + "</system></cube>";
}

double value_of(const ForeignFile& file, const std::string& region,
                const std::string& metric = "time") {
  for (const ForeignValues& v : file.values)
    if (v.callpath == region && v.metric == metric) return v.values.at(0);
  return -1;
}

std::string refused_cube(const std::string& text) { return refusal(text, "run.p2/profile.cubex"); }

TEST(Cube, PackedInclusiveTimesAreMadeExclusive) {
  // In the order of inclusive values, all children of a path come before its grandchildren: main,
  // solve, ends, MPI_Send.
  const std::string archive =
      member("anchor.xml", anchor(metric(1, "INCLUSIVE", "time", "DOUBLE"), kOneProcess)) +
      member("1.index", index_of({0, 1, 2, 3})) + member("1.data", from_hex(kPackedTimes));
  const ForeignFile file = read_foreign(archive, "mm.x1000y1z1.r1/profile.cubex");
  EXPECT_EQ(file.program, "mm");
  ASSERT_EQ(file.values.size(), 4u);
  EXPECT_EQ(file.values[0].params,
            (std::map<std::string, double>{{"p", 1}, {"x", 1000}, {"y", 1}, {"z", 1}}));
  EXPECT_DOUBLE_EQ(value_of(file, "main"), 3.141e-05 - 1.2865e-05 - 2.228e-06);
  EXPECT_DOUBLE_EQ(value_of(file, "solve"), 1.2865e-05 - 3.829e-06);
  EXPECT_DOUBLE_EQ(value_of(file, "ends"), 2.228e-06);
  EXPECT_DOUBLE_EQ(value_of(file, "MPI_Send"), 3.829e-06);
}

TEST(Cube, TimeIsOfTheThreadThatCallsMpiAndCountsAreOfAll) {
  const std::string archive =
      member("anchor.xml", anchor(metric(0, "EXCLUSIVE", "time", "DOUBLE") +
                                      metric(7, "EXCLUSIVE", "PAPI_TOT_INS", "UINT64"),
                                  kTwoProcesses)) +
      // Exclusive values are numbered depth first: 2 is MPI_Send. Values that are not listed are
      // zero.
      member("0.index", index_of({0, 2})) +
      member("0.data", "CUBEX.DATA" + bytes_of<double>({1, 100, 3, 100, 100,  //
                                                        0.5, 0, 1.5, 0, 0})) +
      member("7.index", index_of({1})) +
      member("7.data", "CUBEX.DATA" + bytes_of<std::uint64_t>({10, 20, 30, 40, 99}));
  const ForeignFile file = read_foreign(archive, "profile.cubex");
  EXPECT_EQ(file.values[0].params, (std::map<std::string, double>{{"p", 2}}));
  EXPECT_DOUBLE_EQ(value_of(file, "main"), 2);
  EXPECT_DOUBLE_EQ(value_of(file, "MPI_Send"), 1);
  EXPECT_DOUBLE_EQ(value_of(file, "solve", "PAPI_TOT_INS"), 50);
  EXPECT_EQ(value_of(file, "ends"), -1);
}

TEST(Cube, WhatIsDamagedIsNamed) {
  const std::string times = metric(0, "EXCLUSIVE", "time", "DOUBLE");
  const std::string head = member("anchor.xml", anchor(times, kOneProcess));
  const std::string index = member("0.index", index_of({0}));
  const std::string good = head + index + member("0.data", "CUBEX.DATA" + bytes_of<double>({1}));
  EXPECT_EQ(refused_cube(good), "taken");
  EXPECT_THAT(refused_cube(good.substr(0, good.size() - 512)), HasSubstr("'0.data' is cut off"));
  EXPECT_THAT(refused_cube(index), HasSubstr("has no 'anchor.xml'"));
  EXPECT_THAT(refused_cube(head + index), HasSubstr("has no '0.data'"));
  EXPECT_THAT(refused_cube(head + index + member("0.data", "CUBEX.DATA" + bytes_of<double>({1, 2}))),
              HasSubstr("0.data: expected 1 call path on 1 location, found 16 bytes"));
  EXPECT_THAT(refused_cube(head + member("0.index", index_of({9})) +
                      member("0.data", "CUBEX.DATA" + bytes_of<double>({1}))),
              HasSubstr("names a call path that anchor.xml lacks"));
  EXPECT_THAT(
      refused_cube(head + index +
              member("0.data", "ZCUBEX.DATA" + bytes_of<std::uint64_t>({1, 0, 0, 3}) + "abc")),
      HasSubstr("damaged compressed data"));
  EXPECT_THAT(refused_cube(member("anchor.xml", "<cube><metrics>")),
              HasSubstr("anchor.xml:1: no element"));
  EXPECT_THAT(refused_cube(member("anchor.xml",
                             anchor(metric(0, "EXCLUSIVE", "visits", "UINT64"), kOneProcess))),
              HasSubstr("no metric 'time'"));
  EXPECT_THAT(refused_cube(member("anchor.xml",
                             anchor(metric(0, "EXCLUSIVE", "time", "TAU_ATOMIC"), kOneProcess))),
              HasSubstr("is of type TAU_ATOMIC"));
  EXPECT_THAT(refused_cube(member("anchor.xml", anchor(times, ""))), HasSubstr("lists no process"));
}

TEST(Cube, MoreThanTheTreeCallsForIsNotRead) {
  const std::string times = metric(1, "INCLUSIVE", "time", "DOUBLE");
  const std::string head = member("anchor.xml", anchor(times, kOneProcess));
  // The index lists one value, but the packed data hold four. In a hostile file, the packed data
  // could hold a billion.
  EXPECT_THAT(
      refused_cube(head + member("1.index", index_of({0})) + member("1.data", from_hex(kPackedTimes))),
      HasSubstr("1.data: holds more values than its index lists"));
  EXPECT_THAT(
      refused_cube(head + member("1.index", index_of({0, 1, 2, 3, 0})) + member("1.data", "CUBEX.DATA")),
      HasSubstr("names more call paths than anchor.xml"));
  std::string paths = "<region id=\"0\"><name>main</name></region>";
  std::string locations = "<locationgroup Id=\"0\"><type>process</type>";
  for (int i = 0; i < 12'000; ++i) {
    paths += "<cnode id=\"0\" calleeId=\"0\"/>";
    locations += "<location Id=\"0\"></location>";
  }
  EXPECT_THAT(refused_cube(member("anchor.xml", "<cube><metrics>" + times + "</metrics>" + paths +
                                               locations + "</locationgroup></cube>")),
              HasSubstr("describes more than 1 GiB of values"));
}

TEST(Folders, OfExtraPAndOfOurOwnSayProgramAndSizes) {
  const ForeignFile said = said_by_folder("lulesh.p27.size30.r2");
  EXPECT_EQ(said.program, "lulesh");
  EXPECT_EQ(said.metadata, (std::map<std::string, double>{{"size", 30}}));
  EXPECT_EQ(said_by_folder("mm.x10y1.z25.r1").metadata,
            (std::map<std::string, double>{{"x", 10}, {"y", 1}, {"z", 25}}));
  for (const char* other : {"results", "v1.2", "app.final", "lulesh.p27.size", ""})
    EXPECT_TRUE(said_by_folder(other).program.empty()) << other;
}

}  // namespace
}  // namespace apmt
