# One fuzz target per reader:
#
#   worktop_fuzz(fuzz_machine machine.cc LIBRARIES worktop_format SEEDS data/machines)
#
# The preset `fuzz` builds it with libFuzzer; the preset `dev` only makes ctest run it for a few seconds, after
# the test `fuzz.build` has brought build/fuzz up to date. SEEDS are folders of valid inputs.

function(worktop_fuzz name source)
  cmake_parse_arguments(ARG "" "" "LIBRARIES;SEEDS" ${ARGN})
  if(WORKTOP_FUZZ)
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE worktop_options ${ARG_LIBRARIES})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzz_targets ${name})
    return()
  endif()
  add_test(
    NAME fuzz.${name}
    COMMAND "${PROJECT_SOURCE_DIR}/tools/fuzz" ${name} 5 ${ARG_SEEDS}
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties(fuzz.${name} PROPERTIES FIXTURES_REQUIRED fuzz_build TIMEOUT 120)
endfunction()

if(WORKTOP_FUZZ)
  add_custom_target(fuzz_targets) # all of them and nothing else
  # The code under test reports its coverage to libFuzzer; only the targets link its main function.
  target_compile_options(worktop_options INTERFACE -fsanitize=fuzzer-no-link)
else()
  add_test(
    NAME fuzz.build
    COMMAND sh -c "cmake --preset fuzz --log-level=WARNING && cmake --build --preset fuzz --target fuzz_targets"
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties(fuzz.build PROPERTIES FIXTURES_SETUP fuzz_build TIMEOUT 3600)
endif()
