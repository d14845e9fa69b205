# The functions of cudalab::msg and the catalogue of messages, generated from languages/messages/AREA.pot and
# labs/NAME/messages.pot (area lab_NAME): see cmake/messages.py. They are compiled into cudalab_core.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
file(GLOB message_files CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/languages/messages/*.pot"
                                          "${CMAKE_SOURCE_DIR}/labs/*/messages.pot")
set(message_areas)
set(message_headers)
foreach(file IN LISTS message_files)
  cmake_path(GET file STEM area)
  if(file MATCHES "/labs/([^/]+)/messages.pot$")
    string(MAKE_C_IDENTIFIER "lab_${CMAKE_MATCH_1}" area)
  endif()
  list(APPEND message_areas "${area}=${file}")
  list(APPEND message_headers "${CMAKE_BINARY_DIR}/generated/messages/${area}.h")
endforeach()
set(message_catalogue "${CMAKE_BINARY_DIR}/generated/messages/catalogue.cpp")
# Unchanged files are not rewritten, so a changed sentence recompiles only the catalogue.
add_custom_command(
  OUTPUT "${CMAKE_BINARY_DIR}/messages.stamp"
  BYPRODUCTS "${message_catalogue}" ${message_headers}
  COMMAND Python3::Interpreter "${CMAKE_SOURCE_DIR}/cmake/messages.py" "${CMAKE_BINARY_DIR}/generated" ${message_areas}
  COMMAND ${CMAKE_COMMAND} -E touch "${CMAKE_BINARY_DIR}/messages.stamp"
  DEPENDS ${message_files} "${CMAKE_SOURCE_DIR}/cmake/messages.py"
  COMMENT "Generating the catalogue of messages"
  VERBATIM)
target_sources(cudalab_core PRIVATE "${CMAKE_BINARY_DIR}/messages.stamp" "${message_catalogue}")
set_source_files_properties("${message_catalogue}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

if(CUDALAB_BUILD_TESTS)
  add_test(NAME messages.page COMMAND Python3::Interpreter "${CMAKE_SOURCE_DIR}/scripts/messages-page" --check)
  # Prose without the words of tests/forbidden_words.json.
  add_test(NAME words COMMAND Python3::Interpreter "${CMAKE_SOURCE_DIR}/scripts/words")
  # gettext checks the translations: headers, formats, plural forms and duplicates.
  find_program(MSGFMT msgfmt)
  if(MSGFMT)
    file(GLOB translations CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/languages/*.po" "${CMAKE_SOURCE_DIR}/labs/*/*.po")
    foreach(file IN LISTS translations)
      cmake_path(RELATIVE_PATH file BASE_DIRECTORY "${CMAKE_SOURCE_DIR}" OUTPUT_VARIABLE name)
      add_test(NAME msgfmt.${name} COMMAND "${MSGFMT}" --check -o /dev/null "${file}")
    endforeach()
  endif()
endif()
