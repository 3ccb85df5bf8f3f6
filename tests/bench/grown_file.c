/* A real program whose methods are repeated. */
#include "base/text.h"
#include "bench/grown.h"
#include "formats/input.h"
#include "formats/reader.h"

static int64_t moved(int64_t row, size_t n_rows, int64_t k)
{
    return row < 0 ? row : row + k * (int64_t)n_rows;
}

#define EACH(field, row, ...)                                                          \
    for (size_t i = 0; i < part->n_##field; i++) {                                     \
        struct dg_##row##_row *to = dg_add_##row(whole);                               \
                                                                                       \
        *to = part->field[i];                                                          \
        __VA_ARGS__;                                                                   \
    }
#define MOVE(name, field) to->name = moved(to->name, part->n_##field, k)

static void copy_shape(struct dg_program *whole, const struct dg_program *part,
                       int64_t k)
{
    EACH(methods, method,
         to->name = dg_format(&whole->memory, "m%lld_%.*s", (long long)k,
                              (int)to->name.size, to->name.data))
    EACH(graphs, graph, MOVE(method, methods))
    EACH(delegate_graphs, delegate_graph, MOVE(method, methods))
    EACH(delegates, delegate, MOVE(method, methods), MOVE(graph, graphs),
         MOVE(inside, delegate_graphs))
    EACH(compile_specs, compile_spec, MOVE(delegate, delegates))
    EACH(delegate_keys, delegate_key, MOVE(delegate, delegates))
    EACH(arenas, arena, MOVE(method, methods))
    EACH(plan_operators, plan_operator, MOVE(method, methods))
    EACH(ranges, range, MOVE(graph, graphs))
    EACH(sample_inputs, sample_input, MOVE(method, methods))
    EACH(signatures, signature, MOVE(graph, graphs), MOVE(value, values))
}

static void copy_insides(struct dg_program *whole, const struct dg_program *part,
                         int64_t k)
{
    EACH(delegate_values, delegate_value, MOVE(graph, delegate_graphs),
         MOVE(node, delegate_nodes))
    EACH(delegate_constants, delegate_constant, MOVE(graph, delegate_graphs))
    EACH(delegate_nodes, delegate_node, MOVE(graph, delegate_graphs))
    EACH(delegate_operands, delegate_operand, MOVE(node, delegate_nodes),
         MOVE(value, delegate_values))
}

static void copy_nodes(struct dg_program *whole, const struct dg_program *part,
                       int64_t k)
{
    EACH(values, value, MOVE(graph, graphs))
    EACH(nodes, node, MOVE(graph, graphs), MOVE(delegate, delegates),
         MOVE(value, values))
    EACH(edges, edge, MOVE(dst, nodes), MOVE(src, nodes), MOVE(value, values))
    EACH(operands, operand, MOVE(node, nodes), MOVE(value, values))
    EACH(danglings, dangling, MOVE(node, nodes))
}

static void copy_once(struct dg_program *whole, const struct dg_program *part)
{
    EACH(segments, segment, (void)0)
    for (size_t i = 0; i < part->n_ops; i++)
        dg_intern_op(whole, part->ops[i].name);
    for (size_t i = 0; i < part->n_modules; i++)
        dg_intern_module(whole, part->modules[i].fqn, part->modules[i].type);
    for (size_t i = 0; i < part->n_traces; i++)
        dg_intern_trace(whole, part->traces[i].text);
    EACH(named_data, named_data, (void)0)
}

/* Weights of a .pt2 belong to a method; constants of a .pte to the file. */
static void copy_constants(struct dg_program *whole, const struct dg_program *part,
                           int64_t k)
{
    EACH(
        constants, constant, if (k && to->method < 0) {
            whole->n_constants--;
            continue;
        } MOVE(method, methods))
}

static enum dg_status repeat(struct dg_program *whole, struct dg_bytes bytes,
                             int64_t times, struct dg_error *err)
{
    const struct dg_reader *reader;
    /* Its texts are used by the whole, for as long as this process lives. */
    static struct dg_program part;
    enum dg_status status = dg_reader_find(&reader, bytes, err);

    if (!status)
        status = reader->read(bytes, false, &part, err);
    if (status)
        return status;
    whole->kind = part.kind;
    whole->version = part.version;
    whole->container = part.container;
    copy_once(whole, &part);
    for (int64_t k = 0; k < times; k++) {
        copy_shape(whole, &part, k);
        copy_nodes(whole, &part, k);
        copy_insides(whole, &part, k);
        copy_constants(whole, &part, k);
    }
    return DG_OK;
}

enum dg_status grown_file(struct dg_program *program, const char *path, int64_t times,
                          struct dg_error *err)
{
    static struct dg_input input;
    enum dg_status status = dg_input_map(&input, path, err);

    return status ? status : repeat(program, input.file, times, err);
}
