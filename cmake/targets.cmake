# The two kinds of code in this project, and how each is compiled.

set(APMT_WARNINGS -Wall -Wextra -Wshadow -Wconversion)
if(APMT_WERROR)
  list(APPEND APMT_WARNINGS -Werror)
endif()

# apmt_offline_library(name sources...): ordinary C++20, exceptions, any package.
function(apmt_offline_library name)
  add_library(${name} STATIC ${ARGN})
  apmt_offline_options(${name})
endfunction()

function(apmt_offline_options name)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(${name} PRIVATE ${APMT_WARNINGS})
  if(APMT_SANITIZE)
    target_compile_options(${name} PRIVATE -fsanitize=${APMT_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(${name} PUBLIC -fsanitize=${APMT_SANITIZE})
  endif()
endfunction()

# apmt_inside_options(target): code that runs inside the profiled program. No exceptions, no RTTI, no
# libstdc++, no guard variables, thread-locals without __tls_get_addr, nothing exported by accident.
function(apmt_inside_options name)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(${name} PRIVATE ${APMT_WARNINGS}
    -fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-asynchronous-unwind-tables
    -ftls-model=initial-exec -fvisibility=hidden -fno-stack-protector -fPIC -O2)
  target_compile_definitions(${name} PRIVATE _GNU_SOURCE)
endfunction()
