# Included by src/waypoint/CMakeLists.txt: tests of the doctor and of finding CRIU.
sf_test(doctor_test
  SOURCES doctor_test.cc criu/criu_binary_test.cc
  LABELS unit
  DEPS waypoint)
sf_test(doctor_kernel_test
  SOURCES doctor_kernel_test.cc
  LABELS kernel
  DEPS waypoint testing
  USES waypoint-keeper waypoint-init)
