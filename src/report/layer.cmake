target_link_libraries(cudalab_report PUBLIC nlohmann_json::nlohmann_json)

# tool.cpp is made anew at every build, and changes only with the version or the commit.
set(tool_source "${CMAKE_CURRENT_BINARY_DIR}/generated/report/tool.cpp")
add_custom_target(cudalab_version
  BYPRODUCTS "${tool_source}"
  COMMAND "${CMAKE_COMMAND}" -DSOURCE_DIR=${CMAKE_SOURCE_DIR} -DVERSION=${PROJECT_VERSION}
          -DTEMPLATE=${CMAKE_SOURCE_DIR}/src/report/tool.cpp.in -DOUTPUT=${tool_source}
          -P "${CMAKE_SOURCE_DIR}/cmake/Version.cmake"
  COMMENT "" VERBATIM)
target_sources(cudalab_report PRIVATE "${tool_source}")
add_dependencies(cudalab_report cudalab_version)

# How pages look, and what they do.
cudalab_embed("${directory}/page/page.css")
cudalab_embed("${directory}/page/page.js")
