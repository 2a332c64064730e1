# The Python side: which python, nanobind for the bindings, and the torch that the executor is built against.
#
#   WORKTOP_PYTHON, WORKTOP_TORCH   AUTO: where everything for it is there; ON: must be; OFF
#
# sets the same names without "_" in between to what came out:
#
#   WORKTOP_HAS_PYTHON    the package and its extension module worktop._core are built
#   WORKTOP_HAS_TORCH     and the executor worktop._torch
#   WORKTOP_PYTHON_DIR    holds the package "worktop" as it is imported: PYTHONPATH=build/dev/python
#
# and declares
#
#   worktop_core_module(SOURCES a.cc ...)                         worktop._core, by nanobind
#   worktop_torch_module(NAME SOURCES a.cc ... [ROOMS plan ...])  worktop.NAME, by the pybind11 within torch
#   worktop_python_files(attach.py ...)                           files of the current folder, copied when they change
#   worktop_python_test(NAME FILE.py [arguments of pytest])       a pytest suite, run by ctest as python_NAME

set(WORKTOP_PYTHON AUTO CACHE STRING "Build the Python package: AUTO, ON or OFF")
set(WORKTOP_TORCH AUTO CACHE STRING "Build the PyTorch executor: AUTO, ON or OFF")
set(WORKTOP_HAS_PYTHON OFF)
set(WORKTOP_HAS_TORCH OFF)
set(WORKTOP_PYTHON_DIR "${PROJECT_BINARY_DIR}/python")

# Sets `result` to the first line that python prints for `code`, or to nothing.
function(worktop_ask_python code result)
  execute_process(COMMAND "${Python_EXECUTABLE}" -c "${code}" OUTPUT_VARIABLE answer RESULT_VARIABLE failed
                  ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed)
    set(answer "")
  endif()
  set(${result} "${answer}" PARENT_SCOPE)
endfunction()

function(worktop_leave_out option what reason)
  if(${option} STREQUAL "ON")
    message(FATAL_ERROR "${option}=ON, but ${reason}")
  endif()
  if(reason MATCHES "=OFF$|sanitizers|the Python package") # as wished, or said already
    message(STATUS "${what} is not built: ${reason}")
  else()
    message(NOTICE "${what} is not built: ${reason}")
  endif()
endfunction()

# ---- python and nanobind

function(worktop_look_for_python reason)
  set(${reason} "" PARENT_SCOPE)
  if(NOT WORKTOP_PYTHON)
    set(${reason} "WORKTOP_PYTHON=OFF" PARENT_SCOPE)
  elseif(WORKTOP_SANITIZE)
    set(${reason} "a python without sanitizers can't load it" PARENT_SCOPE)
  elseif(NOT Python_FOUND)
    set(${reason} "no python3 with headers was found (tools/setup)" PARENT_SCOPE)
  elseif(NOT nanobind_DIR)
    set(${reason} "${Python_EXECUTABLE} has no nanobind (tools/setup)" PARENT_SCOPE)
  endif()
endfunction()

if(WORKTOP_PYTHON AND NOT WORKTOP_SANITIZE)
  if(NOT Python_EXECUTABLE AND EXISTS "${PROJECT_SOURCE_DIR}/.venv/bin/python")
    set(Python_EXECUTABLE "${PROJECT_SOURCE_DIR}/.venv/bin/python")
  endif()
  find_package(Python 3.10 COMPONENTS Interpreter Development.Module QUIET)
  if(Python_FOUND)
    worktop_ask_python("import nanobind; print(nanobind.cmake_dir())" nanobind_DIR)
  endif()
endif()

worktop_look_for_python(reason)
if(reason)
  worktop_leave_out(WORKTOP_PYTHON "The Python package" "${reason}")
else()
  set(WORKTOP_HAS_PYTHON ON)
  find_package(nanobind CONFIG REQUIRED)
  # The rooms go into extension modules: position-independent, and hidden, so that the copies in two modules
  # never mix and calls between functions of one room stay direct.
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  set(CMAKE_CXX_VISIBILITY_PRESET hidden)
  set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
endif()

function(worktop_module_output target)
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${WORKTOP_PYTHON_DIR}/worktop")
  install(TARGETS ${target} LIBRARY DESTINATION worktop COMPONENT python)
  add_dependencies(python_package ${target})
endfunction()

# Everything that `import worktop` may want.
if(WORKTOP_HAS_PYTHON)
  add_custom_target(python_package ALL)
endif()

function(worktop_core_module)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  worktop_room_links(python links)
  nanobind_add_module(_core NB_STATIC NOMINSIZE NOSTRIP NB_SUPPRESS_WARNINGS ${ARG_SOURCES})
  target_link_libraries(_core PRIVATE worktop_options ${links} ${ARG_LIBRARIES})
  worktop_module_output(_core)
  # Types for editors and checkers, asked of the module itself.
  nanobind_add_stub(_core_stub MODULE _core OUTPUT "${WORKTOP_PYTHON_DIR}/worktop/_core.pyi"
                    MARKER_FILE "${WORKTOP_PYTHON_DIR}/worktop/py.typed" PYTHON_PATH $<TARGET_FILE_DIR:_core>
                    DEPENDS _core)
  add_dependencies(python_package _core_stub)
  install(FILES "${WORKTOP_PYTHON_DIR}/worktop/_core.pyi" "${WORKTOP_PYTHON_DIR}/worktop/py.typed"
          DESTINATION worktop COMPONENT python)
endfunction()

# ---- torch

