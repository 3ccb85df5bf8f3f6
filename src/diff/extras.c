/* Files of the user beside a program in its archive. */
#include "diff/diff_parts.h"
