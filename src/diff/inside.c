/* Inside of delegates whose blobs differ: which nodes came, went, or are not what they
 * were. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/text.h"
#include "diff/finders.h"
#include "diff/inside.h"
#include "diff/waiting.h"

/* Members of two objects that are not the same in both, as in "padding_top 1". */
static const char arguments_sql[] =
    "SELECT group_concat(key || ' ' || old, ', '), group_concat(key || ' ' || new, ', "
    "')"
    " FROM (SELECT key, max(old) AS old, max(new) AS new FROM (SELECT id, key,"
    "   coalesce(value, 'null') AS old, NULL AS new FROM json_each(?1) UNION ALL"
    "   SELECT id, key, NULL, coalesce(value, 'null') FROM json_each(?2))"
    "  GROUP BY key HAVING max(old) IS NOT max(new) ORDER BY min(id))";

/* How much of two nodes must be equal for them to be one: all, then less and less. */
enum likeness {
    ALIKE_IN_ALL,
    ALIKE_BUT_CONSTANTS,
    ALIKE_IN_RESULT,
    ALIKE_IN_OP,
    LIKENESSES
};

static void key_of(struct dg_writer *out, const struct dg_diff_inside *inside,
                   const struct dg_diff_node_inside *node, enum likeness likeness)
{
    static const char between[] = "\x1f";

    out->size = 0;
    dg_write_text(out, node->op);
    if (likeness <= ALIKE_BUT_CONSTANTS) {
        dg_write(out, between, 1);
        dg_write_text(out, node->args);
    }
    for (size_t i = 0; i < node->n_operands && likeness < ALIKE_IN_OP; i++) {
        const struct dg_diff_operand_inside *operand =
            &inside->operands[node->first + i];

        if (likeness == ALIKE_IN_RESULT && !operand->written)
            continue;
        dg_write(out, between, 1);
        dg_write_text(out, operand->type);
        if (likeness <= ALIKE_BUT_CONSTANTS)
            dg_write_text(out, operand->quantization);
        if (likeness == ALIKE_IN_ALL)
            dg_write_text(out, operand->constant);
    }
}

static void write_sources(struct dg_writer *out, const struct dg_diff_inside *inside,
                          const struct dg_diff_node_inside *node)
{
    for (size_t i = 0; i < node->n_operands; i++) {
        const struct dg_diff_operand_inside *operand =
            &inside->operands[node->first + i];
        const struct dg_diff_node_inside *maker = dg_diff_maker(inside, operand);

        dg_print(out, "\x1e%d %zd %" PRId64, operand->written,
                 maker ? maker - inside->nodes : -1, operand->external);
    }
}

void dg_diff_inside_sign(struct dg_diff_inside *inside, struct dg_arena *memory)
{
    struct dg_writer all = {0}, key = {0};

    for (size_t i = 0; i < inside->n_nodes && !inside->lacks; i++) {
        key_of(&key, inside, &inside->nodes[i], ALIKE_IN_ALL);
        dg_write_text(&all, dg_written(&key));
        write_sources(&all, inside, &inside->nodes[i]);
    }
    if (all.size)
        inside->signature =
            dg_xxh3((struct dg_bytes){(const uint8_t *)all.data, all.size}, memory);
    dg_writer_clear(&all);
    dg_writer_clear(&key);
}

/* Of several that are alike the first is the first. */
static void match(struct dg_diff_inside *const insides[2], enum likeness likeness)
{
    struct dg_diff_waiting waiting = {0};
    struct dg_writer key = {0};

    for (size_t i = insides[1]->n_nodes; i--;) {
        if (insides[1]->nodes[i].match)
            continue;
        key_of(&key, insides[1], &insides[1]->nodes[i], likeness);
        dg_diff_wait(&waiting, i, dg_written(&key));
    }
    for (size_t i = 0; i < insides[0]->n_nodes; i++) {
        struct dg_diff_node_inside *node = &insides[0]->nodes[i];

        if (node->match)
            continue;
        key_of(&key, insides[0], node, likeness);
        node->match = dg_diff_take(&waiting, dg_written(&key));
        if (node->match)
            insides[1]->nodes[node->match - 1].match = i + 1;
    }
    dg_writer_clear(&key);
    dg_diff_waiting_clear(&waiting);
}

