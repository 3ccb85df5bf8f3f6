rules memory/extent
