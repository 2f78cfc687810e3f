// Tests of the file in which apmt refine --target-error stores its state.
#include "refine/loop_note.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "base/temporary_folder.h"

namespace apmt {
namespace {

using testing::ElementsAre;

class LoopNoteFile : public testing::Test {
 protected:
  std::optional<LoopNote> read(const std::string& members) {
    write_file_atomically(folder_.path() / LoopNote::kFile,
                          R"({"format": "apmt-refine", "format_version": "1.1", )" + members + "}");
    return read_note(folder_.path());
  }
  TemporaryFolder folder_;
};

TEST_F(LoopNoteFile, IsReadAsItWasWritten) {
  EXPECT_FALSE(read_note(folder_.path()));
  write_note(folder_.path(), {.before = {"halo2d.p4.r1"}, .at = 64, .step = {{16, 3, true}}});
  const auto note = read_note(folder_.path());
  ASSERT_TRUE(note && note->step);
  EXPECT_THAT(note->before, ElementsAre("halo2d.p4.r1"));
  EXPECT_EQ(note->at, 64);
  EXPECT_EQ(note->step->procs, 16);
  EXPECT_EQ(note->step->reps, 3);
  EXPECT_TRUE(note->step->at_frequencies);
  write_note(folder_.path(), {.before = {}, .at = 8, .step = {}});
  EXPECT_FALSE(read_note(folder_.path())->step);
}

TEST_F(LoopNoteFile, WithoutItsFieldsIsRefused) {
  EXPECT_TRUE(read(R"("at": 8, "before": [])"));
  for (const char* members :
       {R"("before": [])", R"("at": 0, "before": [])", R"("at": 1e30, "before": [])", R"("at": 8)",
        R"("at": 8, "before": [1])",
        R"("at": 8, "before": [], "step": {"procs": 4, "reps": -1, "at_frequencies": false})",
        R"("at": 8, "before": [], "step": {"procs": 4, "reps": 1})"})
    EXPECT_THROW(read(members), InputError) << members;
}

}  // namespace
}  // namespace apmt
