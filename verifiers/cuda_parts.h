/* What the files of the rules about the CUDA and Metal backends share. */
#ifndef DG_VERIFIERS_CUDA_PARTS_H
#define DG_VERIFIERS_CUDA_PARTS_H

#include "verifiers/sql.h"
#include "verifiers/verifier.h"

extern const char dg_query_method_name_missing[], dg_query_method_name_mismatch[];
extern const char dg_query_cuda_io[], dg_query_grad_mode[];

enum dg_status dg_check_view_copies(const struct dg_findings *found,
                                    struct dg_error *err);
enum dg_status dg_check_unsafe_views(const struct dg_findings *found,
                                     struct dg_error *err);
enum dg_status dg_check_fallback_kernels(const struct dg_findings *found,
                                         struct dg_error *err);
enum dg_status dg_check_attention(const struct dg_findings *found,
                                  struct dg_error *err);

#endif
