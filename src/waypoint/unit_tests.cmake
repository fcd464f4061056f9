# Included by src/waypoint/CMakeLists.txt: tests of parts.
find_package(rapidcheck REQUIRED)
sf_test(terminal_test
  SOURCES terminal/clean_text_test.cc terminal/output_buffer_test.cc terminal/emulator_test.cc terminal/screen_test.cc
          terminal/scrolled_away_test.cc terminal/input_encoding_test.cc terminal/reflow_test.cc terminal/terminal_answers_test.cc
  LABELS unit
  DEPS waypoint)
sf_test(waypoint_unit_test
  SOURCES branch_config_test.cc branch_facts_test.cc capabilities_test.cc capture_plan_test.cc command_test.cc fault_plan_test.cc file_stamp_test.cc image_plan_test.cc input_queue_test.cc
          manifest_test.cc plain_command_test.cc shell_look_test.cc shell_protocol_test.cc store_sweep_test.cc tree_plan_test.cc user_lookup_test.cc
          criu/blockers_test.cc criu/removed_names_test.cc criu/rpc_codec_test.cc criu/standing_test.cc criu/tty_image_test.cc init/start_request_test.cc
          native/ahead_test.cc native/backing_test.cc native/blockers_test.cc native/datagrams_test.cc native/event_files_test.cc native/family_test.cc native/guards_test.cc native/image_test.cc native/netlink_sockets_test.cc native/posix_queues_test.cc native/proc_texts_test.cc native/pty_data_test.cc native/run_counts_test.cc native/stillness_test.cc native/tcp_connections_test.cc native/threads_test.cc native/unix_facts_test.cc native/waiting_connections_test.cc
  LABELS unit
  DEPS base os wire waypoint testing
  LIBS rapidcheck)
# Parts that need a kernel and nothing else of a branch.
sf_test(waypoint_kernel_test
  SOURCES cradle_test.cc layer_digest_test.cc terminal_input_test.cc native/stopped_tree_test.cc native/watches_test.cc
  LABELS kernel
  DEPS base os wire waypoint testing)
