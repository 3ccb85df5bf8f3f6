/* Symbolic sizes by the order of their first use. */
#include "diff/diff_parts.h"
