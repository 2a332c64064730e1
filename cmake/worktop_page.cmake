# The page: the engine as WebAssembly, and the HTML file that carries it (apps/page).
#
#   WORKTOP_PAGE   AUTO: where everything for it is there (tools/setup); ON: must be; OFF
#
# sets WORKTOP_HAS_PAGE, and declares
#
#   worktop_wasm(OUTPUT engine.wasm SOURCES a.cc ... ROOMS base ...)   the sources and those of the rooms
#
# The compiler is the clang within the Python package ziglang, with its own libc and libc++. It finds our headers, those
# of fmt and nlohmann-json through a folder of links, and nothing else of the system. Where a search spends its time
# speed counts, elsewhere size: the page is opened from disk and sent by mail. What is compiled once is kept in build/zig
# for all presets.

set(WORKTOP_PAGE AUTO CACHE STRING "Build the page: AUTO, ON or OFF")
set(WORKTOP_HAS_PAGE OFF)

function(worktop_look_for_page reason)
  if(NOT WORKTOP_PAGE)
    set(${reason} "WORKTOP_PAGE=OFF" PARENT_SCOPE)
    return()
  endif()
  if(WORKTOP_SANITIZE OR WORKTOP_FUZZ)
    set(${reason} "sanitizers can't look into it" PARENT_SCOPE)
    return()
  endif()
  find_program(WORKTOP_NODE node)
  if(NOT WORKTOP_NODE)
    set(${reason} "there is no node (tools/setup)" PARENT_SCOPE)
    return()
  elseif(NOT EXISTS "${PROJECT_SOURCE_DIR}/apps/page/node_modules/esbuild/package.json")
    set(${reason} "apps/page has no node_modules (tools/setup)" PARENT_SCOPE)
    return()
  endif()
  file(GLOB zig "${PROJECT_SOURCE_DIR}/.venv/lib/python*/site-packages/ziglang/zig")
  if(NOT zig)
    set(${reason} ".venv has no ziglang (tools/setup)" PARENT_SCOPE)
    return()
  endif()
  set(WORKTOP_ZIG "${zig}" PARENT_SCOPE)
  set(${reason} "" PARENT_SCOPE)
endfunction()

worktop_look_for_page(reason)
if(reason)
  worktop_leave_out(WORKTOP_PAGE "The page" "${reason}")
else()
  set(WORKTOP_HAS_PAGE ON)
  set(worktop_zig_environment
      "${CMAKE_COMMAND}" -E env "ZIG_GLOBAL_CACHE_DIR=${PROJECT_SOURCE_DIR}/build/zig"
      "ZIG_LOCAL_CACHE_DIR=${PROJECT_SOURCE_DIR}/build/zig")
  set(worktop_wasm_flags
      -target wasm32-wasi -msimd128 -mexec-model=reactor -fno-exceptions -fno-rtti -ffp-contract=off)
endif()

# The folder of links: what find_package knows, alone.
function(worktop_wasm_includes folder)
  file(MAKE_DIRECTORY "${folder}")
  find_path(worktop_fmt_include fmt/core.h REQUIRED)
  find_path(worktop_nlohmann_include nlohmann/json.hpp REQUIRED)
  foreach(library fmt nlohmann)
    file(CREATE_LINK "${worktop_${library}_include}/${library}" "${folder}/${library}" SYMBOLIC)
  endforeach()
endfunction()

# Sets `result` to the object that `source` is compiled into.
function(worktop_wasm_object source result)
  file(RELATIVE_PATH name "${PROJECT_SOURCE_DIR}" "${source}")
  string(REPLACE "../" "" name "${name}")
  set(object "${CMAKE_CURRENT_BINARY_DIR}/wasm/${name}.o")
  get_filename_component(folder "${object}" DIRECTORY)
  file(MAKE_DIRECTORY "${folder}")
  set(optimize -Os -mllvm -inline-threshold=5)
  if(name MATCHES "src/(simulator/|solver/(search|evaluation|hopeful_clock|mincut)|plan/(hold|replay|memory|transfers))")
    set(optimize -O3)
  endif()
  add_custom_command(
    OUTPUT "${object}"
    COMMAND
      ${worktop_zig_environment} "${WORKTOP_ZIG}" c++ ${worktop_wasm_flags} -std=c++23 ${optimize} -g0 -DNDEBUG
      -DJSON_NOEXCEPTION -DFMT_HEADER_ONLY "-DFMT_STATIC_THOUSANDS_SEPARATOR=','" "-I${PROJECT_SOURCE_DIR}/src" -isystem
      "${PROJECT_SOURCE_DIR}/build/zig/include" -MD -MF "${object}.d" -c "${source}" -o "${object}"
    DEPENDS "${source}"
    DEPFILE "${object}.d"
    COMMENT "Compiling ${name} for the page"
    VERBATIM)
  set(${result} "${object}" PARENT_SCOPE)
endfunction()

function(worktop_wasm)
  cmake_parse_arguments(ARG "" "OUTPUT" "SOURCES;ROOMS" ${ARGN})
  worktop_wasm_includes("${PROJECT_SOURCE_DIR}/build/zig/include")
  list(TRANSFORM ARG_SOURCES PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  foreach(room IN LISTS ARG_ROOMS)
    get_target_property(sources worktop_${room} SOURCES)
    get_target_property(folder worktop_${room} SOURCE_DIR)
    foreach(source IN LISTS sources)
      get_filename_component(source "${source}" ABSOLUTE BASE_DIR "${folder}")
      list(APPEND ARG_SOURCES "${source}")
    endforeach()
  endforeach()
  foreach(source IN LISTS ARG_SOURCES)
    worktop_wasm_object("${source}" object)
    list(APPEND objects "${object}")
  endforeach()
  add_custom_command(
    OUTPUT "${ARG_OUTPUT}"
    COMMAND ${worktop_zig_environment} "${WORKTOP_ZIG}" c++ ${worktop_wasm_flags} -O3 -s ${objects} -o "${ARG_OUTPUT}"
    DEPENDS ${objects}
    COMMENT "Linking the engine of the page"
    VERBATIM)
endfunction()