/* "delegate_0/Conv2d_3" */
static struct dg_text name_of(const struct dg_diff_inside *inside,
                              const struct dg_diff_node_inside *node,
                              struct dg_arena *memory)
{
    return dg_format(memory, "%.*s/%.*s", (int)inside->path.size, inside->path.data,
                     (int)node->name.size, node->name.data);
}

/* The names of what it reads, as in "Conv2d_0, input 1". */
static struct dg_text inputs_of(const struct dg_diff_inside *inside,
                                const struct dg_diff_node_inside *node,
                                struct dg_arena *memory)
{
    struct dg_writer out = {0};

    for (size_t i = 0; i < node->n_operands; i++) {
        const struct dg_diff_operand_inside *operand =
            &inside->operands[node->first + i];
        const struct dg_diff_node_inside *maker = dg_diff_maker(inside, operand);

        if (operand->written || (!maker && operand->external < 0))
            continue;
        dg_print(&out, out.size ? ", " : "");
        if (maker)
            dg_write_text(&out, maker->name);
        else
            dg_print(&out, "input %" PRId64, operand->external);
    }
    return dg_keep(memory, &out);
}

static bool is_same_source(struct dg_diff_inside *const insides[2],
                           const struct dg_diff_operand_inside *old,
                           const struct dg_diff_operand_inside *new)
{
    const struct dg_diff_node_inside *makers[2] = {dg_diff_maker(insides[0], old),
                                                   dg_diff_maker(insides[1], new)};

    if (old->written && new->written)
        return true;
    if (makers[0] && makers[1])
        return makers[0]->match == (size_t)(makers[1] - insides[1]->nodes) + 1;
    return !makers[0] == !makers[1] && old->external == new->external;
}

struct comparison {
    struct dg_diffing *diffing;
    const struct dg_diff_delegates *delegates;
};

static struct dg_difference about(const struct comparison *comparison, int side,
                                  const struct dg_diff_node_inside *node)
{
    return (struct dg_difference){.kind = DG_DIFF_INSIDE,
                                  .change = DG_DIFF_CHANGED,
                                  .method = comparison->delegates->method,
                                  .name = name_of(comparison->delegates->insides[side],
                                                  node, &comparison->diffing->memory),
                                  .note = comparison->delegates->backend};
}

static void add(const struct comparison *comparison,
                const struct dg_diff_node_inside *node, struct dg_text what,
                struct dg_text old, struct dg_text new, unsigned class)
{
    struct dg_difference difference = about(comparison, 1, node);

    difference.what = what;
    difference.old = old;
    difference.new = new;
    difference.class = class;
    dg_diff_add(comparison->diffing->diff, &difference);
}

static struct dg_text joined(struct dg_arena *memory, struct dg_text name,
                             const char *of)
{
    return dg_format(memory, "%s of %.*s", of, (int)name.size, name.data);
}

/* Digests are cut: they only tell that bytes are others. */
static struct dg_text start_of(struct dg_text digest)
{
    return (struct dg_text){digest.data, digest.size < 12 ? digest.size : 12};
}

/* Of what is neither made by another node nor passed: their types are told there. */
static bool has_own_type(const struct dg_diff_operand_inside *operand)
{
    return operand->written || (!operand->made && operand->external < 0);
}

static void compare_operand(const struct comparison *comparison,
                            const struct dg_diff_node_inside *node,
                            const struct dg_diff_operand_inside *old,
                            const struct dg_diff_operand_inside *new)
{
    struct dg_arena *memory = &comparison->diffing->memory;

    if (!dg_text_equal(old->type, new->type)) {
        if (has_own_type(old) || has_own_type(new))
            add(comparison, node, new->name, old->type, new->type, 0);
        return;
    }
    if (!dg_text_equal(old->quantization, new->quantization))
        add(comparison, node, joined(memory, new->name, "quantization"),
            old->quantization, new->quantization, 0);
    if (old->constant.data && new->constant.data &&
        !dg_text_equal(old->constant, new->constant))
        add(comparison, node, joined(memory, new->name, "values"),
            start_of(old->constant), start_of(new->constant), DG_DIFF_WEIGHTS);
}

