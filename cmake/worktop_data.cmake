# Builds the files that data/index.txt lists into a target, as the table of format/builtin.h:
#
#   worktop_embed_data(TARGET)
#
# The table is written anew when one of the files changes. This file is also the script that writes it.

if(NOT CMAKE_SCRIPT_MODE_FILE)
  function(worktop_embed_data target)
    set(data "${PROJECT_SOURCE_DIR}/data")
    set(script "${PROJECT_SOURCE_DIR}/cmake/worktop_data.cmake")
    set(source "${CMAKE_CURRENT_BINARY_DIR}/builtin_data.cc")
    file(STRINGS "${data}/index.txt" files REGEX "^[^#]")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${data}/index.txt")
    list(TRANSFORM files PREPEND "${data}/" OUTPUT_VARIABLE paths)
    add_custom_command(
      OUTPUT "${source}"
      COMMAND "${CMAKE_COMMAND}" "-DDATA=${data}" "-DSOURCE=${source}" -P "${script}"
      DEPENDS "${script}" "${data}/index.txt" ${paths}
      COMMENT "Writing the table of built-in data"
      VERBATIM)
    # The longest text is longer than what every compiler has to support; ours do.
    set_source_files_properties("${source}" PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
    target_sources(${target} PRIVATE "${source}")
  endfunction()
  return()
endif()

# ---- the script: DATA is the folder, SOURCE the file to write

file(STRINGS "${DATA}/index.txt" files REGEX "^[^#]")
set(delimiter "worktop_data")
file(WRITE "${SOURCE}.part" "// Written by cmake/worktop_data.cmake from data/index.txt.\n#include \"format/builtin.h\"\n\n"
                            "namespace worktop::format {\nnamespace {\n\nconstexpr BuiltinFile kFiles[] = {\n")
foreach(path IN LISTS files)
  file(READ "${DATA}/${path}" text)
  string(FIND "${text}" ")${delimiter}\"" clash)
  if(NOT clash EQUAL -1)
    message(FATAL_ERROR "data/${path} contains the end of a raw string: )${delimiter}\"")
  endif()
  get_filename_component(folder "${path}" DIRECTORY)
  get_filename_component(name "${path}" NAME)
  file(APPEND "${SOURCE}.part" "    {\"${folder}\", \"${name}\", R\"${delimiter}(${text})${delimiter}\"},\n")
endforeach()
file(APPEND "${SOURCE}.part" "};\n\n}  // namespace\n\nstd::span<const BuiltinFile> builtin_files() {\n"
                             "  return kFiles;\n}\n\n}  // namespace worktop::format\n")
file(RENAME "${SOURCE}.part" "${SOURCE}")
