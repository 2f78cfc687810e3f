// The part of the store that holds tokens and the audit log.

#include "service/sql_store.h"

namespace apmt::service {
namespace {

Token token_of(const Statement& row) {
  return {row.text(0), row.text(1), row.text(2), role_from(row.text(3)),
          row.text(4), row.text(5), row.text(6), scope_from(row.text(7))};
}

}  // namespace

void SqlStore::add_token(const Token& token, const std::string& who) {
  const std::scoped_lock lock(writing_);
  Transaction transaction(writer_);
  Statement(writer_,
            "INSERT INTO tokens(id, name, secret_hash, role, made_at, expires_at, applications) "
            "VALUES($1, $2, $3, $4, $5, $6, $7)")
      .bind(token.id, token.name, token.secret_hash, to_string(token.role), token.made_at,
            token.expires_at, to_text(token.scope))
      .run();
  note(who, "token add", token.id,
       to_string(token.role) + " " + token.name +
           (token.scope.is_all() ? "" : " for " + to_text(token.scope)));
  transaction.commit();
}

std::optional<Token> SqlStore::token(const std::string& id) {
  const Readers::Lease reader = readers_.take();
  Statement found(
      reader,
      "SELECT id, name, secret_hash, role, made_at, expires_at, revoked_at, applications "
      "FROM tokens WHERE id = $1");
  found.bind(id);
  if (!found.step()) return std::nullopt;
  return token_of(found);
}

std::vector<Token> SqlStore::tokens() {
  const Readers::Lease reader = readers_.take();
  Statement rows(
      reader,
      "SELECT id, name, secret_hash, role, made_at, expires_at, revoked_at, applications "
      "FROM tokens ORDER BY made_at, id");
  std::vector<Token> tokens;
  while (rows.step()) tokens.push_back(token_of(rows));
  return tokens;
}

bool SqlStore::revoke_token(const std::string& id, const std::string& who) {
  const std::scoped_lock lock(writing_);
  Transaction transaction(writer_);
  const std::int64_t changed =
      Statement(writer_, "UPDATE tokens SET revoked_at = $1 WHERE id = $2 AND revoked_at = ''")
          .bind(utc_now(), id)
          .run();
  if (changed == 0) return false;
  note(who, "token revoke", id, {});
  transaction.commit();
  return true;
}

std::vector<AuditEntry> SqlStore::audit(int most) {
  const Readers::Lease reader = readers_.take();
  Statement rows(reader,
                 "SELECT number, at, who, what, subject, detail FROM audit "
                 "ORDER BY number DESC LIMIT $1");
  rows.bind(most);
  std::vector<AuditEntry> entries;
  while (rows.step())
    entries.push_back(
        {rows.integer(0), rows.text(1), rows.text(2), rows.text(3), rows.text(4), rows.text(5)});
  return entries;
}

}  // namespace apmt::service
