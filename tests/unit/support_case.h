/* A support list, and calls that it is asked about. */
#ifndef DG_TESTS_SUPPORT_CASE_H
#define DG_TESTS_SUPPORT_CASE_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "partition/support.h"
#include "unit/rules.h"

static struct dg_support *support;
static struct dg_nodes nodes;
static struct dg_writer told;

/* x f32 [2,3] -> a = add(x, p_w) -> s = softmax(a, dim) -> g = getitem(m = max.dim(s))
 */
static inline void given_calls(void)
{
    given_pt2();
    given(
        "INSERT INTO op (id, name, namespace, flags) VALUES"
        " (1, 'aten::add.Tensor', 'aten', 0), (2, 'aten::_softmax.default', 'aten', 0),"
        " (3, 'aten::max.dim', 'aten', 0), (4, '_operator.getitem', '_operator', 0);"
        "INSERT INTO value (id, graph_id, idx, name, kind, dtype, shape, strides) "
        "VALUES"
        " (1, 1, 0, 'x', 'tensor', 'f32', '[2,3]', '[3,1]'),"
        " (2, 1, 1, 'p_w', 'tensor', 'f32', '[3]', '[1]'),"
        " (3, 1, 2, 'a', 'tensor', 'f32', '[2,3]', '[3,1]'),"
        " (4, 1, 3, 's', 'tensor', 'f32', '[2,3]', '[1,2]'),"
        " (5, 1, 4, 'g', 'tensor', 'f32', '[2]', '[1]');"
        "INSERT INTO node (id, graph_id, idx, name, kind, op_id, value_id, args) VALUES"
        " (1, 1, 0, 'x', 'placeholder', NULL, 1, NULL),"
        " (2, 1, 1, 'p_w', 'placeholder', NULL, 2, NULL),"
        " (3, 1, 2, 'a', 'call_function', 1, 3,"
        "  "
        "'[{\"name\":\"self\",\"tensor\":\"x\"},{\"name\":\"other\",\"tensor\":\"p_w\"}"
        "]'),"
        " (4, 1, 3, 's', 'call_function', 2, 4,"
        "  '[{\"name\":\"self\",\"tensor\":\"a\"},{\"name\":\"dim\",\"int\":-1},"
        "    {\"name\":\"half_to_float\",\"bool\":false}]'),"
        " (5, 1, 4, 'm', 'call_function', 3, NULL,"
        "  '[{\"name\":\"self\",\"tensor\":\"s\"},{\"name\":\"dim\",\"int\":1}]'),"
        " (6, 1, 5, 'g', 'call_function', 4, 5,"
        "  '[{\"name\":\"\",\"tensor\":\"m\"},{\"name\":\"\",\"int\":0}]'),"
        " (7, 1, 6, 'output', 'output', NULL, NULL, NULL);"
        "INSERT INTO edge VALUES (3, 0, 1, NULL), (3, 1, 2, NULL), (4, 0, 3, NULL),"
        " (5, 0, 4, NULL), (6, 0, 5, NULL), (7, 0, 6, NULL);"
        "INSERT INTO signature (graph_id, direction, pos, name, kind, spec, target)"
        " VALUES (1, 'input', 0, 'x', 'tensor', 'user_input', NULL),"
        " (1, 'input', 1, 'p_w', 'tensor', 'parameter', 'w'),"
        " (1, 'output', 0, 'g', 'tensor', 'user_output', NULL)");
}

static inline enum dg_status parse(const char *json)
{
    char path[] = "/tmp/support-XXXXXX";
    int file = mkstemp(path);
    enum dg_status status;

    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, json, strlen(json)), (ssize_t)strlen(json));
    close(file);
    status = dg_support_from_file(&support, path, &rules_err);
    unlink(path);
    return status;
}

static inline enum dg_status note(void *context, uint32_t node, const char *reason,
                                  struct dg_text text, struct dg_error *err)
{
    (void)context;
    (void)err;
    dg_write_text(&told, nodes.names[node]);
    dg_print(&told, " %s: %.*s\n", reason, (int)text.size, text.data);
    return DG_OK;
}

/* "taken: a s\n" and the reasons of the others. */
static inline void expect_verdict(const char *want)
{
    struct dg_writer found = {0};

    told = (struct dg_writer){0};
    ck_assert_msg(!dg_nodes_load(&nodes, rules_store, 1, &rules_err), "%s",
                  rules_err.text);
    ck_assert_msg(
        !dg_support_apply(support, &nodes, rules_store, note, NULL, NULL, &rules_err),
        "%s", rules_err.text);
    dg_print(&found, "taken:");
    for (uint32_t i = 0; i < nodes.graph.n_nodes; i++) {
        if (nodes.marks[i] & DG_MARK_SUPPORTED)
            dg_print(&found, " %.*s", (int)nodes.names[i].size, nodes.names[i].data);
    }
    dg_print(&found, "\n%s", told.data ? told.data : "");
    ck_assert_str_eq(found.data, want);
    dg_writer_clear(&found);
    dg_writer_clear(&told);
    dg_nodes_clear(&nodes);
    dg_support_free(support);
    support = NULL;
}

#define RULES(text) "{\"name\":\"it\",\"rules\":[" text "]}"

static inline void expect_of(const char *json, const char *want)
{
    ck_assert_msg(!parse(json), "%s", rules_err.text);
    expect_verdict(want);
}

static inline void expect_refused(const char *json, const char *want)
{
    ck_assert_int_eq(parse(json), DG_ERR_FORMAT);
    ck_assert_msg(strstr(rules_err.text, want) != NULL, "%s", rules_err.text);
}

#endif
