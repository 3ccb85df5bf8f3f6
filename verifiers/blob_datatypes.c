/* What nodes inside of delegates take and give: types of elements, and scales. */
#include "verifiers/blob_parts.h"

#define NODES DG_BLOB_NODES_SQL

/* Which types XNNPACK computes with was measured, each with each, at its runtime; what
 * it asks of numbers is in xnn_define_*() and xnn_create_*(). */

#define LINEAR " FullyConnected "
#define CONVOLUTIONS " Conv2d DepthwiseConv2d "
#define ALL_LAYERS LINEAR "Conv2d DepthwiseConv2d ConvTranspose2d "
#define PRODUCT " BatchMatrixMultiply "
#define MULTIPLYING                                                                    \
    "'FullyConnected', 'Conv2d', 'DepthwiseConv2d', 'ConvTranspose2d',"                \
    " 'BatchMatrixMultiply'"

/* Kinds that multiply: by the types of both factors, those of bias and result. */
#define LAYERS                                                                         \
    "layers(kinds, first, second, biases, outputs) AS (VALUES"                         \
    "  ('" ALL_LAYERS "', 'fp32', 'fp32', ' fp32 ', ' fp32 '),"                        \
    "  ('" ALL_LAYERS "', 'fp32', 'fp16', ' fp32 fp16 ', ' fp32 '),"                   \
    "  ('" LINEAR "', 'fp32', 'qcint8', ' fp32 ', ' fp32 '),"                          \
    "  ('" LINEAR "', 'fp32', 'qcint4', ' fp32 ', ' fp32 '),"                          \
    "  ('" ALL_LAYERS "', 'fp16', 'fp32', ' fp32 ', ' fp16 '),"                        \
    "  ('" LINEAR CONVOLUTIONS "', 'fp16', 'fp16', ' fp32 fp16 ', ' fp16 '),"          \
    "  ('" LINEAR "', 'bf16', 'bf16', ' fp32 ', ' bf16 fp32 '),"                       \
    "  ('" ALL_LAYERS "', 'qint8', 'qint8', ' qint32 ', ' qint8 '),"                   \
    "  ('" LINEAR "', 'qint8', 'qcint8', ' qint32 qcint32 ', ' qint8 '),"              \
    "  ('" CONVOLUTIONS                                                                \
    "ConvTranspose2d ', 'qint8', 'qcint8', ' qcint32 ', ' qint8 '),"                   \
    "  ('" LINEAR "', 'qint8', 'qcint4', ' qint32 qcint32 ', ' qint8 '),"              \
    "  ('" ALL_LAYERS "', 'quint8', 'quint8', ' qint32 ', ' quint8 '),"                \
    "  ('" LINEAR "Conv2d ', 'qdint8', 'qcint8', ' fp32 ', ' fp32 fp16 '),"            \
    "  (' ConvTranspose2d ', 'qdint8', 'qcint8', ' fp32 ', ' fp32 '),"                 \
    "  ('" LINEAR "', 'qdint8', 'qcint4', ' fp32 ', ' fp32 fp16 '),"                   \
    "  ('" LINEAR "', 'qdint8', 'qbint4', ' fp32 ', ' fp32 fp16 bf16 '),"              \
    "  ('" PRODUCT "', 'fp32', 'fp32', '', ' fp32 '),"                                 \
    "  ('" PRODUCT "', 'fp32', 'qcint8', '', ' fp32 '),"                               \
    "  ('" PRODUCT "', 'fp16', 'fp16', '', ' fp16 '),"                                 \
    "  ('" PRODUCT "', 'bf16', 'bf16', '', ' fp32 '),"                                 \
    "  ('" PRODUCT "', 'qint8', 'qint8', '', ' qint8 '),"                              \
    "  ('" PRODUCT "', 'qdint8', 'qcint8', '', ' fp32 '))"

