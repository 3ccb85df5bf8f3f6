rules memory/extent --format json
