# The libraries we build on: the installed ones where they are found, else fetched at a pinned version.
include(FetchContent)
set(FETCHCONTENT_QUIET OFF)

find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)

# What the labs' parallel loops are compiled with. ThreadSanitizer does not see how GCC's OpenMP run time orders its
# threads and reports every such loop: with it, they are serial.
add_library(cudalab_openmp INTERFACE)
if(CUDALAB_SANITIZE_THREADS)
  # Nobody reads a number of threads, then.
  target_compile_options(cudalab_openmp INTERFACE -fopenmp-simd -Wno-unknown-pragmas -Wno-unused-parameter)
  target_link_libraries(cudalab_openmp INTERFACE ${OpenMP_CXX_LIBRARIES})
else()
  target_link_libraries(cudalab_openmp INTERFACE OpenMP::OpenMP_CXX)
  # GCC's run time linked in: it reads OMP_WAIT_POLICY when it is initialised, which lab/host.cpp does something about before.
  execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -print-file-name=libgomp.a OUTPUT_VARIABLE static_gomp
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND IS_ABSOLUTE "${static_gomp}" AND NOT CUDALAB_SANITIZE)
    set_target_properties(OpenMP::OpenMP_CXX PROPERTIES INTERFACE_LINK_LIBRARIES "${static_gomp};Threads::Threads;${CMAKE_DL_LIBS}")
  endif()
endif()

FetchContent_Declare(CLI11 GIT_REPOSITORY https://github.com/CLIUtils/CLI11 GIT_TAG v2.1.2
                     FIND_PACKAGE_ARGS 2.1 NAMES CLI11)
FetchContent_Declare(fmt GIT_REPOSITORY https://github.com/fmtlib/fmt GIT_TAG 9.1.0 FIND_PACKAGE_ARGS 9)
FetchContent_Declare(nlohmann_json GIT_REPOSITORY https://github.com/nlohmann/json GIT_TAG v3.11.2
                     FIND_PACKAGE_ARGS 3.11)
FetchContent_MakeAvailable(CLI11 fmt nlohmann_json)

if(CUDALAB_BUILD_TESTS)
  FetchContent_Declare(GTest GIT_REPOSITORY https://github.com/google/googletest GIT_TAG release-1.12.1
                       FIND_PACKAGE_ARGS 1.12 NAMES GTest)
  set(INSTALL_GTEST OFF)
  FetchContent_MakeAvailable(GTest)
endif()

if(CUDALAB_BUILD_BENCHMARKS)
  set(BENCHMARK_ENABLE_TESTING OFF)
  set(BENCHMARK_ENABLE_INSTALL OFF)
  FetchContent_Declare(benchmark GIT_REPOSITORY https://github.com/google/benchmark GIT_TAG v1.7.1
                       FIND_PACKAGE_ARGS 1.7)
  FetchContent_MakeAvailable(benchmark)
endif()

# Our declarations of CUDA's runtime API: src/runtime is built with them, and clang compiles programs with them.
set(CUDALAB_CUDA_HEADERS "${CMAKE_SOURCE_DIR}/include/cudalab/cuda")

# xxhash.h is compiled into core/digest.cpp: only the header is needed.
find_path(CUDALAB_XXHASH_INCLUDE_DIR xxhash.h)
if(NOT CUDALAB_XXHASH_INCLUDE_DIR)
  FetchContent_Declare(xxhash GIT_REPOSITORY https://github.com/Cyan4973/xxHash GIT_TAG v0.8.1
                       SOURCE_SUBDIR header-only-no-build)
  FetchContent_MakeAvailable(xxhash)
  set(CUDALAB_XXHASH_INCLUDE_DIR "${xxhash_SOURCE_DIR}")
endif()

# Eigen multiplies matrices in src/libraries/blas, and its FFT transforms lines in src/libraries/fft: only headers, too.
find_path(CUDALAB_EIGEN_INCLUDE_DIR Eigen/Core PATH_SUFFIXES eigen3)
if(NOT CUDALAB_EIGEN_INCLUDE_DIR)
  FetchContent_Declare(eigen GIT_REPOSITORY https://gitlab.com/libeigen/eigen GIT_TAG 3.4.0
                       SOURCE_SUBDIR header-only-no-build)
  FetchContent_MakeAvailable(eigen)
  set(CUDALAB_EIGEN_INCLUDE_DIR "${eigen_SOURCE_DIR}")
endif()