#define HALVES " fp32 fp16 "
#define IMAGES HALVES "qint8 quint8 "
#define NUMBERS IMAGES "bf16 "
#define WHOLE NUMBERS "int32 "
#define MOVED WHOLE "qint32 qcint8 qcint32 "
#define MOVES                                                                          \
    "'StaticTranspose', 'StaticReshape', 'StaticSlice', 'StaticConstantPad', 'Copy'"

/* What a node of the other kinds takes. */
#define TAKEN                                                                          \
    "CASE WHEN n.op = 'ArgMaxPooling2d' THEN ' fp32 '"                                 \
    " WHEN n.op IN ('Softmax', 'AvgPooling2d') THEN '" HALVES "'"                      \
    " WHEN n.op IN ('MaxPooling2d', 'GlobalAvgPooling2d', 'StaticResizeBilinear2D')"   \
    "  THEN '" IMAGES "'"                                                              \
    " WHEN n.op IN ('Abs', 'Add', 'Clamp', 'Convert', 'Div', 'Maximum', 'Minimum',"    \
    "  'Multiply', 'Negate', 'Square', 'Subtract') THEN '" WHOLE "'"                   \
    " WHEN n.op IN (" MOVES ") THEN '" MOVED "'"                                       \
    " WHEN n.op GLOB 'Concatenate?' THEN '" MOVED "qcint4 pfp32 ' ELSE '" NUMBERS      \
    "' END"

/* XNNPACK has no way to pack such a filter, and calls it. */
#define IS_PACKED_ASIDE                                                                \
    "role = 'filter' AND flags & 1 AND datatype = 'qcint4' AND one <> 'qdint8'"

#define OPERANDS                                                                       \
    NODES "  JOIN delegate_operand AS f ON f.node_id = n.id AND f.pos = 0"             \
          "  JOIN delegate_value AS w ON w.id = f.value_id"                            \
          "  JOIN delegate_operand AS o ON o.node_id = n.id"                           \
          "  JOIN delegate_value AS v ON v.id = o.value_id"

/* A kind that multiplies and has no row in the table is told of at its second factor,
 * or at the first where that goes with no other. */
#define MULTIPLIED                                                                     \
    "multiplied AS (SELECT g.method_id, g.path, n.id, n.name, o.name AS role,"         \
    "   ' ' || n.op || ' ' AS kind, o.pos, v.datatype, w.datatype AS one, n.flags,"    \
    "   u.datatype AS other, n.op <> 'ConvTranspose2d' AND o.name = 'filter'"          \
    "    AND v.datatype = 'qint8' AS is_even, json_extract(v.quantization,"            \
    "    '$.zero_point') AS zero" OPERANDS                                             \
    "  JOIN delegate_operand AS h ON h.node_id = n.id AND h.pos = 1"                   \
    "  JOIN delegate_value AS u ON u.id = h.value_id WHERE n.op IN (" MULTIPLYING      \
    ")),"                                                                              \
    "layered AS (SELECT method_id, path, id, name, CASE"                               \
    "   WHEN first IS NULL THEN CASE WHEN one NOT IN (SELECT first FROM layers WHERE"  \
    "      instr(kinds, kind)) THEN printf('takes %s', one)"                           \
    "     WHEN pos = 1 THEN printf('takes %s, and its %s is %s', one, role, datatype)" \
    "     END"                                                                         \
    "   WHEN pos > 1 AND NOT instr(iif(role = 'bias', biases, outputs), ' ' ||"        \
    "     datatype || ' ') THEN printf('takes %s, and its %s is %s', one, role,"       \
    "     datatype)"                                                                   \
    "   WHEN " IS_PACKED_ASIDE                                                         \
    " THEN printf('takes %s, and its filter is qcint4, with"                           \
    " rows of outputs', one)"                                                          \
    "   WHEN is_even AND zero <> 0 THEN printf('has a filter with zero point %lld',"   \
    "     zero) END AS what FROM multiplied LEFT JOIN layers ON first = one"           \
    "    AND second = other AND instr(kinds, kind))"

