# HiGHS, which certifies plans of small graphs on request (src/highs): its library and headers come with the Python
# package highsbox.
#
#   WORKTOP_MILP   AUTO: where .venv has it (tools/setup); ON: must be; OFF
#
# sets WORKTOP_HAS_HIGHS, and then declares the target worktop_libhighs.

set(WORKTOP_MILP AUTO CACHE STRING "Build with HiGHS, for plan --certify: AUTO, ON or OFF")
set(WORKTOP_HAS_HIGHS OFF)

function(worktop_look_for_highs reason)
  if(NOT WORKTOP_MILP)
    set(${reason} "WORKTOP_MILP=OFF" PARENT_SCOPE)
    return()
  elseif(WORKTOP_SANITIZE OR WORKTOP_FUZZ)
    set(${reason} "sanitizers can't look into it" PARENT_SCOPE)
    return()
  endif()
  file(GLOB library "${PROJECT_SOURCE_DIR}/.venv/lib/python*/site-packages/highsbox/highs_dist/lib/libhighs.so")
  if(NOT library)
    set(${reason} ".venv has no highsbox (tools/setup)" PARENT_SCOPE)
    return()
  endif()
  set(WORKTOP_LIBHIGHS "${library}" PARENT_SCOPE)
  set(${reason} "" PARENT_SCOPE)
endfunction()

worktop_look_for_highs(reason)
if(reason)
  worktop_leave_out(WORKTOP_MILP "The certificate by HiGHS" "${reason}")
else()
  set(WORKTOP_HAS_HIGHS ON)
  get_filename_component(root "${WORKTOP_LIBHIGHS}/../.." ABSOLUTE)
  add_library(worktop_libhighs INTERFACE)
  target_include_directories(worktop_libhighs SYSTEM INTERFACE "${root}/include" "${root}/include/highs")
  target_link_libraries(worktop_libhighs INTERFACE "${WORKTOP_LIBHIGHS}")
endif()
