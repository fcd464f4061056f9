# Defines StateFork's targets. Four functions, used by the CMakeLists.txt of each folder:
#
#   # src/waypoint/CMakeLists.txt: all *.cc below this folder except *_test.cc, as target sf_waypoint (alias sf::waypoint).
#   sf_library(waypoint DEPS base os wire LIBS fmt::fmt EXCLUDE "init/.*")
#
#   # One binary build/<preset>/bin/waypoint_test; ctest runs it as one entry, or as n entries with SHARDS n.
#   sf_test(waypoint_test
#     SOURCES manifest_test.cc layer_stack_test.cc
#     LABELS unit                      # unit | style | kernel | faults | equivalence | soak | bench
#     DEPS waypoint testing            # layers; GoogleTest with its main is included
#     WITH daemon_world                # code that tests share, see sf_test_code
#     LIBS nlohmann_json::nlohmann_json
#     USES statefork-init              # programs that must be built before the test runs
#     TIMEOUT 60                       # seconds, 120 when absent
#     SHARDS 4 SERIAL                  # SERIAL: no other test runs in parallel
#     PARTS docker vm                  # a test for each, of the rows whose names begin so
#     NAMESPACES)                      # its own mount and PID namespace
#
#   # Code that several tests share, compiled once. Its folder is an include folder of the tests that have it.
#   sf_test_code(daemon_world SOURCES daemon_world.cc DEPS os cli testing)
#
#   # build/<preset>/bin/statefork-init. STATIC links everything in and leaves the sanitizers out.
#   sf_program(statefork-init SOURCES init/main.cc DEPS base LIBS PkgConfig::CAP STATIC)
#
# Layering: a library exports an include root that holds nothing but a link to its own folder, so a source sees the
# layers in the DEPS of its target (and theirs) and no others: an include that points upward does not compile.
# DEPS themselves are checked against cmake/layers.txt.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")

set(SF_SANITIZE "" CACHE STRING "Sanitizers for every dynamically linked target, as -fsanitize takes them")
option(SF_COVERAGE "Instrument for gcov" OFF)

