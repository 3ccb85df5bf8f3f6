/* Finding the programs of tests/data. */
#include "unit/programs.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include "unit/suite.h"

void each_program(const char *pattern, size_t every, void visit(const char *path))
{
    char whole[512];
    glob_t found;

    snprintf(whole, sizeof(whole), "%s/tests/data/%s", getenv("top_srcdir"), pattern);
    ck_assert_int_eq(glob(whole, 0, NULL, &found), 0);
    ck_assert_uint_gt(found.gl_pathc, 100);
    for (size_t i = 0; i < found.gl_pathc; i += every)
        visit(found.gl_pathv[i]);
    globfree(&found);
}
