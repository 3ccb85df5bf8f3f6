/* Files that hold tensors: .npz, .npy, torch.save, .bpte. Their bytes are untrusted. */
#ifndef DG_FORMATS_TENSOR_FILE_H
#define DG_FORMATS_TENSOR_FILE_H

#include "base/arena.h"
#include "base/arg.h"
#include "base/bytes.h"

/* A value of a file. Tensors borrow the bytes of the file or of `memory`; those of
 * complex32, which do not run here, are UNKNOWN. */
struct dg_named_value {
    const char *name; /* in0, out1, x; of a list without names the position: "0" */
    struct dg_arg value;
    bool named; /* the file names it, so that it may match an argument's name */
};

/* The values of one call, in file order. */
struct dg_value_set {
    struct dg_named_value *values; /* malloc */
    size_t n_values;
    struct dg_arena memory;
    struct dg_bytes file; /* mapped or read; released with the set */
    bool mapped;
    const char *path;
};

/* Read .npz, .npy, a folder of .npy files, or what torch.save wrote (a tensor, or a
 * tuple, list or dict of tensors and scalars). Suffixes of names say what numpy cannot:
 * `in0__bf16` holds raw bits of bf16 in unsigned integers, `in1__int` a Python int.
 * Fails naming file, entry and offset. Clear *set even on failure. */
enum dg_status dg_value_set_open(struct dg_value_set *set, const char *path,
                                 struct dg_error *err);
void dg_value_set_clear(struct dg_value_set *set);

/* Write named host tensors and scalars as .npz, with those suffixes; the file appears
 * when it is whole. */
enum dg_status dg_npz_write(const char *path, const struct dg_named_value *values,
                            size_t n_values, struct dg_error *err);

/* The elements of a host tensor in their order: where it lies, or a copy in `memory`.
 * Fails where that is more than the host has: a view may show the same bytes any number
 * of times. */
enum dg_status dg_elements_in_order(struct dg_bytes *elements,
                                    const struct dg_tensor *tensor,
                                    struct dg_arena *memory, struct dg_error *err);

/* A bundled program (.bpte): a .pte and, by method, sets of inputs and expected
 * outputs. Sets are named in0..., out0...; without expected outputs `outputs` is empty.
 */
struct dg_bundle_case {
    const char *method;
    struct dg_value_set inputs, outputs;
};
struct dg_bundle {
    struct dg_bytes program; /* the .pte inside the file */
    struct dg_bundle_case *cases;
    size_t n_cases;
    struct dg_arena memory;
};
bool dg_bundle_recognises(struct dg_bytes file);
enum dg_status dg_bundle_read(struct dg_bundle *bundle, struct dg_bytes file,
                              struct dg_error *err);
/* Only where the .pte lies. */
enum dg_status dg_bundle_program(struct dg_bytes file, struct dg_bytes *program,
                                 struct dg_error *err);
void dg_bundle_clear(struct dg_bundle *bundle);

#endif
