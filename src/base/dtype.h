/* Element types: one table of names, sizes and each format's code. */
#ifndef DG_BASE_DTYPE_H
#define DG_BASE_DTYPE_H

#include <stdint.h>

#include "base/bytes.h"
#include "base/tensor.h"

struct dg_dtype {
    const char *name;  /* f32, i64, bool, f8e4m3fn: what delegraph prints */
    const char *torch; /* torch.float32 without "torch." */
    int bytes;         /* per element; 0 for sub-byte types */
    int torch_json;    /* code in the model JSON of torch.export, schema 8; -1: none */
    int exir_json;     /* code in exir's JSON, schema 5 */
    int c10;           /* code in .pte, .ptd, .bpte */
    const char *storage; /* legacy storage class of torch.save ("FloatStorage"); NULL */
    enum dg_type type;   /* of tensors in memory; NONE: there are none of it */
};

static inline enum dg_type dg_type_of(const struct dg_dtype *dtype)
{
    return dtype ? dtype->type : DG_TYPE_NONE;
}

/* NULL when the code or name is unknown. */
const struct dg_dtype *dg_dtype_of_torch(int64_t code);
const struct dg_dtype *dg_dtype_of_exir(int64_t code);
const struct dg_dtype *dg_dtype_of_c10(int64_t code);
const struct dg_dtype *dg_dtype_of_name(struct dg_text name);       /* "f32" */
const struct dg_dtype *dg_dtype_of_torch_name(struct dg_text name); /* "float32" */
const struct dg_dtype *dg_dtype_of_storage(struct dg_text name);    /* "FloatStorage" */

#endif
