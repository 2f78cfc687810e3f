// Tests of tokens, hashes and base64.

#include "service/tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/input_error.h"
#include "service/digest.h"
#include "store_fixture.h"

namespace apmt::service {
namespace {

using testing::StoreInFolder;

class TokensTest : public ::testing::Test {
 protected:
  std::string add(Role role, std::optional<int> days = std::nullopt) {
    last = make_token("a test", role, days);
    here.store->add_token(last.stored, "me");
    return last.text;
  }
  StoreInFolder here;
  NewToken last;
};

TEST_F(TokensTest, AreKnownByTheirSecret) {
  const std::string token = add(Role::kPusher);
  const std::optional<Caller> caller = caller_of(*here.store, "Bearer " + token);
  ASSERT_TRUE(caller);
  EXPECT_EQ(caller->token, last.stored.id);
  EXPECT_EQ(caller->role, Role::kPusher);
}

TEST_F(TokensTest, TheStoreHoldsNoSecret) {
  const std::string token = add(Role::kReader);
  const std::string secret = token.substr(token.rfind('_') + 1);
  const Token stored = *here.store->token(last.stored.id);
  EXPECT_NE(stored.secret_hash, secret);
  EXPECT_EQ(stored.secret_hash, sha256(secret));
}

TEST_F(TokensTest, WrongOnesAreNobody) {
  const std::string token = add(Role::kReader);
  std::string wrong = token;
  wrong.back() = wrong.back() == '0' ? '1' : '0';
  std::string other = token;
  other[6] = other[6] == '0' ? '1' : '0';
  for (const std::string& text :
       {std::string(), std::string("Bearer "), "Bearer " + wrong, "Bearer " + other,
        "Bearer " + token + "0", "Bearer " + token.substr(0, token.size() - 1), token,
        "Token " + token, "bearer" + token, std::string("Basic !!!!"), std::string("Basic ")})
    EXPECT_FALSE(caller_of(*here.store, text)) << text;
}

TEST_F(TokensTest, BrowsersSendIdAndSecretAsUserAndPassword) {
  // Base64 of "user:secret".
  EXPECT_EQ(from_base64("dXNlcjpzZWNyZXQ="), "user:secret");
  EXPECT_EQ(from_base64("YQ=="), "a");
  EXPECT_FALSE(from_base64("YQ"));
  EXPECT_FALSE(from_base64("*aaa"));
  EXPECT_FALSE(from_base64("YT=2"));
  EXPECT_FALSE(from_base64(" YQ=    "));
}

TEST_F(TokensTest, RevokedAndExpiredOnesAreNobody) {
  const std::string token = add(Role::kKeeper);
  EXPECT_TRUE(here.store->revoke_token(last.stored.id, "me"));
  EXPECT_FALSE(here.store->revoke_token(last.stored.id, "me"));
  EXPECT_FALSE(caller_of(*here.store, "Bearer " + token));
  const std::string expired = add(Role::kReader, 0);
  EXPECT_FALSE(caller_of(*here.store, "Bearer " + expired));
  const std::string tomorrow = add(Role::kReader, 1);
  EXPECT_TRUE(caller_of(*here.store, "Bearer " + tomorrow));
}

TEST_F(TokensTest, RolesHaveNames) {
  for (const Role role : {Role::kReader, Role::kPusher, Role::kKeeper})
    EXPECT_EQ(role_from(to_string(role)), role);
  EXPECT_THROW(role_from("root"), InputError);
  EXPECT_THROW(make_token("", Role::kReader, std::nullopt), InputError);
}

TEST(Digest, MatchesAPublishedValue) {
  // FIPS 180-2, appendix B.1.
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_NE(random_name(8), random_name(8));
  EXPECT_EQ(random_name(8).size(), 16u);
  EXPECT_TRUE(are_equal_in_constant_time("ab", "ab"));
  EXPECT_FALSE(are_equal_in_constant_time("ab", "ac"));
  EXPECT_FALSE(are_equal_in_constant_time("ab", "abc"));
}

}  // namespace
}  // namespace apmt::service
