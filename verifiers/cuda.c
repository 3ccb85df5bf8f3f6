/* What the CUDA and Metal backends, which compile with AOTInductor, need of a program.
 */
#include "verifiers/cuda_keys.h"
#include "verifiers/cuda_parts.h"

static const struct dg_rule rules[] = {
    {
        .name = "view-copy-elidable",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "what only reads a slice, a transpose, ... reads it in place",
        .reason = "a *_copy operator allocates and copies what a view would share",
        .fix =
            "nothing is wrong; let the backend (ReplaceViewCopyWithViewPass) or a pass"
            " of your own make views of them",
        .example = "x -> permute_copy -> mm -> output, where nothing writes x",
        .issue = "#15136",
        .level = "pt2",
        .check = dg_check_view_copies,
        .runs = DG_RUNS_FOR_CUDA,
    },
    {
        .name = "view-unsafe",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "a copy that the backend turns into a view may be one",
        .reason =
            "AotiBackend makes views of slice_copy, select_copy and split_copy, and"
            " looks only at who writes their results: the view sees what is written"
            " later, and the program computes wrong numbers",
        .fix = "put a clone behind the copy, or write before it is made",
        .example = "c = slice_copy(buffer); buffer.add_(1); return c",
        .level = "pt2",
        .check = dg_check_unsafe_views,
        .runs = DG_RUNS_FOR_CUDA,
    },
    {
        .name = "method-name-missing",
        .severity = DG_SEVERITY_ERROR,
        .invariant =
            "a delegate of CudaBackend or MetalBackend is told its method_name",
        .reason =
            "a delegate without keys of its own finds its code under <method>_so_blob"
            " only, and the runtime refuses it; others lose a name in messages",
        .fix = "pass CudaBackend.generate_method_name_compile_spec(NAME) to the"
               " partitioner",
        .example = "a CudaBackend delegate with an empty blob and no compile spec"
                   " method_name, beside the named data forward_so_blob",
        .level = "pt2 pte",
        .query = dg_query_method_name_missing,
        .about = DG_ABOUT_AOTI,
    },
    {
        .name = "method-name-mismatch",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "a delegate's method_name is the method that it lies in",
        .reason =
            "the delegate loads the code of another method where its keys are made"
            " from that name",
        .fix = "make one partitioner for each method, with its own method_name",
        .example = "in method decode, a CudaBackend delegate with method_name prefill",
        .issue = "#20424",
        .level = "pt2 pte",
        .query = dg_query_method_name_mismatch,
        .about = DG_ABOUT_AOTI,
    },
    {
        .name = "fallback-kernel",
        .severity = DG_SEVERITY_ERROR,
        .invariant =
            "AOTInductor has code, or the backend a kernel, for each operator of a"
            " partition",
        .reason = "lowering fails: \"Method ... missing fallback kernels\"",
        .fix = "keep the operator out of the partition, or decompose it first",
        .example = "aten::_cdist_forward in a partition of CudaBackend",
        .level = "pt2",
        .check = dg_check_fallback_kernels,
        .runs = DG_RUNS_FOR_CUDA,
    },
    {
        .name = "io-not-tensor",
        .severity = DG_SEVERITY_ERROR,
        .invariant =
            "what goes in and out of a delegate of CudaBackend or MetalBackend is"
            " a tensor",
        .reason = "the backend fails when the delegate runs: it takes tensors only",
        .fix = "compute the number inside the partition, or put it into a tensor",
        .example =
            "executorch_call_delegate(lowered_module_0, x, sym_size), where sym_size"
            " is an integer",
        .level = "pt2 pte",
        .query = dg_query_cuda_io,
        .about = DG_ABOUT_AOTI,
    },
    {
        .name = "attention-math",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "attention needs no memory for all pairs of positions at once",
        .reason =
            "where no Triton kernel takes its place (triton_kernel_mode OFF),"
            " AOTInductor decomposes attention and keeps the scores of all queries"
            " against all keys",
        .fix = "leave triton_kernel_mode ON, or attend to fewer positions at a time",
        .example = "scaled_dot_product_attention of 8 heads and 4096 positions in f32:"
                   " scores of 512 MiB",
        .level = "pt2",
        .check = dg_check_attention,
        .runs = DG_RUNS_FOR_CUDA,
    },
    {
        .name = "grad-mode",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "no partition holds wrap_with_set_grad_enabled",
        .reason = "the backend gets a graph within its graph, which its passes do not"
                  " look into and AOTInductor may refuse",
        .fix = "export under torch.no_grad(), or call run_decompositions() first, which"
               " inlines it",
        .example =
            "a model with `with torch.no_grad():` in forward, all in one partition",
        .level = "pt2",
        .query = dg_query_grad_mode,
    },
    {
        .name = "key-collision",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "delegates do not use one key for different data",
        .reason = "one of them runs the code of another, or computes with its weights",
        .fix = "export again with a current ExecuTorch, whose keys are digests; give"
               " the program only the .ptd that was written with it",
        .example =
            "two methods with key forward_weights_blob, of 384 bytes in a.pte and"
            " of 512 in b.ptd",
        .issue = "#20424",
        .level = "pte",
        .query = dg_query_cuda_key_collision,
        .about = DG_ABOUT_AOTI,
    },
    {
        .name = "key-missing",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the code of every delegate is in the program or its .ptd",
        .reason =
            "the runtime fails to load the method: \"Failed to get data for key\"",
        .fix = "export again, or give the program the .ptd that was written with it",
        .example = "a payload with key 1ca7..._so_blob, which no named data has",
        .level = "pte",
        .query = dg_query_cuda_key_missing,
        .about = DG_ABOUT_AOTI,
    },
    {
        .name = "weights-missing",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the weights of every delegate are in the program or its .ptd",
        .reason = "the runtime fails, or computes without the weights",
        .fix = "give the program the aoti_cuda_blob.ptd that was written with it",
        .example = "a payload with key 4213..._weights_blob, checked without its .ptd",
        .issue = "#22311",
        .level = "pte",
        .query = dg_query_cuda_weights_missing,
        .about = DG_ABOUT_AOTI,
    },
    {0},
};

const struct dg_verifier dg_verifier_cuda = {"cuda", rules};
