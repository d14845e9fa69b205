# Files of data as C++ text: a source includes them as "embedded/NAME".

# Writes generated/embedded/NAME. Unchanged text is not rewritten, so nothing is compiled again.
function(cudalab_write_embedded name text)
  set(output "${CMAKE_BINARY_DIR}/generated/embedded/${name}")
  set(old "")
  if(EXISTS "${output}")
    file(READ "${output}" old)
  endif()
  if(NOT old STREQUAL text)
    file(WRITE "${output}" "${text}")
  endif()
endfunction()

# The file as one string literal.
function(cudalab_embed file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  cmake_path(GET file FILENAME name)
  file(READ "${file}" text)
  cudalab_write_embedded(${name} "R\"embedded(${text})embedded\"\n")
endfunction()

# A file of lines `NUMBER NAME TEXT` as the rows of a table, NAME.inc.
function(cudalab_embed_rows file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  cmake_path(GET file STEM name)
  file(READ "${file}" text)
  string(REGEX REPLACE "([0-9]+) ([A-Za-z0-9_]+) ([^\n]*)\n" "{\\1, \"\\2\", \"\\3\"},\n" rows "${text}")
  cudalab_write_embedded(${name}.inc "${rows}")
endfunction()

# A file of lines `NAME SUFFIX (TYPE PARAMETER, …)` as lines MACRO(NAME, SUFFIX, (TYPE PARAMETER, …), (PARAMETER, …)).
function(cudalab_embed_prototypes file macro)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  cmake_path(GET file STEM name)
  file(STRINGS "${file}" rows)
  set(text "")
  foreach(row ${rows})
    string(REGEX MATCH "^([^ ]+) ([^ ]+) (.*)$" unused "${row}")
    string(APPEND text "${macro}(${CMAKE_MATCH_1}, ${CMAKE_MATCH_2}, ${CMAKE_MATCH_3}, (")
    string(REGEX MATCHALL "[a-z_]+[,)]" arguments "${CMAKE_MATCH_3}")
    list(JOIN arguments " " arguments)
    string(APPEND text "${arguments})\n")
  endforeach()
  cudalab_write_embedded(${name}.inc "${text}")
endfunction()
