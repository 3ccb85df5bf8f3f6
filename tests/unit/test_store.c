#include "unit/suite.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "store/sandbox.h"
#include "store/store.h"

static struct dg_error err;

/* A method with one graph of two nodes, the second reading the first. */
static void build(struct dg_program *program)
{
    struct dg_node_row *node;
    struct dg_edge_row *edge;

    program->kind = "pt2";
    dg_add_method(program)->name = dg_text("forward");
    program->methods[0].ir = "aten";
    *dg_add_graph(program) = (struct dg_graph_row){0, dg_text(""), "method"};
    for (int i = 0; i < 2; i++) {
        node = dg_add_node(program);
        node->idx = i;
        node->name = dg_text(i ? "add" : "x");
        node->kind = i ? "call_function" : "placeholder";
    }
    node->op = dg_intern_op(program, dg_text("aten::add.Tensor"));
    edge = dg_add_edge(program);
    edge->dst = 1;
}

static struct dg_store *loaded(int times)
{
    struct dg_store *store = NULL;
    struct dg_program program = {0};
    struct dg_file file = {
        .path = "x.pt2", .bytes = {(const uint8_t *)"abc", 3}, .hash = DG_HASH_ALL};

    build(&program);
    ck_assert_msg(!dg_store_create(&store, &err), "%s", err.text);
    while (times--)
        ck_assert_msg(!dg_store_add_program(store, &program, &file, &err), "%s",
                      err.text);
    ck_assert_msg(!dg_store_commit(store, &err), "%s", err.text);
    dg_program_clear(&program);
    return store;
}

static void expect_text(struct dg_store *store, const char *sql, const char *want)
{
    struct dg_rows rows;

    ck_assert_msg(!dg_rows_open(&rows, store, sql, &err), "%s", err.text);
    ck_assert(dg_rows_next(&rows));
    ck_assert_str_eq(dg_rows_text(&rows, 0), want);
    ck_assert(!dg_rows_close(&rows, DG_OK, &err));
}

START_TEST(rows_of_a_program_refer_to_each_other)
{
    struct dg_store *store = loaded(1);

    expect_text(
        store,
        "SELECT a.name || ' -> ' || b.name || ' ' || op.name || ' ' || op.namespace"
        " || ' ' || method.name FROM edge JOIN node a ON a.id = src"
        " JOIN node b ON b.id = dst JOIN op ON op.id = b.op_id"
        " JOIN graph ON graph.id = b.graph_id JOIN method ON method.id = method_id",
        "x -> add aten::add.Tensor aten forward");
    dg_store_close(store);
}

START_TEST(two_programs_in_one_store_keep_apart)
{
    struct dg_store *store = loaded(2);

    expect_text(store,
                "SELECT group_concat(artifact_id || ':' || b.name) FROM edge"
                " JOIN node a ON a.id = src JOIN node b ON b.id = dst"
                " JOIN graph ON graph.id = b.graph_id AND graph.id = a.graph_id"
                " JOIN method ON method.id = method_id",
                "1:add,2:add");
    dg_store_close(store);
}

START_TEST(every_reference_of_a_store_leads_somewhere)
{
    struct dg_store *store = loaded(2);
    struct dg_rows rows;

    ck_assert(!dg_rows_open(&rows, store, "PRAGMA foreign_key_check", &err));
    ck_assert(!dg_rows_next(&rows));
    ck_assert(!dg_rows_close(&rows, DG_OK, &err));
    dg_store_close(store);
}

START_TEST(a_finding_learns_its_place_from_its_node)
{
    struct dg_store *store = loaded(1);
    struct dg_finding finding = {.rule = "graph/acyclic",
                                 .severity = "error",
                                 .node = 2,
                                 .message = dg_text("node 7 of 9")};

    for (int i = 0; i < 2; i++)
        ck_assert_msg(!dg_store_add_finding(store, &finding, &err), "%s", err.text);
    expect_text(
        store,
        "SELECT group_concat(artifact_id || method_id || graph_id || node_id, ' ')"
        " FROM finding",
        "1112 1112");
    expect_text(store,
                "SELECT a.fingerprint || '-2' = b.fingerprint FROM finding a, finding b"
                " WHERE a.id = 1 AND b.id = 2",
                "1");
    dg_store_close(store);
}

