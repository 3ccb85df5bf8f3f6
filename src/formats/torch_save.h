/* Writing values as torch.save does. */
#ifndef DG_FORMATS_TORCH_SAVE_H
#define DG_FORMATS_TORCH_SAVE_H

#include "base/arg.h"
#include "base/bytes.h"

/* The bytes of torch.save(((values...), {})), which torch.export keeps as example
 * inputs, for the caller to free; none where a value has a type that has no storage
 * class in torch. Values: tensors of the host and numbers. */
enum dg_status dg_torch_save_inputs(struct dg_bytes *saved, const struct dg_arg *values,
                                    size_t n_values, struct dg_error *err);

#endif
