# The program itself, its installation, the end-to-end tests and the benchmark.
include(GNUInstallDirs)

add_executable(cudalab src/cli/main.cpp)
target_link_libraries(cudalab PRIVATE cudalab_cli cudalab_labs)
set_target_properties(cudalab PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")

# What programs of one's own are run with, beside the labs: `exec`, `run` and `check` look for it when they start one.
add_custom_target(cudalab_with_runtime DEPENDS cudalab)
if(TARGET cudalab_runtime_library)
  get_property(program_libraries GLOBAL PROPERTY cudalab_program_libraries)
  add_dependencies(cudalab_with_runtime cudalab_runtime_library ${program_libraries})
endif()

# The program finds share/cudalab beside its own bin/, wherever both were put.
set(share "${CMAKE_INSTALL_DATADIR}/cudalab")
install(TARGETS cudalab RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(DIRECTORY labs expected cards languages bundles DESTINATION "${share}" PATTERN "*.cpp" EXCLUDE PATTERN "*.h" EXCLUDE)
install(DIRECTORY include/cudalab/cuda include/cudalab/nvml include/cudalab/course include/cudalab/compat DESTINATION "${share}/include/cudalab")
install(DIRECTORY docs/ DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(FILES "${CMAKE_BINARY_DIR}/vscode/cudalab.vsix" DESTINATION "${share}" OPTIONAL)  # made by scripts/package
install(FILES README.md LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
# What the program says of its own options: the manual page, and what shells complete.
foreach(row "man=${CMAKE_INSTALL_MANDIR}/man1/cudalab.1"
            "completions bash=${CMAKE_INSTALL_DATADIR}/bash-completion/completions/cudalab"
            "completions zsh=${CMAKE_INSTALL_DATADIR}/zsh/site-functions/_cudalab"
            "completions fish=${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d/cudalab.fish")
  string(REGEX MATCH "(.*)=(.*)/(.*)" unused "${row}")
  string(REPLACE " " ";" words "${CMAKE_MATCH_1}")
  set(made "${CMAKE_BINARY_DIR}/generated/share/${CMAKE_MATCH_2}/${CMAKE_MATCH_3}")
  cmake_path(GET made PARENT_PATH folder)
  install(CODE "file(MAKE_DIRECTORY \"${folder}\")
execute_process(COMMAND \"$<TARGET_FILE:cudalab>\" ${words} OUTPUT_FILE \"${made}\" COMMAND_ERROR_IS_FATAL ANY)")
  install(FILES "${made}" DESTINATION "${CMAKE_MATCH_2}")
endforeach()

if(CUDALAB_BUILD_TESTS)
  # Tests of the whole house: they run the built program, or read the source tree.
  file(GLOB e2e_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/e2e/*.cpp" "${CMAKE_SOURCE_DIR}/tests/*/*_test.cpp")
  list(REMOVE_DUPLICATES e2e_sources)
  list(FILTER e2e_sources EXCLUDE REGEX "/tests/(conformance|faults)/")
  if(e2e_sources)
    cudalab_test(e2e_tests SOURCES ${e2e_sources} "${CMAKE_SOURCE_DIR}/tests/time_model/calibration.cpp"
                 LIBRARIES cudalab_course cudalab_labs UNITS "/tests/e2e/[a-h]" "/tests/e2e/[i-r]")
    target_include_directories(e2e_tests PRIVATE "${CMAKE_SOURCE_DIR}")
    target_compile_definitions(e2e_tests PRIVATE CUDALAB_PROGRAM="$<TARGET_FILE:cudalab>"
                                                 CUDALAB_BINARY_DIR="${CMAKE_BINARY_DIR}"
                                                 CUDALAB_CMAKE="${CMAKE_COMMAND}")
    add_dependencies(e2e_tests cudalab_with_runtime)
  endif()

  # Faults that are made to happen to the built program: a sixteenth of them as one test, all in .ci/run.
  file(GLOB fault_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/faults/*.cpp")
  add_executable(fault_tests ${fault_sources})
  target_link_libraries(fault_tests PRIVATE cudalab_core nlohmann_json::nlohmann_json util GTest::gtest_main)
  target_include_directories(fault_tests PRIVATE "${CMAKE_SOURCE_DIR}")
  target_compile_definitions(fault_tests PRIVATE CUDALAB_PROGRAM="$<TARGET_FILE:cudalab>"
                                                 CUDALAB_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  target_compile_options(fault_tests PRIVATE $<$<CONFIG:Release>:-O0>)
  add_dependencies(fault_tests cudalab_with_runtime)
  add_test(NAME faults COMMAND fault_tests)
  # The transcripts of README.md and docs/ are what the program prints. Sanitizers slow it down and know no runtime.
  if(NOT CUDALAB_SANITIZE AND NOT CUDALAB_SANITIZE_THREADS)
    add_test(NAME transcripts
             COMMAND Python3::Interpreter "${CMAKE_SOURCE_DIR}/scripts/transcripts" --check --program $<TARGET_FILE:cudalab>)
    set_tests_properties(transcripts PROPERTIES SKIP_RETURN_CODE 77)
    # A tenth of the mistakes; scripts/mistakes tries all, and the search. The goal is 85 % rightly, 2 % wrongly.
    add_test(NAME mistakes
             COMMAND Python3::Interpreter "${CMAKE_SOURCE_DIR}/scripts/mistakes" --program $<TARGET_FILE:cudalab>
                     --no-search --sample 10 --jobs 2 --at-least 75 --at-most-wrong 5)
    set_tests_properties(mistakes PROPERTIES TIMEOUT 1200)
    # The Python package, a test per file. A file whose requirements are missing, such as IPython, is skipped.
    file(GLOB python_tests CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/python/tests/test_*.py")
    foreach(file IN LISTS python_tests)
      string(REGEX REPLACE ".*/test_(.*)\\.py$" "python.\\1" name "${file}")
      cmake_path(GET file FILENAME pattern)
      add_test(NAME ${name} COMMAND Python3::Interpreter -B -m unittest discover -p "${pattern}"
                                    -s "${CMAKE_SOURCE_DIR}/python/tests")
      set_tests_properties(${name} PROPERTIES
        TIMEOUT 600 SKIP_REGULAR_EXPRESSION "Ran 0 tests|Ran 1 test in [^\n]*\n+OK .skipped=1"
        ENVIRONMENT "CUDALAB_PROGRAM=$<TARGET_FILE:cudalab>;PYTHONPATH=${CMAKE_SOURCE_DIR}/python;LC_ALL=C.UTF-8")
    endforeach()
    # The workbook of `cudalab serve`: attacks on it, and a learner in a browser, where there is Chromium.
    file(GLOB serve_tests CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/serve/test_*.py")
    foreach(file IN LISTS serve_tests)
      string(REGEX REPLACE ".*/test_(.*)\\.py$" "serve.\\1" name "${file}")
      cmake_path(GET file FILENAME pattern)
      add_test(NAME ${name} COMMAND Python3::Interpreter -B -m unittest discover -p "${pattern}"
                                    -s "${CMAKE_SOURCE_DIR}/tests/serve")
      set_tests_properties(${name} PROPERTIES TIMEOUT 600 ENVIRONMENT "CUDALAB_PROGRAM=$<TARGET_FILE:cudalab>;LC_ALL=C.UTF-8")
    endforeach()
    # Its page's modules and the VS Code extension, a test per file.
    find_program(CUDALAB_NODE node)
    file(GLOB web_tests CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/web/test/*.test.js")
    foreach(file IN LISTS web_tests)
      if(CUDALAB_NODE)
        string(REGEX REPLACE ".*/(.*)\\.test\\.js$" "web.\\1" name "${file}")
        add_test(NAME ${name} COMMAND "${CUDALAB_NODE}" --test "${file}")
      endif()
    endforeach()
    file(GLOB vscode_tests CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/editors/vscode/test/*.test.js")
    foreach(file IN LISTS vscode_tests)
      if(CUDALAB_NODE)
        string(REGEX REPLACE ".*/(.*)\\.test\\.js$" "vscode.\\1" name "${file}")
        add_test(NAME ${name} COMMAND "${CUDALAB_NODE}" --test "${file}")
        set_tests_properties(${name} PROPERTIES TIMEOUT 600 ENVIRONMENT "CUDALAB_PROGRAM=$<TARGET_FILE:cudalab>")
      endif()
    endforeach()
  endif()
  set_tests_properties(faults PROPERTIES TIMEOUT 600)

  # Records what a GPU computes for every opcode; see tests/conformance/README.md.
  if(EXISTS "${CMAKE_SOURCE_DIR}/tests/conformance/record.cpp")
    add_executable(cudalab_conformance EXCLUDE_FROM_ALL tests/conformance/record.cpp tests/conformance/kernels.cpp
                                                        tests/conformance/vectors.cpp)
    target_link_libraries(cudalab_conformance PRIVATE cudalab_device)
  endif()

  # Times the launches that the time model is calibrated with; see tests/time_model/README.md.
  add_executable(cudalab_time_model EXCLUDE_FROM_ALL tests/time_model/record.cpp tests/time_model/calibration.cpp)
  target_link_libraries(cudalab_time_model PRIVATE cudalab_lab)
  set_target_properties(cudalab_time_model PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")

  include(HeaderChecks)
endif()

if(CUDALAB_BUILD_BENCHMARKS)
  file(GLOB_RECURSE bench_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/*_bench.cpp")
  if(bench_sources)
    add_executable(cudalab_bench ${bench_sources})
    target_link_libraries(cudalab_bench PRIVATE cudalab_cli cudalab_labs benchmark::benchmark)
    target_compile_definitions(cudalab_bench PRIVATE CUDALAB_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    set_target_properties(cudalab_bench PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
  endif()

  # Compares the virtual GPU with OpenCL; scripts/bench-peer installs what it needs.
  add_executable(cudalab_peer EXCLUDE_FROM_ALL tests/peer/peer.cpp)
  target_link_libraries(cudalab_peer PRIVATE cudalab_device OpenCL)
  target_compile_definitions(cudalab_peer PRIVATE CUDALAB_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  set_target_properties(cudalab_peer PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
endif()
