// The part of the store that holds histories of programs.

#include "service/packed.h"
#include "service/sqlite_store.h"

namespace apmt::service {

void SqliteStore::set_history(const std::string& name, const std::string& machine,
                              const StoredHistory& history) {
  const std::string packed_report = pack(history.report);
  const std::string packed_page = pack(history.page);
  const std::scoped_lock lock(writing_);
  Statement(writer_, "INSERT OR REPLACE INTO histories VALUES(?, ?, ?, ?, ?, ?, ?)")
      .bind(name, machine, utc_now(), Statement::blob(packed_report),
            static_cast<std::int64_t>(history.report.size()), Statement::blob(packed_page),
            static_cast<std::int64_t>(history.page.size()))
      .run();
}

std::optional<StoredHistory> SqliteStore::history(const std::string& name,
                                                  const std::string& machine) {
  const std::scoped_lock lock(reading_);
  Statement found(reader_,
                  "SELECT made_at, report, report_bytes, page, page_bytes FROM histories "
                  "WHERE name = ? AND machine = ?");
  found.bind(name, machine);
  if (!found.step()) return std::nullopt;
  StoredHistory history;
  history.made_at = found.text(0);
  history.report = unpack(found.text(1), static_cast<std::size_t>(found.integer(2)), "history");
  history.page = unpack(found.text(3), static_cast<std::size_t>(found.integer(4)), "history");
  return history;
}

}  // namespace apmt::service
