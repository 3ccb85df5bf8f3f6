/* An argument or result of an operator: a tensor, a number, a list. */
#ifndef DG_BASE_ARG_H
#define DG_BASE_ARG_H

#include "base/tensor.h"

#ifdef __cplusplus /* nvcc reads this header as C++ */
extern "C" {
#endif

enum dg_arg_kind {
    DG_ARG_NONE,
    DG_ARG_TENSOR,
    DG_ARG_INT,
    DG_ARG_FLOAT,
    DG_ARG_BOOL,
    DG_ARG_STRING,
    DG_ARG_TYPE,    /* a dtype */
    DG_ARG_LIST,    /* of any of these; a tensor list may hold NONE */
    DG_ARG_UNKNOWN, /* what a step that could not run would have given */
    DG_ARG_COMPLEX,
};

/* An argument or result. Whoever owns one holds a share of its tensors. */
struct dg_arg {
    enum dg_arg_kind kind;
    union {
        struct dg_tensor *tensor;
        int64_t integer; /* INT, BOOL; of UNKNOWN: the step that could not run */
        double real;
        struct {
            double real, imag;
        } pair; /* COMPLEX */
        const char *string;
        enum dg_type type;
        struct {
            struct dg_arg *items; /* malloc */
            size_t n_items;
        } list;
    } as;
};

/* A second holder of the same tensors; lists are copied. Drop what *to held before. */
void dg_arg_set(struct dg_arg *to, const struct dg_arg *from);
void dg_arg_drop(struct dg_arg *arg); /* leaves NONE */

#ifdef __cplusplus
}
#endif
#endif