static enum dg_status compare_arguments(const struct comparison *comparison,
                                        const struct dg_diff_node_inside *old,
                                        const struct dg_diff_node_inside *new,
                                        struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status;

    if (dg_text_equal(old->args, new->args))
        return DG_OK;
    status =
        dg_rows_open(&rows, comparison->diffing->programs[1].store, arguments_sql, err);
    if (status)
        return status;
    dg_rows_bind_text(&rows, 1, old->args);
    dg_rows_bind_text(&rows, 2, new->args);
    if (dg_rows_next(&rows))
        add(comparison, new, dg_text("arguments"), dg_rows_slice(&rows, 0),
            dg_rows_slice(&rows, 1), 0);
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status compare_nodes(const struct comparison *comparison,
                                    const struct dg_diff_node_inside *old,
                                    const struct dg_diff_node_inside *new,
                                    struct dg_error *err)
{
    struct dg_diff_inside *const *insides = comparison->delegates->insides;
    struct dg_arena *memory = &comparison->diffing->memory;
    bool rewired = old->n_operands != new->n_operands;
    enum dg_status status = compare_arguments(comparison, old, new, err);

    for (size_t i = 0; i < old->n_operands && i < new->n_operands; i++) {
        const struct dg_diff_operand_inside *a = &insides[0]->operands[old->first + i];
        const struct dg_diff_operand_inside *b = &insides[1]->operands[new->first + i];

        compare_operand(comparison, new, a, b);
        rewired = rewired || !is_same_source(insides, a, b);
    }
    if (rewired)
        add(comparison, new, dg_text("inputs"), inputs_of(insides[0], old, memory),
            inputs_of(insides[1], new, memory), 0);
    return status;
}

/* The types of what it writes. */
static struct dg_text result_of(const struct dg_diff_inside *inside,
                                const struct dg_diff_node_inside *node)
{
    for (size_t i = 0; i < node->n_operands; i++) {
        const struct dg_diff_operand_inside *operand =
            &inside->operands[node->first + i];

        if (operand->written)
            return operand->type;
    }
    return dg_text("no result");
}

static void add_alone(const struct comparison *comparison, int side)
{
    const struct dg_diff_inside *inside = comparison->delegates->insides[side];

    for (size_t i = 0; i < inside->n_nodes; i++) {
        struct dg_difference difference = about(comparison, side, &inside->nodes[i]);

        if (inside->nodes[i].match)
            continue;
        difference.change = side ? DG_DIFF_ADDED : DG_DIFF_REMOVED;
        *(side ? &difference.new : &difference.old) =
            result_of(inside, &inside->nodes[i]);
        dg_diff_add(comparison->diffing->diff, &difference);
    }
}

static enum dg_status compare(struct dg_diffing *diffing,
                              const struct dg_diff_delegates *delegates,
                              struct dg_error *err)
{
    const struct comparison comparison = {diffing, delegates};
    struct dg_diff_inside *const *insides = delegates->insides;
    enum dg_status status = DG_OK;

    if (!insides[0]->n_nodes || !insides[1]->n_nodes)
        return DG_OK;
    for (int likeness = 0; likeness < LIKENESSES; likeness++)
        match(insides, likeness);
    for (size_t i = 0; i < insides[1]->n_nodes && !status; i++) {
        const struct dg_diff_node_inside *node = &insides[1]->nodes[i];

        if (node->match)
            status = compare_nodes(&comparison, &insides[0]->nodes[node->match - 1],
                                   node, err);
    }
    add_alone(&comparison, 1);
    add_alone(&comparison, 0);
    return status;
}

/* Delegates may share a blob: each is opened once. */
enum dg_status dg_diff_inside(struct dg_diffing *diffing, struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < diffing->n_changed_delegates && !status; i++) {
        const struct dg_diff_delegates *delegates = &diffing->changed_delegates[i];
        struct dg_diff_inside *const *insides = delegates->insides;

        if (insides[0]->opened || insides[1]->opened)
            continue;
        insides[0]->opened = insides[1]->opened = true;
        status = compare(diffing, delegates, err);
    }
    return status;
}
