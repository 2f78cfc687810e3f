// Tests of reading callgrind's files: names by number, costs omitted at the end of a line, costs of
// called functions, code inlined from other files, and files that must be refused.
#include "profiler/simulated/callgrind_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/input_error.h"
#include "base/temporary_folder.h"

namespace apmt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kLabel = "desc: Trigger: Client Request: apmt rank 1 of 2 calls 3\n";
const std::string kHeader =
    "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: 5001\ncmd:  ./app 7\n" +
    kLabel + "\npositions: line\nevents: Ir Dr Dw\nsummary: 1000 1000 1000\n\n";
const std::string kBody =
    "ob=(1) /src/app\n"
    "fl=(1) /src/solve.c\n"
    "fn=(1) solve\n"
    "29 6 3\n"
    "fi=(2) /src/inline.h\n"
    "+4 10 2 1\n"
    "fe=(1)\n"
    "cob=(2) /lib/libm.so.6\n"
    "cfi=(3) ???\n"
    "cfn=(2) exp\n"
    "calls=5 +3 \n"
    "* 500 100 100\n"
    "* 4\n"
    "\n"
    "ob=(2)\n"
    "fl=(3)\n"
    "fn=(2)\n"
    "0 500 100 100\n"
    "\n"
    "ob=(1)\n"
    "fl=(1)\n"
    "fn=(1)\n"
    "-2 1 1 1\n";
const std::string kTotals = "\ntotals: 521 106 102\n";

CallgrindProfile profile_of(const std::string& text) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "callgrind.out";
  std::ofstream(path) << text;
  return read_callgrind_file(path);
}

std::string refusal(const std::string& text) {
  try {
    profile_of(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(CallgrindFile, GivesEveryFunctionItsOwnCosts) {
  const CallgrindProfile p = profile_of(kHeader + kBody + kTotals);
  EXPECT_EQ(p.rank, 1);
  EXPECT_EQ(p.ranks, 2);
  EXPECT_EQ(p.window_calls, 3u);
  EXPECT_THAT(p.events, ElementsAre("Ir", "Dr", "Dw"));
  ASSERT_EQ(p.costs.size(), 2u);
  EXPECT_THAT(p.costs.at({"/src/app", "solve", "/src/solve.c"}), ElementsAre(21, 6, 2));
  EXPECT_THAT(p.costs.at({"/lib/libm.so.6", "exp", ""}), ElementsAre(500, 100, 100));
}

TEST(CallgrindFile, AddressesBesideLinesAreNoCosts) {
  std::string header = kHeader;
  header.replace(header.find("positions: line"), 15, "positions: instr line");
  const CallgrindProfile p =
      profile_of(header + "ob=(1) a\nfl=(1) b\nfn=(1) c\n0x1234 5 7\n+3 * 1 2 3\ntotals: 8 2 3\n");
  EXPECT_THAT(p.costs.at({"a", "c", "b"}), ElementsAre(8, 2, 3));
}

TEST(CallgrindFile, RefusesWhatIsNotWhole) {
  EXPECT_THAT(refusal(""), HasSubstr("not a file of callgrind"));
  EXPECT_THAT(refusal("hello\n"), HasSubstr("not a file of callgrind"));
  EXPECT_THAT(refusal(kHeader + kBody), HasSubstr("the end of the file is missing"));
  EXPECT_THAT(refusal(kHeader + kBody + "\ntotals: 520 106 102\n"),
              HasSubstr("Ir add up to 521, not to 520"));
  EXPECT_THAT(refusal(kHeader + "29 1 2 3 4\n"), HasSubstr("without a function"));
  EXPECT_THAT(refusal(kHeader + "fn=(1) f\n29 1 2 3 4\n"), HasSubstr(":13: more numbers"));
  EXPECT_THAT(refusal(kHeader + "fn=(1) f\n29 1 x\n"), HasSubstr("not a number: x"));
  std::string unlabelled = kHeader + kBody + kTotals;
  unlabelled.erase(unlabelled.find(kLabel), kLabel.size());
  EXPECT_THAT(refusal(unlabelled), HasSubstr("the rank"));
}

TEST(CallgrindFile, EventsAreListedOnceAndFirst) {
  EXPECT_THAT(refusal(kHeader + kBody + "events: Ir Dr Dw\n0 1 1 1 1 1\n" + kTotals),
              HasSubstr("a second list of events"));
  EXPECT_THAT(refusal(kLabel + kBody), HasSubstr("before the list of events"));
}

TEST(CallgrindFile, SaysWhichFileIsNotThere) {
  EXPECT_THROW(read_callgrind_file("/nowhere/callgrind.out.1"), InputError);
}

}  // namespace
}  // namespace apmt