START_TEST(queries_in_the_sandbox_read_but_do_not_write_attach_or_load)
{
    static const char *const refused[] = {"INSERT INTO meta VALUES ('a', 1)",
                                          "DROP TABLE node",
                                          "ATTACH 'x.db' AS x",
                                          "PRAGMA journal_mode = WAL",
                                          "PRAGMA user_version = 7",
                                          "SELECT load_extension('x')",
                                          "CREATE TEMP TABLE t (a)",
                                          "VACUUM INTO 'y.db'"};
    struct dg_store *store = loaded(1);
    struct dg_rows rows;

    dg_store_sandbox(store, 0);
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        enum dg_status status = dg_rows_open(&rows, store, refused[i], &err);

        if (!status && !dg_rows_next(&rows))
            status = dg_rows_close(&rows, DG_OK, &err);
        ck_assert_msg(status != DG_OK, "%s", refused[i]);
    }
    expect_text(store, "SELECT count(*) FROM node", "2");
    dg_store_close(store);
}

START_TEST(rows_that_cannot_be_opened_are_none_and_closing_says_why)
{
    struct dg_store *store = loaded(1);
    struct dg_rows rows = dg_rows_of(store, "SELECT nothing FROM node", 1, &err);

    dg_rows_bind_text(&rows, 2, dg_text("x"));
    ck_assert(!dg_rows_next(&rows));
    ck_assert(dg_rows_again(&rows, &err));
    ck_assert(dg_rows_close(&rows, DG_OK, &err));
    ck_assert_msg(strstr(err.text, "nothing") != NULL, "%s", err.text);
    rows = dg_rows_of(store, "SELECT name FROM node WHERE id = ?1", 2, &err);
    ck_assert(dg_rows_next(&rows));
    ck_assert(!dg_rows_close(&rows, DG_OK, &err));
    dg_store_close(store);
}

START_TEST(a_query_that_would_never_end_is_stopped)
{
    struct dg_store *store = loaded(1);
    struct dg_rows rows;

    dg_store_sandbox(store, 0.05);
    ck_assert(
        !dg_rows_open(&rows, store,
                      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
                      " SELECT count(*) FROM n",
                      &err));
    ck_assert(!dg_rows_next(&rows));
    ck_assert_int_eq(dg_rows_close(&rows, DG_OK, &err), DG_ERR_STOPPED);
    ck_assert_str_eq(err.text, "query stopped: it ran out of time");
    dg_store_close(store);
}

static void *compute(void *seconds)
{
    struct timespec now;

    do {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((double)now.tv_sec + (double)now.tv_nsec / 1e9 < *(double *)seconds);
    return NULL;
}

START_TEST(the_time_that_a_file_may_take_is_not_spent_by_other_threads)
{
    static const char some[] =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)"
        " SELECT max(i) FROM n";
    static const char endless[] =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
        " SELECT max(i) FROM n";
    double others = 0.5;
    struct dg_deadline deadline;
    pthread_t thread;
    sqlite3 *db;

    ck_assert(!sqlite3_open(":memory:", &db));
    dg_sandbox_file(db);
    dg_sandbox_limit_time(db, &deadline, others / 2);
    ck_assert(!pthread_create(&thread, NULL, compute, &others));
    ck_assert(!pthread_join(thread, NULL));
    ck_assert_int_eq(sqlite3_exec(db, some, NULL, NULL, NULL), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(db, endless, NULL, NULL, NULL), SQLITE_INTERRUPT);
    sqlite3_close(db);
}

START_TEST(a_trace_is_split_into_its_frames)
{
    struct dg_program program = {0};
    int64_t trace =
        dg_intern_trace(&program, dg_text("  File \"a.py\", line 3, in f\n    g(x)\n"
                                          "  File \"b.py\", line 14, in g\n"));

    ck_assert_int_eq(dg_intern_trace(&program, program.traces[trace].text), trace);
    ck_assert_uint_eq(program.n_frames, 2);
    ck_assert(dg_text_is(program.frames[0].file, "a.py"));
    ck_assert_int_eq(program.frames[0].line, 3);
    ck_assert(dg_text_is(program.frames[0].function, "f"));
    ck_assert(dg_text_is(program.frames[0].code, "g(x)"));
    ck_assert(dg_text_is(program.frames[1].function, "g"));
    ck_assert_ptr_null(program.frames[1].code.data);
    dg_program_clear(&program);
}

START_TEST(many_names_are_interned_once_each)
{
    struct dg_program program = {0};

    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 5000; i++)
            ck_assert_int_eq(
                dg_intern_op(&program, dg_format(&program.memory, "my::op.%d", i)), i);
    }
    ck_assert_uint_eq(program.n_ops, 5000);
    dg_program_clear(&program);
}

