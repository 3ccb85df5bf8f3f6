rules constant/no-copy