#define IS_TAKEN "instr(" TAKEN ", ' ' || v.datatype || ' ')"

#define OTHERS                                                                         \
    "others AS (SELECT g.method_id, g.path, n.id, n.name, CASE"                        \
    "   WHEN o.pos = 0 THEN iif(" IS_TAKEN " OR v.datatype GLOB 'datatype<*', NULL,"   \
    "     printf('takes %s', v.datatype))"                                             \
    "   WHEN n.op = 'Convert' THEN iif(" IS_TAKEN " OR v.datatype = 'qdint8'"          \
    "      AND w.datatype IN ('fp32', 'fp16') OR v.datatype = 'qcint8'"                \
    "      AND w.datatype = 'qint8', NULL,"                                            \
    "     printf('makes %s of %s', v.datatype, w.datatype))"                           \
    "   WHEN o.name = 'output_index' THEN iif(v.datatype <> 'int32',"                  \
    "     printf('gives places as %s', v.datatype), NULL)"                             \
    "   WHEN v.datatype <> w.datatype THEN printf('has operands of %s and %s',"        \
    "     w.datatype, v.datatype)"                                                     \
    "   WHEN (n.op GLOB 'Concatenate?' OR n.op IN ('MaxPooling2d', " MOVES "))"        \
    "     AND v.quantization IS NOT w.quantization"                                    \
    "    THEN printf('moves codes, from %s to %s', w.quantization, v.quantization)"    \
    "   END AS what" OPERANDS " WHERE n.op NOT IN (" MULTIPLYING "))"

const char dg_query_blob_datatype[] =
    "WITH " LAYERS ", " MULTIPLIED ", " OTHERS ", told AS (SELECT * FROM layered"
    "  WHERE what IS NOT NULL UNION ALL SELECT * FROM others WHERE what IS NOT NULL)"
    "SELECT method_id AS method, printf('%s: %s %s', path, name, min(what)) AS message,"
    "   json_array(name) AS witness FROM told GROUP BY id ORDER BY id";

#define SCALE(value) "json_extract(" value ".quantization, '$.scale')"

/* How sums of products become codes: xnn_create_*(). The scale of a value, of several
 * the largest, is worked out once, however many nodes share it. */
const char dg_query_blob_rescale[] =
    "WITH most AS MATERIALIZED (SELECT id, coalesce(" SCALE(
        "v") ", json_extract(v."
             "   quantization, '$.most_scale'), (SELECT max(value) FROM "
             "json_each(v.quantization,"
             "   '$.scales'))) AS scale FROM delegate_value AS v WHERE quantization "
             "NOTNULL),"
             "layer AS (SELECT g.method_id, g.path, n.id, n.name, " SCALE(
                 "x") " * f.scale / " SCALE("y") " AS ratio" NODES
                                                 "  JOIN delegate_operand AS o ON "
                                                 "o.node_id = n.id AND o.name = "
                                                 "'input1'"
                                                 "  JOIN delegate_operand AS p ON "
                                                 "p.node_id = n.id AND p.name = "
                                                 "'filter'"
                                                 "  JOIN delegate_operand AS q ON "
                                                 "q.node_id = n.id AND q.name = "
                                                 "'output'"
                                                 "  JOIN delegate_value AS x ON x.id = "
                                                 "o.value_id"
                                                 "  JOIN most AS f ON f.id = p.value_id"
                                                 "  JOIN delegate_value AS y ON y.id = "
                                                 "q.value_id)"
                                                 "SELECT method_id AS method, "
                                                 "printf('%s: %s turns a sum into "
                                                 "codes with %g; less than"
                                                 " 256 is possible', path, name, "
                                                 "ratio) AS message, json_array(name) "
                                                 "AS witness"
                                                 "  FROM layer WHERE ratio >= 256 "
                                                 "ORDER BY id";
