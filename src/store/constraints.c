/* What stands in the columns of a store that delegraph wrote. What a .pte states of
 * itself may be anything of its width: rules judge that. */
#include "store/constraints.h"

#include <inttypes.h>

#define NUMBER(columns, least, most)                                                   \
    {                                                                                  \
        columns, DG_CONSTRAINT_NUMBER, least, most, NULL                               \
    }
#define WORD(columns, words)                                                           \
    {                                                                                  \
        columns, DG_CONSTRAINT_WORD, 0, 0, words                                       \
    }
#define JSON(columns, begin)                                                           \
    {                                                                                  \
        columns, DG_CONSTRAINT_JSON, 0, 0, begin                                       \
    }

static const struct dg_constraint columns[] = {
    /* Numbers of MLX have slots behind those of its tensors. */
    NUMBER("delegate_value.idx delegate_operand.value_idx", INT32_MIN,
           2 * (int64_t)UINT32_MAX + 1),
    NUMBER("idx pos call binary external_id constant_idx", 0, UINT32_MAX),
    NUMBER("value_idx jump op_index blob_index data_index mem_id segment_idx",
           INT32_MIN, UINT32_MAX),
    NUMBER("artifact.size_bytes named_data.size_bytes file_offset blob_offset "
           "blob_bytes nbytes layout_bytes mem_offset line flags flops bytes last "
           "repeats elements compared max_ulp mismatches nan_ref nan_got inf_ref "
           "inf_got worst_index",
           0, INT64_MAX),
    NUMBER("first", -1, INT64_MAX),
    NUMBER("library.constants_bytes weights_bytes library_constant.offset registers "
           "shared_bytes stack_bytes",
           0, INT64_MAX),
    NUMBER("requires_grad persistent planned declared tf32 repeats_equal has_symbols "
           "folded compressed",
           0, 1),
    NUMBER("count old_node src_old dst_old", 1, INT64_MAX),
    JSON("shape strides dim_order items companions node.args witness ignored "
         "not_compared",
         "["),
    JSON("artifact.version custom meta options quantization delegate_node.args", "{"),
    JSON("debug_handle", ""),
    NUMBER("input instruction", 0, UINT32_MAX),
    NUMBER("begin end", 0, INT64_MAX),
    NUMBER("chain", INT32_MIN, INT32_MAX),
    WORD("profile_event.kind", "time allocation value"),
    WORD("artifact.kind", "pte pt2 ptd etdump"),
    WORD("storage", "constant mutable planned external runtime"),
    WORD("role", "program data profile"),
    WORD("access", "read write both"),
    WORD("direction", "input output"),
    WORD("ir", "aten edge pte"),
    WORD("graph.kind", "method branch lowered"),
    WORD("delegate_graph.kind", "delegate"),
    WORD("delegate_graph.format", "xnnpack vulkan tosa native mlx"),
    WORD("library.format", "elf macho pe"),
    WORD("gpu_code.format", "cubin ptx amd"),
    WORD("library.weights", "inside appended beside"),
    WORD("library_symbol.kind", "undefined weak defined"),
    WORD("node.kind", "call_function kernel_call placeholder get_attr delegate_call "
                      "move_call jump_false_call free_call output unknown"),
    WORD("location", "segment inline"),
    WORD("severity", "error warning note"),
    WORD("verdict", "pass fail skip"),
    WORD("result", "same different unknown"),
    WORD("difference.kind",
         "method graph op value signature state weight delegate "
         "inside library memory size flops finding name source metadata"),
    WORD("change", "added removed changed moved"),
    WORD("class", "names source weights metadata size findings"),
};

static bool is_column(struct dg_text word, struct dg_text table, struct dg_text column)
{
    size_t dotted = table.size + 1;

    return dg_text_equal(word, column) ||
           (word.size == dotted + column.size && word.data[table.size] == '.' &&
            !memcmp(word.data, table.data, table.size) &&
            !memcmp(word.data + dotted, column.data, column.size));
}

const struct dg_constraint *dg_constraint(struct dg_text table, struct dg_text column)
{
    for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
        const char *list = columns[i].columns;

        while (*list) {
            struct dg_text word = {list, strcspn(list, " ")};

            if (is_column(word, table, column))
                return &columns[i];
            list += word.size + (list[word.size] == ' ');
        }
    }
    return NULL;
}

bool dg_constraint_has_word(const char *list, struct dg_text word)
{
    for (;;) {
        size_t size = strcspn(list, " ");

        if (size == word.size && !memcmp(list, word.data, size))
            return true;
        if (!list[size])
            return false;
        list += size + 1;
    }
}

void dg_constraint_print(struct dg_writer *out, const struct dg_constraint *constraint)
{
    dg_print(out, "expected ");
    if (constraint->type == DG_CONSTRAINT_WORD)
        dg_print(out, "one of %s", constraint->words);
    else if (constraint->type == DG_CONSTRAINT_JSON)
        dg_print(out, "%sJSON",
                 *constraint->words == '['   ? "a list in "
                 : *constraint->words == '{' ? "an object in "
                                             : "");
    else if (constraint->most == INT64_MAX)
        dg_print(out, "%" PRId64 " or more", constraint->least);
    else
        dg_print(out, "%" PRId64 " to %" PRId64, constraint->least, constraint->most);
}
