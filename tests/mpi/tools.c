// The MPI tool information interface: variables, categories, enumerations and, in MPI-4, events.
// Each MPI offers different ones, but all results must be the same as without the recorder.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"

enum { kText = 4096 };

static char name[kText], description[kText];

/// Reads every control variable that is a single int and not bound to an object, and writes the
/// value back.
static void control_variables(void) {
  int count, seen = 0;
  MPI_T_cvar_get_num(&count);
  CHECK(count > 0);
  for (int i = 0; i < count; ++i) {
    int name_length = kText, text_length = kText, verbosity, binding, scope, again, elements;
    MPI_Datatype type;
    MPI_T_enum values;
    MPI_T_cvar_handle handle;
    if (MPI_T_cvar_get_info(i, name, &name_length, &verbosity, &type, &values, description,
                            &text_length, &binding, &scope) != MPI_SUCCESS)
      continue;
    if (binding != MPI_T_BIND_NO_OBJECT || type != MPI_INT) continue;
    if (MPI_T_cvar_get_index(name, &again) != MPI_SUCCESS || again != i) continue;
    if (values != MPI_T_ENUM_NULL) {
      int items, value;
      name_length = kText;
      MPI_T_enum_get_info(values, &items, name, &name_length);
      name_length = kText;
      if (items > 0) MPI_T_enum_get_item(values, 0, &value, name, &name_length);
    }
    if (MPI_T_cvar_handle_alloc(i, NULL, &handle, &elements) != MPI_SUCCESS) continue;
    if (elements == 1) {
      int value;
      CHECK(MPI_T_cvar_read(handle, &value) == MPI_SUCCESS);
      MPI_T_cvar_write(handle, &value);
      ++seen;
    }
    CHECK(MPI_T_cvar_handle_free(&handle) == MPI_SUCCESS);
  }
  CHECK(seen > 0);
}

static void performance_variables(void) {
  int count;
  MPI_T_pvar_session session;
  MPI_T_pvar_get_num(&count);
  CHECK(MPI_T_pvar_session_create(&session) == MPI_SUCCESS);
  for (int i = 0; i < count; ++i) {
    int name_length = kText, text_length = kText, verbosity, class, binding, read_only, continuous,
        atomic, again, elements;
    MPI_Datatype type;
    MPI_T_enum values;
    MPI_T_pvar_handle handle;
    if (MPI_T_pvar_get_info(i, name, &name_length, &verbosity, &class, &type, &values, description,
                            &text_length, &binding, &read_only, &continuous,
                            &atomic) != MPI_SUCCESS)
      continue;
    MPI_T_pvar_get_index(name, class, &again);
    // Open MPI 4.1 crashes here if the network psm2 is not in use, with or without a tool.
    if (strstr(name, "psm2") != NULL) continue;
    if (binding != MPI_T_BIND_NO_OBJECT ||
        MPI_T_pvar_handle_alloc(session, i, NULL, &handle, &elements) != MPI_SUCCESS)
      continue;
    static char value[1 << 16];
    if (elements <= 1024) {
      if (!continuous) MPI_T_pvar_start(session, handle);
      MPI_T_pvar_read(session, handle, value);
      if (!read_only) {
        MPI_T_pvar_readreset(session, handle, value);
        MPI_T_pvar_reset(session, handle);
        MPI_T_pvar_write(session, handle, value);
      }
      if (!continuous) MPI_T_pvar_stop(session, handle);
    }
    MPI_T_pvar_handle_free(session, &handle);
  }
  CHECK(MPI_T_pvar_session_free(&session) == MPI_SUCCESS);
}

