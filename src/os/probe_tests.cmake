# Included by src/os/CMakeLists.txt: tests of probe.h and host_info.h.
sf_test(os_host_info_test
  SOURCES host_info_test.cc
  LABELS unit
  DEPS os)
sf_test(os_probe_test
  SOURCES probe_test.cc
  LABELS kernel
  DEPS os testing)
