# What every target is compiled with: the interface target worktop_options (all code) and worktop_pure
# (rooms base to format: no exceptions, so that they also build for wasm32).

add_library(worktop_options INTERFACE)
target_compile_features(worktop_options INTERFACE cxx_std_23)
target_include_directories(worktop_options INTERFACE "${PROJECT_SOURCE_DIR}/src")
target_compile_options(
  worktop_options
  INTERFACE -Wall
            -Wextra
            -Wno-missing-field-initializers  # designated initializers name what differs from the default
            -Wpedantic
            -Wshadow
            -Wconversion
            -Wsign-conversion
            -Wnon-virtual-dtor
            -Woverloaded-virtual
            -Werror
            -ffp-contract=off
            -fno-math-errno)

# GCC 12 warns of overlapping copies in std::string's operator+ where there are none (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(worktop_options INTERFACE -Wno-restrict)
endif()

# clang reports a deprecated function that libstdc++'s own stable_sort calls.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(worktop_options INTERFACE -Wno-deprecated-declarations)
endif()

# Fused multiply-add and x87 would make answers depend on the machine (ARCHITECTURE.md, invariant 4).
add_library(worktop_pure INTERFACE)
target_link_libraries(worktop_pure INTERFACE worktop_options)
target_compile_options(worktop_pure INTERFACE -fno-exceptions)
target_compile_definitions(worktop_pure INTERFACE JSON_NOEXCEPTION)

if(WORKTOP_SANITIZE)
  set(sanitize "-fsanitize=${WORKTOP_SANITIZE}" -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_compile_options(worktop_options INTERFACE ${sanitize})
  target_link_options(worktop_options INTERFACE ${sanitize})
endif()

if(WORKTOP_TIDY)
  find_program(clang_tidy NAMES clang-tidy-19 clang-tidy REQUIRED)
  set(CMAKE_CXX_CLANG_TIDY "${clang_tidy};--quiet;--warnings-as-errors=*")
endif()

find_program(ccache ccache)
if(ccache)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${ccache}")
endif()
