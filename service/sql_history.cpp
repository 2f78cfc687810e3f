// The part of the store that holds histories of programs.

#include "service/packed.h"
#include "service/sql_store.h"
#include "service/sql_text.h"

namespace apmt::service {

void SqlStore::set_history(const std::string& name, const std::string& machine,
                           const StoredHistory& history) {
  const std::string packed_report = pack(history.report);
  const std::string packed_page = pack(history.page);
  const std::scoped_lock lock(writing_);
  Transaction transaction(writer_);
  Statement(writer_,
            "INSERT INTO histories(name, machine, made_at, report, report_bytes, page, page_bytes) "
            "VALUES($1, $2, $3, $4, $5, $6, $7) ON CONFLICT(name, machine) DO UPDATE SET "
            "made_at = excluded.made_at, report = excluded.report, "
            "report_bytes = excluded.report_bytes, page = excluded.page, "
            "page_bytes = excluded.page_bytes")
      .bind(name, machine, utc_now(), as_bytes(packed_report),
            static_cast<std::int64_t>(history.report.size()), as_bytes(packed_page),
            static_cast<std::int64_t>(history.page.size()))
      .run();
  transaction.commit();
}

std::optional<StoredHistory> SqlStore::history(const std::string& name,
                                               const std::string& machine) {
  const Readers::Lease reader = readers_.take();
  Statement found(reader,
                  "SELECT made_at, report, report_bytes, page, page_bytes FROM histories "
                  "WHERE name = $1 AND machine = $2");
  found.bind(name, machine);
  if (!found.step()) return std::nullopt;
  StoredHistory history;
  history.made_at = found.text(0);
  history.report = unpack(found.bytes(1), static_cast<std::size_t>(found.integer(2)), "history");
  history.page = unpack(found.bytes(3), static_cast<std::size_t>(found.integer(4)), "history");
  return history;
}

}  // namespace apmt::service