# Sources of a target are compiled in batches and with precompiled headers, so that the compiler does not read the same
# headers again for each of them. cmake/unity_exceptions.txt lists those that are compiled alone. OFF finds includes that
# a source forgot.
option(SF_UNITY "Compile sources in batches and with precompiled headers" ON)
set(CMAKE_UNITY_BUILD "${SF_UNITY}")
set(CMAKE_UNITY_BUILD_BATCH_SIZE 12)
set_property(DIRECTORY "${CMAKE_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS cmake/unity_exceptions.txt)
file(STRINGS "${CMAKE_SOURCE_DIR}/cmake/unity_exceptions.txt" SF_UNITY_EXCEPTIONS REGEX "^[^#]")

# Requires: called in the folder whose target has these sources.
function(sf_compile_alone)
  foreach(source IN LISTS ARGN)
    get_filename_component(path "${source}" ABSOLUTE)
    file(RELATIVE_PATH relative "${CMAKE_SOURCE_DIR}" "${path}")
    if(relative IN_LIST SF_UNITY_EXCEPTIONS)
      set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
endfunction()

find_program(SF_CCACHE ccache)
if(SF_CCACHE)
  # Without this, ccache passes every source with a precompiled header on to the compiler.
  set(launcher "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros "${SF_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${launcher}")
  set(CMAKE_C_COMPILER_LAUNCHER "${SF_CCACHE}")
endif()

# Applies to tests, which are many and linked often; programs keep the compiler's linker.
find_program(SF_MOLD mold)

find_package(Threads REQUIRED)
find_package(GTest REQUIRED)

add_library(sf_warnings INTERFACE)
# Options are structs with defaults and designated initialisers, so leaving out fields is normal.
target_compile_options(sf_warnings INTERFACE -Wall -Wextra -Wshadow -Wconversion -Werror
                       -Wno-missing-field-initializers)

# Everything but STATIC programs is compiled with these.
add_library(sf_flags INTERFACE)
target_link_libraries(sf_flags INTERFACE sf_warnings Threads::Threads)
if(SF_SANITIZE)
  target_compile_options(sf_flags INTERFACE "-fsanitize=${SF_SANITIZE}" -fno-omit-frame-pointer
                         -fno-sanitize-recover=all)
  target_link_options(sf_flags INTERFACE "-fsanitize=${SF_SANITIZE}")
endif()
if(SF_COVERAGE)
  target_compile_options(sf_flags INTERFACE --coverage)
  target_link_options(sf_flags INTERFACE --coverage)
endif()

# One precompiled header for libraries and one for tests: position independence differs between the two.
# Requires: targets that use one are compiled with the flags of sf_flags and no others that change code.
set(SF_PRECOMPILED OFF)
if(SF_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  set(SF_PRECOMPILED ON)
endif()
if(SF_PRECOMPILED)
  file(WRITE "${CMAKE_BINARY_DIR}/precompiled.cc" "")
  foreach(kind library test)
    add_library(sf_precompiled_${kind} OBJECT "${CMAKE_BINARY_DIR}/precompiled.cc")
    target_link_libraries(sf_precompiled_${kind} PRIVATE sf_flags)
    target_precompile_headers(sf_precompiled_${kind} PRIVATE "${CMAKE_SOURCE_DIR}/cmake/precompiled_${kind}.h")
    if(SF_CCACHE)
      target_compile_options(sf_precompiled_${kind} PRIVATE -fpch-preprocess)
    endif()
  endforeach()
  # What CMake compiles for an executable: -fPIE instead of -fPIC.
  set_target_properties(sf_precompiled_test PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(sf_precompiled_test PRIVATE -fPIE)
  target_link_libraries(sf_precompiled_test PRIVATE GTest::gmock GTest::gtest)
endif()
function(sf_use_precompiled target kind)
  if(SF_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM sf_precompiled_${kind})
    # g++ 12 reports accesses out of bounds in its own std::string. It hides that in system headers, but not in
    # precompiled ones. A build with SF_UNITY=OFF has these warnings.
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
    if(SF_CCACHE)
      target_compile_options(${target} PRIVATE -fpch-preprocess)
    endif()
  endif()
endfunction()

# SF_LAYERS: all layers, lowest first. SF_LAYER_<name>: what that layer may include.
set_property(DIRECTORY "${CMAKE_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS cmake/layers.txt)
file(STRINGS "${CMAKE_SOURCE_DIR}/cmake/layers.txt" sf_layer_lines REGEX "^[a-z]")
set(SF_LAYERS "")
foreach(line IN LISTS sf_layer_lines)
  string(REGEX MATCH "^([a-z_]+):(.*)$" _ "${line}")
  set(name "${CMAKE_MATCH_1}")
  separate_arguments(allowed UNIX_COMMAND "${CMAKE_MATCH_2}")
  list(APPEND SF_LAYERS "${name}")
  set("SF_LAYER_${name}" "${allowed}")
endforeach()

# Adds every folder matching the patterns (relative to the project's root) that has a CMakeLists.txt.
function(sf_add_subdirectories)
  foreach(pattern IN LISTS ARGN)
    file(GLOB found CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/${pattern}/CMakeLists.txt")
    foreach(file IN LISTS found)
      get_filename_component(folder "${file}" DIRECTORY)
      file(RELATIVE_PATH relative "${CMAKE_SOURCE_DIR}" "${folder}")
      add_subdirectory("${folder}" "${CMAKE_BINARY_DIR}/${relative}")
    endforeach()
  endforeach()
endfunction()

# Links layers by their short names, so that a layer without a target is an error and not a missing file.
function(sf_link_layers target visibility)
  foreach(layer IN LISTS ARGN)
    target_link_libraries(${target} ${visibility} sf::${layer})
  endforeach()
endfunction()

function(sf_reject_leftovers function_name)
  if(ARGN)
    message(FATAL_ERROR "${function_name}: what is '${ARGN}'? See the head of cmake/sf_targets.cmake")
  endif()
endfunction()

function(sf_library NAME)
  cmake_parse_arguments(arg "" "" "DEPS;LIBS;EXCLUDE" ${ARGN})
  sf_reject_leftovers("sf_library(${NAME})" ${arg_UNPARSED_ARGUMENTS})
  if(NOT NAME IN_LIST SF_LAYERS)
    message(FATAL_ERROR "sf_library(${NAME}): no such layer in cmake/layers.txt")
  endif()
  foreach(dep IN LISTS arg_DEPS)
    if(NOT dep IN_LIST SF_LAYER_${NAME})
      message(FATAL_ERROR "sf_library(${NAME}): layer '${NAME}' may not include '${dep}' (cmake/layers.txt)")
    endif()
  endforeach()

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" *.cc *.h)
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  foreach(pattern IN LISTS arg_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "^${pattern}$")
  endforeach()
  set(compiled "${sources}")
  list(FILTER compiled INCLUDE REGEX "\\.cc$")

  set(include_root "${CMAKE_BINARY_DIR}/include/${NAME}")
  file(MAKE_DIRECTORY "${include_root}")
  file(CREATE_LINK "${CMAKE_CURRENT_SOURCE_DIR}" "${include_root}/${NAME}" SYMBOLIC)

  if(compiled)
    sf_compile_alone(${compiled})
    add_library(sf_${NAME} STATIC ${sources})
    target_link_libraries(sf_${NAME} PRIVATE sf_flags)
    sf_use_precompiled(sf_${NAME} library)
    set(visibility PUBLIC)
  else()
    add_library(sf_${NAME} INTERFACE)
    set(visibility INTERFACE)
  endif()
  add_library(sf::${NAME} ALIAS sf_${NAME})
  target_include_directories(sf_${NAME} ${visibility} "${include_root}")
  sf_link_layers(sf_${NAME} ${visibility} ${arg_DEPS})
  target_link_libraries(sf_${NAME} ${visibility} ${arg_LIBS})
endfunction()

function(sf_program NAME)
  cmake_parse_arguments(arg "STATIC" "" "SOURCES;DEPS;LIBS" ${ARGN})
  sf_reject_leftovers("sf_program(${NAME})" ${arg_UNPARSED_ARGUMENTS})
  sf_compile_alone(${arg_SOURCES})
  add_executable(${NAME} ${arg_SOURCES})
  if(arg_STATIC)
    # Layers are compiled with the sanitizers, which cannot be linked statically: a STATIC program stands on its own
    # sources as soon as a sanitizer is on.
    if(arg_DEPS AND (SF_SANITIZE OR SF_COVERAGE))
      message(FATAL_ERROR "sf_program(${NAME}): STATIC with DEPS does not link under sanitizers; list the SOURCES")
    endif()
    target_link_libraries(${NAME} PRIVATE sf_warnings)
    target_link_options(${NAME} PRIVATE -static)
    set_target_properties(${NAME} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  else()
    target_link_libraries(${NAME} PRIVATE sf_flags)
  endif()
  sf_link_layers(${NAME} PRIVATE ${arg_DEPS})
  target_link_libraries(${NAME} PRIVATE ${arg_LIBS})
endfunction()

# ctest runs higher costs first (and what failed last time before everything else): quick answers come early.
set(SF_COST_unit 1000)
set(SF_COST_style 1000)
set(SF_COST_kernel 500)
set(SF_COST_faults 200)
set(SF_COST_equivalence 100)
set(SF_COST_substrates 90)

# Properties shared by all ctest entries: labels, deadline, order. Exit status 77 means "skipped".
function(sf_test_properties labels timeout serial)
  list(GET labels 0 first)
  if(NOT DEFINED SF_COST_${first})
    set(SF_COST_${first} 10)
  endif()
  set_tests_properties(${ARGN} PROPERTIES LABELS "${labels}" TIMEOUT "${timeout}" RUN_SERIAL "${serial}"
                       COST "${SF_COST_${first}}" SKIP_RETURN_CODE 77)
endfunction()

function(sf_test_code NAME)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS;WITH;LIBS" ${ARGN})
  sf_reject_leftovers("sf_test_code(${NAME})" ${arg_UNPARSED_ARGUMENTS})
  sf_compile_alone(${arg_SOURCES})
  add_library(sf_test_${NAME} STATIC ${arg_SOURCES})
  # Compiled as the tests are, for their precompiled header.
  set_target_properties(sf_test_${NAME} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(sf_test_${NAME} PRIVATE -fPIE)
  target_include_directories(sf_test_${NAME} PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}")
  target_link_libraries(sf_test_${NAME} PRIVATE sf_flags PUBLIC GTest::gmock GTest::gtest ${arg_LIBS})
  sf_link_layers(sf_test_${NAME} PUBLIC ${arg_DEPS})
  foreach(code IN LISTS arg_WITH)
    target_link_libraries(sf_test_${NAME} PUBLIC sf_test_${code})
  endforeach()
  sf_use_precompiled(sf_test_${NAME} test)
endfunction()

function(sf_test NAME)
  cmake_parse_arguments(arg "SERIAL;NAMESPACES" "TIMEOUT;SHARDS" "SOURCES;LABELS;DEPS;WITH;LIBS;USES;PARTS" ${ARGN})
  sf_reject_leftovers("sf_test(${NAME})" ${arg_UNPARSED_ARGUMENTS})
  if(NOT arg_LABELS OR NOT arg_SOURCES)
    message(FATAL_ERROR "sf_test(${NAME}): LABELS and SOURCES are needed")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()

  sf_compile_alone(${arg_SOURCES})
  add_executable(${NAME} ${arg_SOURCES})
  target_link_libraries(${NAME} PRIVATE sf_flags GTest::gmock GTest::gtest GTest::gtest_main ${arg_LIBS})
  if(SF_MOLD)
    target_link_options(${NAME} PRIVATE -fuse-ld=mold)
  endif()
  foreach(code IN LISTS arg_WITH)
    target_link_libraries(${NAME} PRIVATE sf_test_${code})
  endforeach()
  sf_link_layers(${NAME} PRIVATE ${arg_DEPS})
  sf_use_precompiled(${NAME} test)
  if(arg_USES)
    add_dependencies(${NAME} ${arg_USES})
  endif()
  foreach(source IN LISTS arg_SOURCES)
    get_filename_component(path "${source}" ABSOLUTE)
    set_property(GLOBAL APPEND PROPERTY sf_test_sources "${path}")
  endforeach()

  if(arg_SHARDS AND arg_SHARDS GREATER 1)
    math(EXPR last "${arg_SHARDS} - 1")
    foreach(shard RANGE ${last})
      add_test(NAME ${NAME}.${shard} COMMAND ${NAME})
      sf_test_properties("${arg_LABELS}" ${arg_TIMEOUT} ${arg_SERIAL} ${NAME}.${shard})
      set_tests_properties(${NAME}.${shard} PROPERTIES ENVIRONMENT
                           "GTEST_TOTAL_SHARDS=${arg_SHARDS};GTEST_SHARD_INDEX=${shard}")
    endforeach()
  else()
    set(prefix "")
    if(arg_NAMESPACES)
      # The shell is PID 1 and takes in orphans; killing `unshare` kills it, and so everything.
      set(prefix unshare --mount --propagation private --pid --fork --kill-child --mount-proc sh -c [["$@" || exit $?]] sh)
    endif()
    foreach(part IN LISTS arg_PARTS)
      add_test(NAME ${NAME}.${part} COMMAND ${prefix} $<TARGET_FILE:${NAME}> --gtest_filter=*/${part}_*)
      sf_test_properties("${arg_LABELS}" ${arg_TIMEOUT} ${arg_SERIAL} ${NAME}.${part})
    endforeach()
    if(NOT arg_PARTS)
      add_test(NAME ${NAME} COMMAND ${prefix} $<TARGET_FILE:${NAME}>)
      sf_test_properties("${arg_LABELS}" ${arg_TIMEOUT} ${arg_SERIAL} ${NAME})
    endif()
  endif()
endfunction()

# Lists all sources given to sf_test(), so that the style test can find a *_test.cc nobody builds.
function(sf_write_test_sources)
  get_property(sources GLOBAL PROPERTY sf_test_sources)
  list(JOIN sources "\n" text)
  file(GENERATE OUTPUT "${CMAKE_BINARY_DIR}/test_sources.txt" CONTENT "${text}\n")
endfunction()
