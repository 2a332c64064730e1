# A room is a folder, a CMake target and a namespace. Its arrows come from tools/layers.txt alone:
#
#   worktop_add_rooms(TABLE)                              enters every folder that the table names
#   worktop_room(SOURCES a.cc ... [LIBRARIES lib ...])    declares the room of the current folder
#   worktop_room_test(name file.cc ... [LIBRARIES lib ...])  a GoogleTest program beside the code
#
# A room without sources is an interface target. Targets are named worktop_<room>.

function(worktop_add_rooms table)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${table}")
  file(STRINGS "${table}" rows REGEX "^[a-z]")
  foreach(row IN LISTS rows)
    separate_arguments(words UNIX_COMMAND "${row}")
    list(POP_FRONT words folder kind)
    list(REMOVE_ITEM words "-")
    get_filename_component(room "${folder}" NAME)
    set_property(GLOBAL PROPERTY worktop_${room}_kind "${kind}")
    set_property(GLOBAL PROPERTY worktop_${room}_needs "${words}")
    add_subdirectory("${PROJECT_SOURCE_DIR}/${folder}")
  endforeach()
endfunction()

# The targets that the table allows `room` to link.
function(worktop_room_links room result)
  get_property(needs GLOBAL PROPERTY worktop_${room}_needs)
  list(TRANSFORM needs PREPEND worktop_)
  set(${result} "${needs}" PARENT_SCOPE)
endfunction()

function(worktop_room)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  get_filename_component(room "${CMAKE_CURRENT_SOURCE_DIR}" NAME)
  worktop_room_links(${room} links)
  if(ARG_SOURCES)
    add_library(worktop_${room} STATIC ${ARG_SOURCES})
    target_link_libraries(worktop_${room} PRIVATE worktop_pure PUBLIC worktop_options ${links} ${ARG_LIBRARIES})
  else()
    add_library(worktop_${room} INTERFACE)
    target_link_libraries(worktop_${room} INTERFACE worktop_options ${links} ${ARG_LIBRARIES})
  endif()
endfunction()

function(worktop_room_test name)
  if(NOT WORKTOP_TESTS)
    return()
  endif()
  get_filename_component(room "${CMAKE_CURRENT_SOURCE_DIR}" NAME)
  cmake_parse_arguments(ARG "" "" "LIBRARIES" ${ARGN})
  worktop_test(${name} SOURCES ${ARG_UNPARSED_ARGUMENTS} LIBRARIES worktop_${room} ${ARG_LIBRARIES})
endfunction()

# One test program, known to ctest under its own name.
function(worktop_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE worktop_options ${ARG_LIBRARIES} GTest::gtest GTest::gtest_main rapidcheck)
  add_test(NAME ${name} COMMAND ${name})
  # The same random cases in every run of the suite; RC_PARAMS="" PROGRAM draws new ones, and prints their seed.
  set_tests_properties(${name} PROPERTIES TIMEOUT 600 ENVIRONMENT "RC_PARAMS=seed=20261130")
endfunction()
