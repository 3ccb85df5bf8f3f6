"""Where lines of shipped programs point to, in tests of --source-root."""