# Where torch lies and what it calls itself, without importing it (which takes seconds).
set(worktop_torch_question
    "import importlib.util as u, pathlib as p, runpy
root = p.Path(u.find_spec('torch').origin).parent
print(root, runpy.run_path(str(root / 'version.py'))['__version__'], sep=';')")

function(worktop_look_for_torch reason)
  set(${reason} "" PARENT_SCOPE)
  if(NOT WORKTOP_TORCH)
    set(${reason} "WORKTOP_TORCH=OFF" PARENT_SCOPE)
    return()
  elseif(NOT WORKTOP_HAS_PYTHON)
    set(${reason} "the Python package is not built" PARENT_SCOPE)
    return()
  endif()
  worktop_ask_python("${worktop_torch_question}" found)
  if(NOT found)
    set(${reason} "${Python_EXECUTABLE} has no torch (tools/setup)" PARENT_SCOPE)
    return()
  endif()
  list(GET found 0 root)
  list(GET found 1 version)
  if(version VERSION_LESS 2.6)
    set(${reason} "torch ${version} is older than 2.6" PARENT_SCOPE)
    return()
  elseif(NOT EXISTS "${root}/include/torch/extension.h")
    set(${reason} "torch ${version} in ${root} comes without headers" PARENT_SCOPE)
    return()
  endif()
  file(STRINGS "${root}/lib/libc10.so" new_strings REGEX "__cxx11" LIMIT_COUNT 1)
  if(NOT new_strings)
    set(${reason} "torch ${version} is built with the std::string of before C++11" PARENT_SCOPE)
    return()
  endif()
  set(WORKTOP_TORCH_ROOT "${root}" PARENT_SCOPE)
  set(WORKTOP_TORCH_VERSION "${version}" PARENT_SCOPE)
endfunction()

worktop_look_for_torch(reason)
if(reason)
  worktop_leave_out(WORKTOP_TORCH "The PyTorch executor" "${reason}")
else()
  set(WORKTOP_HAS_TORCH ON)
  message(STATUS "The PyTorch executor is built for torch ${WORKTOP_TORCH_VERSION}")
  add_library(worktop_libtorch INTERFACE)
  target_include_directories(
    worktop_libtorch SYSTEM INTERFACE "${WORKTOP_TORCH_ROOT}/include"
                                      "${WORKTOP_TORCH_ROOT}/include/torch/csrc/api/include" ${Python_INCLUDE_DIRS})
  # Without NDEBUG the asserts in torch's headers are on, and log every call that the recorder makes.
  target_compile_definitions(worktop_libtorch INTERFACE NDEBUG WORKTOP_TORCH_VERSION="${WORKTOP_TORCH_VERSION}")
  foreach(library c10 torch_cpu torch torch_python c10_cuda)
    if(EXISTS "${WORKTOP_TORCH_ROOT}/lib/lib${library}.so")
      target_link_libraries(worktop_libtorch INTERFACE "${WORKTOP_TORCH_ROOT}/lib/lib${library}.so")
    endif()
  endforeach()
endif()

function(worktop_torch_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;ROOMS" ${ARGN})
  list(TRANSFORM ARG_ROOMS PREPEND worktop_)
  add_library(${name} MODULE ${ARG_SOURCES} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE worktop_options worktop_libtorch ${ARG_ROOMS})
  target_compile_definitions(${name} PRIVATE TORCH_EXTENSION_NAME=${name})
  set_target_properties(
    ${name} PROPERTIES PREFIX "" SUFFIX ".${Python_SOABI}${CMAKE_SHARED_MODULE_SUFFIX}"
                       BUILD_RPATH "${WORKTOP_TORCH_ROOT}/lib" INSTALL_RPATH "$ORIGIN/../torch/lib")
  worktop_module_output(${name})
endfunction()

# ---- the package and its tests

# What the modules were built for, known without loading them: it is asked when another torch is installed.
if(WORKTOP_HAS_PYTHON)
  set(worktop_built_for None)
  if(WORKTOP_HAS_TORCH)
    set(worktop_built_for "\"${WORKTOP_TORCH_VERSION}\"")
  endif()
  file(CONFIGURE OUTPUT "${WORKTOP_PYTHON_DIR}/worktop/_built.py"
       CONTENT "\"\"\"Written by cmake/worktop_python.cmake.\"\"\"\nVERSION = \"@PROJECT_VERSION@\"\nTORCH = @worktop_built_for@\n")
  install(FILES "${WORKTOP_PYTHON_DIR}/worktop/_built.py" DESTINATION worktop COMPONENT python)
endif()

function(worktop_python_files)
  set(copies "")
  foreach(file IN LISTS ARGN)
    set(copy "${WORKTOP_PYTHON_DIR}/worktop/${file}")
    add_custom_command(
      OUTPUT "${copy}"
      COMMAND "${CMAKE_COMMAND}" -E copy "${CMAKE_CURRENT_SOURCE_DIR}/${file}" "${copy}"
      DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${file}"
      COMMENT "Copying ${file} into the Python package"
      VERBATIM)
    list(APPEND copies "${copy}")
  endforeach()
  install(FILES ${ARGN} DESTINATION worktop COMPONENT python)
  add_custom_target(python_files DEPENDS ${copies})
  add_dependencies(python_package python_files)
endfunction()

function(worktop_python_test name)
  add_test(NAME python_${name} COMMAND "${Python_EXECUTABLE}" -m pytest -q -p no:cacheprovider ${ARGN}
           WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  set_tests_properties(
    python_${name}
    PROPERTIES LABELS python TIMEOUT 900 ENVIRONMENT
               "PYTHONPATH=${WORKTOP_PYTHON_DIR};PYTHONDONTWRITEBYTECODE=1;WORKTOP=$<TARGET_FILE:worktop>")
endfunction()
