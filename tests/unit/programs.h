/* The programs of tests/data. */
#ifndef DG_TESTS_PROGRAMS_H
#define DG_TESTS_PROGRAMS_H

#include <stddef.h>

/* visit(path) each `every`th of those that match, of which there must be many. */
void each_program(const char *pattern, size_t every, void visit(const char *path));

#endif
