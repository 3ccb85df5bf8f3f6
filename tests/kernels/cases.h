/* Case files: calls of operators with the results that torch gave. */
#ifndef DG_TESTS_KERNELS_CASES_H
#define DG_TESTS_KERNELS_CASES_H

#include <stdbool.h>
#include <stdio.h>

#include "base/arg.h"

enum { CASE_ARGS_MOST = 48, CASE_RESULTS_MOST = 16 };

/* One call. Tensors borrow the bytes of the file. */
struct op_case {
    char op[128], label[128];
    struct dg_arg args[CASE_ARGS_MOST], results[CASE_RESULTS_MOST];
    size_t n_args, n_results;
};

struct case_file {
    unsigned char *bytes;
    size_t size, at;
};

bool case_file_open(struct case_file *file, const char *path);
void case_file_close(struct case_file *file);
/* False at the end; ends the program when the file is not a case file. */
bool next_case(struct case_file *file, struct op_case *next);
void clear_case(struct op_case *done);

#endif