static enum dg_status write_store(const char *path)
{
    struct dg_store *store = NULL;
    struct dg_program program = {0};
    struct dg_file file = {
        .path = "x.pt2", .bytes = {(const uint8_t *)"abc", 3}, .hash = DG_HASH_ALL};
    enum dg_status status = dg_store_create_file(&store, path, &err);

    build(&program);
    if (!status)
        status = dg_store_add_program(store, &program, &file, &err);
    if (!status)
        status = dg_store_commit(store, &err);
    dg_store_close(store);
    dg_program_clear(&program);
    return status;
}

static size_t content(const char *path, char *out, size_t room)
{
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(out, 1, room, file) : 0;

    if (file)
        fclose(file);
    return size;
}

START_TEST(the_same_program_gives_the_same_bytes)
{
    static char first[1 << 20], second[1 << 20];
    size_t size;

    unlink("same-1.db");
    unlink("same-2.db");
    ck_assert_msg(!write_store("same-1.db"), "%s", err.text);
    ck_assert_msg(!write_store("same-2.db"), "%s", err.text);
    size = content("same-1.db", first, sizeof(first));
    ck_assert_uint_gt(size, 4096);
    ck_assert_uint_eq(content("same-2.db", second, sizeof(second)), size);
    ck_assert(!memcmp(first, second, size));
    unlink("same-1.db");
    unlink("same-2.db");
}

/* Two of 100 kB that differ, two that are equal, one that is alone, one that is small.
 */
START_TEST(bytes_are_read_only_where_others_have_the_same_size)
{
    static uint8_t bytes[1 << 20];
    static const struct {
        const char *name;
        size_t begin, size;
        const char *kind;
    } constants[] = {
        {"a", 0, 100000, "parameter"},         {"b", 100000, 100000, "parameter"},
        {"c", 200000, 90000, "parameter"},     {"d", 300000, 90000, "parameter"},
        {"alone", 400000, 80000, "parameter"}, {"tied", 400000, 80000, "parameter"},
        {"small", 500000, 100, "parameter"},   {"state", 600000, 70000, "buffer"},
    };
    struct dg_file file = {
        .path = "x.pt2", .bytes = {bytes, sizeof(bytes)}, .hash = DG_HASH_EQUAL};
    struct dg_program program = {0};
    struct dg_store *store = NULL;

    bytes[0] = 1;
    build(&program);
    for (size_t i = 0; i < sizeof(constants) / sizeof(*constants); i++) {
        struct dg_constant_row *row = dg_add_constant(&program);

        row->fqn = dg_text(constants[i].name);
        row->kind = constants[i].kind;
        row->bytes = (struct dg_bytes){bytes + constants[i].begin, constants[i].size};
    }
    ck_assert(!dg_store_create(&store, &err));
    ck_assert_msg(!dg_store_add_program(store, &program, &file, &err), "%s", err.text);
    expect_text(
        store,
        "SELECT group_concat(fqn || ' ' || CASE WHEN length(xxh3) < 32 THEN xxh3 ELSE"
        "  (SELECT group_concat(fqn, '=') FROM constant AS o WHERE o.xxh3 = c.xxh3) "
        "END,"
        "  ', ') FROM constant AS c",
        "a a, b b, c c=d, d c=d, alone 80000 bytes, tied 80000 bytes, small small,"
        " state state");
    dg_store_close(store);
    dg_program_clear(&program);
}

static void expect_indexes(struct dg_store *store, const char *n)
{
    expect_text(store,
                "SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND sql > ''",
                n);
}

static void add_large(struct dg_store *store)
{
    struct dg_program program = {0};
    struct dg_file file = {.path = "large.pt2", .bytes = {(const uint8_t *)"abc", 3}};

    build(&program);
    for (int i = 0; i < 5000; i++)
        dg_add_edge(&program)->dst = 1;
    for (size_t i = 0; i < program.n_edges; i++)
        program.edges[i].pos = (int64_t)i;
    ck_assert_msg(!dg_store_add_program(store, &program, &file, &err), "%s", err.text);
    dg_program_clear(&program);
}

START_TEST(indexes_are_made_when_all_rows_of_a_large_program_are_there)
{
    struct dg_store *store = NULL;

    ck_assert(!dg_store_create(&store, &err));
    expect_indexes(store, "16");
    add_large(store);
    expect_indexes(store, "6"); /* those with a condition, where few rows go */
    ck_assert_msg(!dg_store_commit(store, &err), "%s", err.text);
    expect_indexes(store, "16");
    dg_store_close(store);
}

