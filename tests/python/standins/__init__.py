"""Stand-ins for programs that use ours and cannot be installed everywhere. Each follows the published contract."""
