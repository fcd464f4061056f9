"""Stand-ins for programs that use StateFork and cannot be installed everywhere. Each follows the
published interface."""
