/* Queries about the keys of AOTInductor's code and weights. */
#ifndef DG_VERIFIERS_CUDA_KEYS_H
#define DG_VERIFIERS_CUDA_KEYS_H

extern const char dg_query_cuda_key_collision[], dg_query_cuda_key_missing[],
    dg_query_cuda_weights_missing[];

#endif
