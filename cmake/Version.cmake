# Writes the version and the commit into a source file; runs at every build, and touches the file only on a change.
# cmake -DSOURCE_DIR=… -DVERSION=… -DTEMPLATE=… -DOUTPUT=… -P Version.cmake
set(COMMIT "unknown")
if(EXISTS "${SOURCE_DIR}/.git")
  execute_process(COMMAND git -C "${SOURCE_DIR}" describe --always --dirty --abbrev=12 --exclude=*
                  OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    set(COMMIT "${described}")
  endif()
endif()
configure_file("${TEMPLATE}" "${OUTPUT}" @ONLY)
