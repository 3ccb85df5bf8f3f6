/* Parts of the reader of tensor files. */
#ifndef DG_FORMATS_TENSOR_FILE_PARTS_H
#define DG_FORMATS_TENSOR_FILE_PARTS_H

#include "formats/stored_tensor.h"
#include "formats/tensor_file.h"

enum dg_status dg_npz_read(struct dg_value_set *set, struct dg_error *err);
enum dg_status dg_npy_folder_read(struct dg_value_set *set, struct dg_error *err);
enum dg_status dg_saved_tensors_read(struct dg_value_set *set, struct dg_error *err);

bool dg_npy_recognises(struct dg_bytes file);
/* The array in `content`; bytes that are unaligned or big-endian are copied to
 * `memory`, or changed in place where they are `ours`. NULL: failed. */
struct dg_tensor *dg_npy_read(struct dg_bytes content, bool ours,
                              struct dg_arena *memory, struct dg_error *err);

/* Add a value, whose share passes to the set. */
void dg_value_set_put(struct dg_value_set *set, struct dg_text name, bool named,
                      struct dg_arg value);
/* Add an array of numpy, which becomes what the suffix of its name says. */
enum dg_status dg_value_set_put_array(struct dg_value_set *set, struct dg_text name,
                                      struct dg_tensor *array, struct dg_error *err);
/* Whole elements of `size` bytes, each in the other byte order. */
const uint8_t *dg_swapped_bytes(struct dg_bytes bytes, size_t size,
                                struct dg_arena *memory);

/* Put `place` before what a reader says. */
enum dg_status dg_fail_at(struct dg_error *err, const char *place);

/* The suffix of an array in an .npz that holds raw bits of `type`; NULL: numpy has this
 * type itself. */
const char *dg_raw_suffix(enum dg_type type);

/* What the verifier has to know of a bundled program. */
extern const struct dg_table_type dg_bundled_program;

#endif
