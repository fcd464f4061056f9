"""The version of this package; it is the project's."""

VERSION = "0.1.0"