START_TEST(a_large_program_that_joins_another_leaves_the_indexes)
{
    struct dg_store *store = loaded(1);

    add_large(store);
    expect_indexes(store, "16");
    dg_store_close(store);
}

START_TEST(a_store_that_was_emptied_takes_a_large_program)
{
    struct dg_store *store = loaded(1);

    ck_assert(dg_store_can_be_emptied(store));
    ck_assert(dg_store_empty(store));
    add_large(store);
    ck_assert(!dg_store_can_be_emptied(store));
    ck_assert_msg(!dg_store_commit(store, &err), "%s", err.text);
    expect_indexes(store, "16");
    expect_text(store, "SELECT count(*) FROM edge", "5001");
    dg_store_close(store);
}

START_TEST(a_read_only_store_takes_findings_beside_it)
{
    struct dg_store *store = NULL;
    struct dg_finding finding = {.rule = "graph/acyclic",
                                 .severity = "error",
                                 .node = 2,
                                 .message = dg_text("a cycle")};

    unlink("read-only.db");
    ck_assert(!write_store("read-only.db"));
    ck_assert_msg(!dg_store_open(&store, "read-only.db", &err), "%s", err.text);
    ck_assert_msg(!dg_store_add_finding(store, &finding, &err), "%s", err.text);
    expect_text(store, "SELECT message FROM finding", "a cycle");
    expect_text(store, "SELECT count(*) FROM main.finding", "0");
    dg_store_close(store);
    unlink("read-only.db");
}

/* Files state sizes whose sum is no int64: SQLite's own sum() would end the query. */
START_TEST(a_sum_ends_at_the_largest_integer)
{
    static const char most[] = "9223372036854775807", least[] = "-9223372036854775808";
    struct dg_store *store = loaded(1);

    expect_text(store, "SELECT sum(column1) FROM (VALUES (9223372036854775807), (1))",
                most);
    expect_text(store, "SELECT sum(column1) FROM (VALUES (-9223372036854775807), (-9))",
                least);
    expect_text(store,
                "SELECT sum(column1) FROM (VALUES (9223372036854775807), (1), (-8))",
                "9223372036854775800");
    expect_text(store, "SELECT sum(column1) FROM (VALUES (1), (NULL), (0.5))", "1.5");
    expect_text(store, "SELECT sum(column1) IS NULL FROM (VALUES (NULL))", "1");
    expect_text(store,
                "SELECT group_concat(s) FROM (SELECT sum(column1) OVER (ROWS BETWEEN 1"
                " PRECEDING AND CURRENT ROW) AS s FROM (VALUES (9223372036854775807),"
                " (2), (3)))",
                "9223372036854775807,9223372036854775807,5");
    dg_store_close(store);
}

Suite *store_suite(void)
{
    Suite *suite = suite_create("store");
    TCase *all = tcase_create("all");

    tcase_add_test(all, rows_of_a_program_refer_to_each_other);
    tcase_add_test(all, two_programs_in_one_store_keep_apart);
    tcase_add_test(all, every_reference_of_a_store_leads_somewhere);
    tcase_add_test(all, a_finding_learns_its_place_from_its_node);
    tcase_add_test(all, queries_in_the_sandbox_read_but_do_not_write_attach_or_load);
    tcase_add_test(all, the_time_that_a_file_may_take_is_not_spent_by_other_threads);
    tcase_add_test(all, rows_that_cannot_be_opened_are_none_and_closing_says_why);
    tcase_add_test(all, a_query_that_would_never_end_is_stopped);
    tcase_add_test(all, a_trace_is_split_into_its_frames);
    tcase_add_test(all, many_names_are_interned_once_each);
    tcase_add_test(all, the_same_program_gives_the_same_bytes);
    tcase_add_test(all, bytes_are_read_only_where_others_have_the_same_size);
    tcase_add_test(all, indexes_are_made_when_all_rows_of_a_large_program_are_there);
    tcase_add_test(all, a_large_program_that_joins_another_leaves_the_indexes);
    tcase_add_test(all, a_store_that_was_emptied_takes_a_large_program);
    tcase_add_test(all, a_read_only_store_takes_findings_beside_it);
    tcase_add_test(all, a_sum_ends_at_the_largest_integer);
    suite_add_tcase(suite, all);
    return suite;
}
