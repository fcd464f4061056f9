// The subcommands that need only the daemon, one in each file. They print only their result on
// standard output; errors and remarks go to standard error.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace sf::cli {

// Each adds itself to `app` and sets `exit_code` when it ran. Requires: both arguments, and
// `words`, live as long as `app`.
// `words`: the words after `--`.
void add_exec_command(CLI::App& app, const std::vector<std::string>& words, int& exit_code);
void add_run_command(CLI::App& app, const std::vector<std::string>& words, int& exit_code);
void add_keys_command(CLI::App& app, const std::vector<std::string>& words, int& exit_code);

void add_ls_command(CLI::App& app, int& exit_code);
void add_stats_command(CLI::App& app, int& exit_code);
void add_rm_command(CLI::App& app, int& exit_code);

void add_snapshot_command(CLI::App& app, int& exit_code);
void add_restore_command(CLI::App& app, int& exit_code);
void add_fork_command(CLI::App& app, int& exit_code);
void add_tree_command(CLI::App& app, int& exit_code);
void add_diff_command(CLI::App& app, int& exit_code);
void add_log_command(CLI::App& app, int& exit_code);
void add_show_command(CLI::App& app, int& exit_code);
void add_note_command(CLI::App& app, int& exit_code);
void add_rename_command(CLI::App& app, int& exit_code);
void add_cleanup_command(CLI::App& app, int& exit_code);

void add_shell_command(CLI::App& app, int& exit_code);
void add_cp_command(CLI::App& app, int& exit_code);
void add_mouse_command(CLI::App& app, int& exit_code);
void add_screen_command(CLI::App& app, int& exit_code);
void add_resize_command(CLI::App& app, int& exit_code);

void add_serve_command(CLI::App& app, int& exit_code);
void add_mcp_command(CLI::App& app, int& exit_code);
void add_gc_command(CLI::App& app, int& exit_code);

}  // namespace sf::cli
