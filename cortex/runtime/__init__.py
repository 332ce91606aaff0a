"""Settings, lifecycle, telemetry and the supervisor of the local servers."""
