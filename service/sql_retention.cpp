// The part of the store that deletes what need not be kept any longer.

#include <algorithm>

#include "service/sql_store.h"

namespace apmt::service {

int SqlStore::forget_models(std::int64_t application, const Retention& retention) {
  const std::scoped_lock lock(writing_);
  Transaction transaction(writer_);
  const auto forgotten = static_cast<int>(
      Statement(writer_,
                "UPDATE models SET model = NULL, model_bytes = 0, report = NULL, report_bytes = 0 "
                "WHERE application = $1 AND model_bytes > 0 AND number < "
                "(SELECT number FROM models WHERE application = $1 AND is_good = 1 "
                "ORDER BY number DESC LIMIT 1 OFFSET $2)")
          .bind(application, std::max(retention.models, Retention::kFewestModels) - 1)
          .run());
  transaction.commit();
  return forgotten;
}

int SqlStore::forget_audit(const Retention& retention, const std::string& who) {
  if (retention.audit_days <= 0) return 0;
  const std::string first_kept = utc_in_days(-retention.audit_days);
  const std::scoped_lock lock(writing_);
  Transaction transaction(writer_);
  const auto forgotten = static_cast<int>(
      Statement(writer_, "DELETE FROM audit WHERE at < $1").bind(first_kept).run());
  if (forgotten == 0) return 0;
  note(who, "forget", "audit log", std::to_string(forgotten) + " entries before " + first_kept);
  transaction.commit();
  return forgotten;
}

}  // namespace apmt::service