static void categories(void) {
  int count, stamp;
  MPI_T_category_get_num(&count);
  MPI_T_category_changed(&stamp);
  for (int i = 0; i < count; ++i) {
    int name_length = kText, text_length = kText, cvars, pvars, below, again;
    if (MPI_T_category_get_info(i, name, &name_length, description, &text_length, &cvars, &pvars,
                                &below) != MPI_SUCCESS)
      continue;
    CHECK(MPI_T_category_get_index(name, &again) == MPI_SUCCESS && again == i);
    int* const list = malloc((size_t)(cvars + pvars + below + 1) * sizeof *list);
    if (cvars > 0) MPI_T_category_get_cvars(i, cvars, list);
    if (pvars > 0) MPI_T_category_get_pvars(i, pvars, list);
    if (below > 0) MPI_T_category_get_categories(i, below, list);
    free(list);
  }
}

#if MPI_VERSION >= 4
static void on_event(MPI_T_event_instance event, MPI_T_event_registration registration,
                     MPI_T_cb_safety safety, void* data) {
  (void)registration;
  (void)safety;
  (void)data;
  char value[64];
  MPI_Count when;
  int source;
  MPI_T_event_read(event, 0, value);
  MPI_T_event_copy(event, value);
  MPI_T_event_get_timestamp(event, &when);
  MPI_T_event_get_source(event, &source);
}
static void on_dropped(MPI_Count count, MPI_T_event_registration registration, int source,
                       MPI_T_cb_safety safety, void* data) {
  (void)count;
  (void)registration;
  (void)source;
  (void)safety;
  (void)data;
}
static void on_freed(MPI_T_event_registration registration, MPI_T_cb_safety safety, void* data) {
  (void)registration;
  (void)safety;
  (void)data;
}

static void events(void) {
  int count, sources, in_category;
  MPI_T_category_get_num(&count);
  if (count > 0) {
    MPI_T_category_get_num_events(0, &in_category);
    if (in_category > 0) {
      int* const list = malloc((size_t)in_category * sizeof *list);
      MPI_T_category_get_events(0, in_category, list);
      free(list);
    }
  }
  MPI_T_source_get_num(&sources);
  for (int i = 0; i < sources; ++i) {
    int name_length = kText, text_length = kText;
    MPI_T_source_order order;
    MPI_Count ticks, most, now;
    MPI_Info info;
    if (MPI_T_source_get_info(i, name, &name_length, description, &text_length, &order, &ticks,
                              &most, &info) != MPI_SUCCESS)
      continue;
    if (info != MPI_INFO_NULL) MPI_Info_free(&info);
    MPI_T_source_get_timestamp(i, &now);
  }
  MPI_T_event_get_num(&count);
  for (int i = 0; i < count; ++i) {
    int name_length = kText, text_length = kText, verbosity, elements = 0, binding, again;
    MPI_T_enum values;
    MPI_Info info;
    MPI_T_event_registration registration;
    if (MPI_T_event_get_info(i, name, &name_length, &verbosity, NULL, NULL, &elements, &values,
                             &info, description, &text_length, &binding) != MPI_SUCCESS)
      continue;
    if (info != MPI_INFO_NULL) MPI_Info_free(&info);
    MPI_T_event_get_index(name, &again);
    if (MPI_T_event_handle_alloc(i, NULL, MPI_INFO_NULL, &registration) != MPI_SUCCESS) continue;
    MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL,
                                  on_event);
    MPI_T_event_set_dropped_handler(registration, on_dropped);
    MPI_T_event_handle_get_info(registration, &info);
    MPI_T_event_handle_set_info(registration, MPI_INFO_NULL);
    MPI_T_event_callback_get_info(registration, MPI_T_CB_REQUIRE_NONE, &info);
    MPI_T_event_callback_set_info(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL);
    MPI_T_event_handle_free(registration, NULL, on_freed);
  }
}
#endif

int main(int argc, char** argv) {
  int provided, rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  control_variables();
  performance_variables();
  categories();
#if MPI_VERSION >= 4
  events();
#endif
  MPI_T_finalize();
  MPI_Finalize();
  expect_write(rank);
  return 0;
}
