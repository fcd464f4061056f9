# Included by src/waypoint/CMakeLists.txt: tests of the pure parts.
sf_test(terminal_test
  SOURCES terminal/clean_text_test.cc terminal/output_buffer_test.cc terminal/emulator_test.cc terminal/screen_test.cc
          terminal/scrolled_away_test.cc
  LABELS unit
  DEPS waypoint)
