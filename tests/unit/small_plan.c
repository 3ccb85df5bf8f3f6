/* A small program with a plan, in a few words. */
#include "unit/small_plan.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

static int graph, n_nodes, n_here;

void plan_open(void)
{
    rules_open();
    given_pt2();
    given("INSERT INTO part_run VALUES (1, 1, 'plan', NULL, NULL)");
    graph = 1;
    n_nodes = n_here = 0;
}

void plan_graph(int id, const char *path)
{
    given_format("INSERT INTO \"graph\" VALUES (%d, 1, '%s', 'branch')", id, path);
    graph = id;
    n_here = 0;
}

static void add_node(const char *name, const char *kind)
{
    n_nodes++;
    given_format("INSERT INTO node (id, graph_id, idx, name, kind, target, args) VALUES"
                 " (%d, %d, %d, '%s', '%s', '%s', '[]')",
                 n_nodes, graph, n_here++, name, kind, name);
}

void plan_input(const char *name, const char *spec)
{
    add_node(name, "placeholder");
    given_format(
        "INSERT INTO value (graph_id, idx, name, kind, dtype, nbytes) VALUES"
        " (%d, %d, '%s', 'tensor', 'f32', 12);"
        "UPDATE node SET value_id = (SELECT max(id) FROM value) WHERE id = %d",
        graph, n_here, name, n_nodes);
    if (spec)
        given_format(
            "INSERT INTO signature (graph_id, direction, pos, name, kind, spec, target)"
            " SELECT %d, 'input', count(*), '%s', 'tensor', '%s', '%s' FROM signature"
            "  WHERE direction = 'input'",
            graph, name, spec, spec);
}

void plan_attr(const char *name)
{
    add_node(name, "get_attr");
}

/* The next word of *words in `word`; false at the end. */
static bool next_word(const char **words, char *word, size_t room)
{
    size_t size = strcspn(*words, " ");

    if (!size)
        return false;
    snprintf(word, room, "%.*s", (int)size, *words);
    *words += size + ((*words)[size] == ' ');
    return true;
}

static void reads(const char *name)
{
    given_format(
        "INSERT INTO edge SELECT %d, (SELECT count(*) FROM edge WHERE dst = %d), id,"
        " NULL FROM node WHERE graph_id = %d AND name = '%s'",
        n_nodes, n_nodes, graph, name);
}

static void write_arguments(struct dg_writer *args, const char *words)
{
    char word[64];

    while (next_word(&words, word, sizeof(word))) {
        bool is_graph = word[0] == '@';

        reads(word + is_graph);
        dg_print(args, "%s{\"name\":\"\",\"%s\":\"%s\"}", args->size ? "," : "",
                 is_graph ? "graph" : "tensor", word + is_graph);
    }
}

static void write_list(struct dg_writer *args, const char *words)
{
    const char *comma = "";
    char word[64];

    dg_print(args, "%s{\"name\":\"\",\"tensors\":[", args->size ? "," : "");
    while (next_word(&words, word, sizeof(word))) {
        reads(word);
        dg_print(args, "%s\"%s\"", comma, word);
        comma = ",";
    }
    dg_print(args, "]}");
}

void plan_call(const char *op, const char *name, const char *words, const char *list)
{
    struct dg_writer args = {0};
    const char *namespace_end = strstr(op, "::");

    add_node(name, "call_function");
    given_format(
        "INSERT INTO op SELECT coalesce(max(id), 0) + 1, '%s', '%.*s', NULL, NULL, 0"
        " FROM op",
        op, namespace_end ? (int)(namespace_end - op) : 9, op);
    write_arguments(&args, words);
    if (list)
        write_list(&args, list);
    given_format(
        "UPDATE node SET op_id = (SELECT max(id) FROM op), args = '[%s]' WHERE id = %d",
        args.data ? args.data : "", n_nodes);
    dg_writer_clear(&args);
}

void plan_output(const char *words)
{
    struct dg_writer args = {0};
    char word[64];
    int pos = 0;

    add_node("output", "output");
    while (next_word(&words, word, sizeof(word))) {
        char *name = strchr(word, '=');

        if (name)
            *name++ = '\0';
        else
            name = word;
        write_arguments(&args, name);
        given_format(
            "INSERT INTO signature (graph_id, direction, pos, name, kind, spec, target)"
            " VALUES (%d, 'output', %d, '%s', 'tensor', '%s%s', '%s')",
            graph, pos++, name, name == word ? "user_output" : word,
            name == word ? "" : "_mutation", name == word ? "" : word);
    }
    given_format("UPDATE node SET args = '[%s]' WHERE id = %d",
                 args.data ? args.data : "", n_nodes);
    dg_writer_clear(&args);
}

void plan_tag(const char *tag, const char *names)
{
    char name[64];

    given_format(
        "INSERT INTO partition SELECT (SELECT coalesce(max(id), 0) + 1 FROM partition),"
        "  1, %d, (SELECT count(*) FROM partition), NULL, '%s', 1, 'CudaBackend'"
        " WHERE NOT EXISTS (SELECT 1 FROM partition WHERE graph_id = %d AND tag = "
        "'%s')",
        graph, tag, graph, tag);
    while (next_word(&names, name, sizeof(name)))
        given_format(
            "INSERT INTO partition_node SELECT p.id, (SELECT count(*) FROM"
            "  partition_node WHERE partition_id = p.id), n.id FROM partition AS p,"
            "  node AS n WHERE p.graph_id = %d AND p.tag = '%s' AND n.graph_id = %d"
            "  AND n.name = '%s'",
            graph, tag, graph, name);
}

void plan_program_loop(void)
{
    plan_input("w", "parameter");
    plan_input("x", "user_input");
    plan_call("aten::relu.default", "relu", "x", NULL);
    plan_call("aten::sin.default", "sin", "relu", NULL);
    plan_call("aten::cos.default", "cos", "sin", NULL);
    plan_call("aten::add.Tensor", "add", "relu cos w", NULL);
    plan_output("add");
}

void plan_program_chains(void)
{
    plan_input("x", "user_input");
    plan_call("aten::relu.default", "a", "x", NULL);
    plan_call("aten::sin.default", "b", "a", NULL);
    plan_call("aten::relu.default", "c", "x", NULL);
    plan_call("aten::sin.default", "d", "c", NULL);
    plan_output("b d");
}

void plan_program_tuple(void)
{
    plan_input("x", "user_input");
    plan_call("aten::max.dim", "max", "x", NULL);
    plan_call("_operator.getitem", "getitem", "max", NULL);
    plan_call("aten::relu.default", "relu", "getitem", NULL);
    plan_output("relu");
}

void plan_program_delegate(void)
{
    plan_input("x", "user_input");
    plan_attr("lowered_module_0");
    plan_call("higher_order::executorch_call_delegate", "call", "lowered_module_0 x",
              NULL);
    plan_call("_operator.getitem", "getitem", "call", NULL);
    given("UPDATE node SET args = '[{\"tensor\":\"call\"},{\"int\":0}]'"
          " WHERE name = 'getitem'");
    plan_call("aten::relu.default", "relu", "getitem", NULL);
    plan_output("relu");
}
