/* A small blob of XNNPACK, for rules about what is inside of delegates. */
#include "unit/small_blob.h"

void given_blob(void)
{
    given_pte();
    given(
        "INSERT INTO delegate_graph VALUES (1, 1, 'delegate_0', 'delegate', 'xnnpack',"
        "  '{\"constant_bytes\":448,\"num_externs\":2}');"
        "INSERT INTO delegate_value (id, graph_id, idx, dtype, datatype, shape, nbytes,"
        "  flags, external_id, constant_idx, node_id) VALUES"
        " (1, 1, 0, 'f32', 'fp32', '[1,8,8,3]', 768, 1, 0, NULL, NULL),"
        " (2, 1, 1, 'f32', 'fp32', '[4,3,3,3]', 432, 0, NULL, 1, NULL),"
        " (3, 1, 2, 'f32', 'fp32', '[4]', 16, 0, NULL, 2, NULL),"
        " (4, 1, 3, 'f32', 'fp32', '[1,8,8,4]', 1024, 0, NULL, NULL, 1),"
        " (5, 1, 4, 'f32', 'fp32', '[1,8,8,4]', 1024, 2, 1, NULL, 2);"
        "INSERT INTO delegate_constant VALUES (1, 1, NULL, 0, 64, 432),"
        " (1, 2, NULL, 432, 496, 16);"
        "INSERT INTO delegate_node VALUES (1, 1, 0, 'Conv2d_0', 'Conv2d',"
        "  '{\"padding_top\":1,\"padding_right\":1,\"padding_bottom\":1,"
        "\"padding_left\":1,\"kernel_height\":3,\"kernel_width\":3,"
        "\"subsampling_height\":1,\"subsampling_width\":1,\"dilation_height\":1,"
        "\"dilation_width\":1,\"group_input_channels\":3,\"group_output_channels\":4,"
        "\"groups\":1}', 0, NULL, NULL, 0),"
        " (2, 1, 1, 'Clamp_1', 'Clamp', '{}', 0, 0.0, 6.0, 1);"
        "INSERT INTO " DELEGATE_OPERAND " VALUES (1, 0, 'input1', 0, 1, 'read'),"
        " (1, 1, 'filter', 1, 2, 'read'), (1, 2, 'bias', 2, 3, 'read'),"
        " (1, 3, 'output', 3, 4, 'write'), (2, 0, 'input', 3, 4, 'read'),"
        " (2, 1, 'output', 4, 5, 'write')");
}

void given_other(const char *op, const char *args)
{
    given_blob();
    given_format("UPDATE delegate_node SET op = '%s', name = '%s_1', args = '%s'"
                 " WHERE id = 2",
                 op, op, args);
}

void given_product(const char *op, const char *shape)
{
    given_other(op, "{}");
    given_format("UPDATE delegate_operand SET pos = 2 WHERE node_id = 2 AND pos = 1;"
                 "INSERT INTO " DELEGATE_OPERAND
                 " VALUES (2, 1, 'filter', 1, 2, 'read');"
                 "UPDATE delegate_value SET shape = '%s' WHERE id = 2;"
                 "DELETE FROM delegate_operand WHERE node_id = 1",
                 shape);
}

void given_channels(void)
{
    given_blob();
    given("UPDATE delegate_value SET datatype = 'qcint8', quantization ="
          " '{\"type\":\"per_channel\",\"channel_dim\":0,\"scales\":[],"
          "\"scale_constant\":3,\"num_scales\":4}' WHERE id = 2;"
          "INSERT INTO delegate_constant VALUES (1, 3, 's', NULL, NULL, 16)");
}

void given_args(const char *from, const char *to)
{
    given_blob();
    given_format("UPDATE delegate_node SET args = replace(args, '%s', '%s')", from, to);
}
