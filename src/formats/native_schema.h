/* Tables of native_graph.fbs, for native*.c alone. */
#ifndef DG_FORMATS_NATIVE_SCHEMA_H
#define DG_FORMATS_NATIVE_SCHEMA_H

#include "formats/flatbuffer_fields.h"

TYPE(affine, "AffineGroup", STRING("scale_data_key"), INT("scale_dtype", 1, 0),
     INT("quant_min", 4, 0), INT("quant_max", 4, 0), INT("group_size", 4, 0),
     STRING("zero_point_data_key"), INT("zero_point_dtype", 1, 0));
TYPE(packed, "PackedQuant", STRING("codec"));
static const struct dg_table_type *const schemes[] = {NULL, &affine, &packed};
TYPE(quant, "QuantSpec", SCALAR("scheme_type", 1), UNION("scheme", schemes));
enum { AFFINE_SCALES, AFFINE_ZEROS = 5 };

TYPE(dim, "Dim", INT("min", 8, 0), INT("max", 8, -1));
enum { DIM_MIN, DIM_MAX };
TYPE(meta, "TensorMeta", SCALAR("dtype", 1), CHILDREN("sizes", dim),
     INTS("dim_order", 4), CHILD("quant", quant));
enum { META_DTYPE, META_SIZES, META_ORDER, META_QUANT };
TYPE(described, "TensorValue", STRING("name"), CHILD("meta", meta));
enum { DESCRIBED_NAME, DESCRIBED_META };

static const struct dg_table_type graph, none = {"NoneArg", NULL, 0};
TYPE(tensor, "TensorArg", STRING("name"));
TYPE(integer, "IntArg", INT("value", 8, 0), STRING("ref"));
TYPE(real, "FloatArg", REAL("value", 8, 0), STRING("ref"));
TYPE(truth, "BoolArg", BOOL("value", 0), STRING("ref"));
TYPE(text, "StringArg", STRING("value"));
TYPE(scalar_type, "ScalarTypeArg", INT("value", 1, 0));
TYPE(ints, "IntListArg", INTS("values", 8), STRINGS("refs"));
TYPE(reals, "FloatListArg", REALS("values", 8));
TYPE(truths, "BoolListArg", BOOLS("values"));
TYPE(tensors, "TensorListArg", STRINGS("names"));
TYPE(optionals, "OptionalTensorListArg", STRINGS("names"), VECTOR("has_value", 1));
TYPE(body, "GraphArg", STRING("name"), CHILD("graph", graph));
static const struct dg_table_type *const kinds[] = {
    NULL,         &tensor, &none,  &integer, &real,    &truth,     &text,
    &scalar_type, &ints,   &reals, &truths,  &tensors, &optionals, &body};
enum { VALUE, REF };
enum { BODY_NAME, BODY_GRAPH };

TYPE(argument, "Argument", SCALAR("value_type", 1), UNION("value", kinds));
TYPE(input, "NamedArgument", STRING("name"), CHILD("arg", argument),
     BOOL("mutated", 0));
enum { INPUT_NAME, INPUT_ARG, INPUT_MUTATED };
TYPE(output, "Output", STRING("name"), STRING("alias_of"), SCALAR("kind", 1),
     STRINGS("names"));
enum { OUTPUT_NAME, OUTPUT_ALIAS, OUTPUT_KIND, OUTPUT_NAMES };
TYPE(entry, "KeyValue", STRING("key"), STRING("value"));
TYPE(node, "Node", STRING("name"), SCALAR("op_kind", 1), STRING("target"),
     CHILDREN("inputs", input), CHILDREN("outputs", output),
     CHILDREN("metadata", entry));
enum { NODE_NAME, NODE_KIND, NODE_TARGET, NODE_INPUTS, NODE_OUTPUTS };
enum { CALL_FUNCTION, PLACEHOLDER };

TYPE(reference, "NamedTensorRef", STRING("name"), STRING("data_key"),
     CHILD("meta", meta), SCALAR("kind", 1), BOOL("mutated", 0));
enum { REFERENCE_NAME, REFERENCE_KEY, REFERENCE_META };
TYPE(output_spec, "OutputSpec", STRING("name"), SCALAR("kind", 1), STRING("target"));
enum { SPEC_KIND = 1 };
enum { USER_OUTPUT };
TYPE(buffer, "MutableBufferSpec", STRING("name"), STRING("fqn"));

static const struct dg_field graph_fields[] = {CHILDREN("nodes", node),
                                               STRINGS("inputs"), STRINGS("outputs"),
                                               CHILDREN("tensor_values", described)};
static const struct dg_table_type graph = {
    "Graph", graph_fields, sizeof(graph_fields) / sizeof(*graph_fields)};
enum { GRAPH_NODES, GRAPH_INPUTS, GRAPH_OUTPUTS, GRAPH_VALUES };

TYPE(method, "Method", STRING("name"), CHILD("graph", graph),
     CHILDREN("constants", reference), CHILDREN("output_specs", output_spec),
     CHILDREN("mutable_buffers", buffer));
enum { METHOD_NAME, METHOD_GRAPH, METHOD_CONSTANTS, METHOD_SPECS };
TYPE(root, "Program", STRING("version"), CHILDREN("methods", method));
enum { VERSION, METHODS };

#endif
