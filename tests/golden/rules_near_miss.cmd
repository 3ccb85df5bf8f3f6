rules memory/no-live-overlaps
