/* What is inside of delegates, where the formats of their blobs are read. */
#include "verifiers/blob_parts.h"

static const struct dg_rule rules[] = {
    {
        .name = "format",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the blob of a delegate whose format is open (XNNPACK, Vulkan,"
                     " TOSA, native, MLX) is whole: its header, its graph and its"
                     " constants lie inside of it",
        .reason = "the delegate refuses it, or computes with bytes that say something"
                  " else",
        .fix = "lower again; the bytes were cut off or changed since",
        .example =
            "the header says that the graph has 576 bytes at byte 32, and the blob"
            " has 560",
        .level = "pte",
        .refused = true,
    },
    {
        .name = "value-unique",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "each value inside of a delegate is defined once",
        .reason = "the runtime takes the first and forgets the others",
        .fix = "lower again; a tool that edits blobs must number values anew",
        .example = "value 3 is defined as the filter of a convolution, and once more "
                   "as its result",
        .level = "pte",
        .query = dg_query_blob_value_unique,
        .about = DG_ABOUT_INSIDE,
    },
    {
        .name = "value-defined",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "what a node or a name inside of a delegate is about is a value of"
                     " the blob",
        .reason = "the delegate refuses the blob, and the method does not load",
        .fix = "lower again",
        .example = "Conv2d_1 names value 9 as its bias, and the blob has values 0 to 5",
        .level = "pte",
        .refused = true,
        .query = dg_query_blob_value_defined,
        .about = DG_ABOUT_INSIDE,
    },
    {
        .name = "value-written",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "what is read inside of a delegate is an input, a constant, or "
                     "written by one node",
        .reason = "it is computed with bytes that nobody wrote, or that were written "
                  "over",
        .fix = "lower again; passes inside of the backend must keep producers",
        .example = "value 4 is read by StaticTranspose_2, and no node writes it",
        .level = "pte",
        .query = dg_query_blob_value_written,
        .about = DG_ABOUT_INSIDE,
    },
    {
        .name = "acyclic",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "no node inside of a delegate needs its own result",
        .reason = "the runtime runs the nodes nevertheless, with what memory happens "
                  "to hold",
        .fix = "lower again",
        .example = "Add_2 reads what Multiply_3 made of its result",
        .level = "pte",
        .check = dg_check_blob_acyclic,
        .about = DG_ABOUT_INSIDE,
    },
    {
        .name = "external-id",
        .severity = DG_SEVERITY_ERROR,
        .invariant =
            "inputs and outputs inside of a delegate are values of the blob and"
            " operands of its call, each output one of its own",
        .reason = "the delegate refuses the blob, reads beyond its operands and "
                  "crashes, or results are lost",
        .fix = "lower again",
        .example = "value 5 is operand 7, and the blob has 2 of them",
        .level = "pte",
        .refused = true,
        .query = dg_query_blob_external_id,
        .about = DG_ABOUT_INSIDE,
    },
    {
        .name = "value-type",
        .severity = DG_SEVERITY_ERROR,
        .invariant =
            "a value inside of a delegate has a type that is known, at most six"
            " dimensions, no more bytes than can be counted, and the quantization of"
            " its type",
        .reason = "the delegate refuses the blob",
        .fix = "lower again, with the versions of exporter and runtime that belong"
               " together",
        .example = "value 3 is qcint8, and its quantization is per_tensor",
        .level = "pte",
        .refused = true,
        .query = dg_query_blob_value_type,
        .about = DG_ABOUT_INSIDE,
    },
    {
        .name = "quantization",
        .severity = DG_SEVERITY_ERROR,
        .invariant =
            "scales inside of a delegate are positive and as many as there are "
            "channels or groups, zero points are in range",
        .reason = "the delegate refuses the blob, reads beyond the scales, or all "
                  "numbers are wrong",
        .fix = "quantize and lower again",
        .example = "value 3 has 4 scales for 8 channels",
        .level = "pte",
        .refused = true,
        .query = dg_query_blob_quantization,
        .about = DG_ABOUT_QUANTIZED,
    },
    {
        .name = "constant",
        .severity = DG_SEVERITY_ERROR,
        .invariant =
            "the bytes of a constant inside of a delegate are there, as many as"
            " its type and shape need",
        .reason = "the delegate refuses the blob, or reads beyond the bytes",
        .fix = "lower again",
        .example = "value 2 is fp32[4,3,3,3], 432 bytes; constant 1 has 400",
        .level = "pte",
        .refused = true,
        .query = dg_query_blob_constant,
        .about = DG_ABOUT_INSIDE,
    },
    {
        .name = "node-kind",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "nodes inside of a delegate are of kinds that the runtime has",
        .reason = "the delegate refuses the blob, or crashes",
        .fix = "lower with the version of ExecuTorch that will run it",
        .example = "ScaledDotProductAttention_4",
        .level = "pte",
        .refused = true,
        .query = dg_query_blob_node_kind,
        .about = DG_ABOUT_INSIDE,
    },
    {
        .name = "output-range",
        .severity = DG_SEVERITY_ERROR,
        .invariant =
            "what a node inside of a delegate clamps its result to is a range, "
            "and the node is of a kind that clamps",
        .reason = "the delegate refuses it, or all results are its upper bound; other"
                  " kinds do not clamp",
        .fix = "lower again",
        .example = "FullyConnected_0 clamps its result to 6.0..0.0",
        .level = "pte",
        .refused = true,
        .query = dg_query_blob_output_range,
        .about = DG_ABOUT_INSIDE,
    },
    {
        .name = "window",
        .severity = DG_SEVERITY_ERROR,
        .invariant =
            "windows, strides, dilations and groups inside of a delegate are positive,"
            " and each window of a pool lies on some pixel",
        .reason = "the delegate refuses the blob, divides by zero, or makes numbers of"
                  " what is no pixel of the window",
        .fix = "lower again",
        .example = "MaxPooling2d_3 has a stride of 0, 2",
        .level = "pte",
        .refused = true,
        .query = dg_query_blob_window,
        .about = DG_ABOUT_INSIDE,
    },
    {
        .name = "weights",
        .severity = DG_SEVERITY_ERROR,
        .invariant =
            "filters and biases inside of a delegate have the shape that their "
            "node says",
        .reason = "the delegate refuses the blob, or reads beyond the weights",
        .fix = "lower again",
        .example = "Conv2d_1 has a filter of [4,3,3,3], and makes [8,3,3,3] of it",
        .level = "pte",
        .refused = true,
        .query = dg_query_blob_weights,
        .about = DG_ABOUT_INSIDE,
    },
    {
        .name = "flags",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "a node inside of a delegate has flags of its kind",
        .reason = "convolutions and resizing refuse others, the rest overlooks them",
        .fix = "lower again",
        .example = "Conv2d_1 has flags 5, of which 1 mean nothing",
        .level = "pte",
        .refused = true,
        .query = dg_query_blob_flags,
        .about = DG_ABOUT_INSIDE,
    },
    {
        .name = "datatype",
        .severity = DG_SEVERITY_ERROR,
        .invariant =
            "what a node inside of a delegate takes and gives are types that go"
            " together",
        .reason = "the delegate refuses the blob",
        .fix =
            "quantize all that the operator takes, or nothing of it, and lower again",
        .example = "Add_3 has operands of fp32 and fp16",
        .level = "pte",
        .refused = true,
        .query = dg_query_blob_datatype,
        .about = DG_ABOUT_INSIDE,
    },
    {
        .name = "rescale",
        .severity = DG_SEVERITY_ERROR,
        .invariant =
            "scales of input, filter and result inside of a delegate go together",
        .reason = "the delegate refuses the blob",
        .fix = "quantize again, with inputs that are like those to come",
        .example =
            "Conv2d_1 turns a sum into codes with 512; less than 256 is possible",
        .level = "pte",
        .refused = true,
        .query = dg_query_blob_rescale,
        .about = DG_ABOUT_QUANTIZED,
    },
    {
        .name = "odd-row",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "rows of 4-bit weights inside of a delegate have an even length",
        .reason =
            "the runtime computes with other weights: it reads rows one behind the"
            " other, and ExecuTorch writes each from a whole byte on",
        .fix = "quantize weights of an odd number of inputs to 8 bits, or widen them",
        .example = "FullyConnected_1 has rows of 9 weights of 4 bits",
        .level = "pte",
        .query = dg_query_blob_odd_row,
        .about = DG_ABOUT_QUANTIZED,
    },
    {
        .name = "merged-clamp",
        .severity = DG_SEVERITY_ERROR,
        .invariant =
            "a clamp of the codes that a maximum pool gives keeps their scale and"
            " zero point",
        .reason = "the runtime makes one node of both, and takes codes of one grid for"
                  " those of the other: all numbers behind it are wrong",
        .fix = "quantize the activation and the pool with one observer, or clamp before"
               " the pool",
        .example = "Clamp_4 clamps what MaxPooling2d_3 gives, from scale 0.5 to 0.25",
        .level = "pte",
        .check = dg_check_blob_merged_clamp,
        .about = DG_ABOUT_QUANTIZED,
    },
    {
        .name = "long-chain",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "of functions on codes no ten follow one another",
        .reason = "the runtime makes one table of them, and aborts when it loads the"
                  " delegate: it has room for nine",
        .fix = "leave one of them in floats, or outside of the delegate",
        .example = "ten functions of codes follow one another, from Clamp_2 to Tanh_11",
        .level = "pte",
        .check = dg_check_blob_long_chain,
        .about = DG_ABOUT_QUANTIZED,
    },
    {
        .name = "copy-read-twice",
        .severity = DG_SEVERITY_ERROR,
        .invariant =
            "no node reads a copy twice whose original others read, too, or that"
            " comes from outside of the delegate",
        .reason = "the runtime takes the copy out and changes one of the operands: it"
                  " refuses the delegate, or crashes when it runs it",
        .fix = "let the node read the original",
        .example = "Multiply_2 reads what Copy_1 gives more than once",
        .level = "pte",
        .check = dg_check_blob_copy_read_twice,
        .about = DG_ABOUT_INSIDE,
    },
    {
        .name = "pixel-scales",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "what is quantized when it runs is read by convolutions of 1x1"
                     " alone, or by none of them",
        .reason = "the runtime makes a FullyConnected of a convolution of 1x1, with a"
                  " scale for each pixel of its input, and the others take the first of"
                  " them for the scales of whole images: their numbers are wrong",
        .fix = "leave one of the convolutions in floats, or outside of the delegate",
        .example = "Conv2d_3 of 3x3 reads the codes that Conv2d_2 of 1x1 reads",
        .level = "pte",
        .check = dg_check_blob_pixel_scales,
        .about = DG_ABOUT_QUANTIZED,
    },
    {
        .name = "unread-result",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "what an ArgMaxPooling2d gives, largest numbers and places, nodes"
                     " inside of the delegate read, or the call takes",
        .reason = "the runtime has no memory for what nobody reads, and crashes when it"
                  " writes there",
        .fix = "lower again; use MaxPooling2d where nobody asks for places",
        .example = "nobody reads value 4, the output_index of ArgMaxPooling2d_2",
        .level = "pte",
        .refused = true,
        .query = dg_query_blob_unread_result,
        .about = DG_ABOUT_INSIDE,
    },
    {
        .name = "shape",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "shapes inside of a delegate go together, from what a call passes"
                     " to what it takes",
        .reason = "the delegate refuses to run, or says another shape than it has",
        .fix = "lower again",
        .example = "Concatenate2_3: its inputs are [1,4,8] and [1,5,9]",
        .level = "pte",
        .refused = true,
        .check = dg_check_blob_shapes,
        .about = DG_ABOUT_INSIDE,
    },
    {0},
};

const struct dg_verifier dg_verifier_blob = {"blob", rules, DG_ABOUT_DELEGATE};
