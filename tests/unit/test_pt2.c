/* A program of a .pt2: nodes, values, notes and what is remarked on. */
#include "unit/pt2_case.h"

static enum dg_status read_model(const char *json)
{
    add_entry("a/archive_format", "pt2", 0);
    add_entry("a/models/model.json", json, 0);
    add_entry("a/data/weights/model_weights_config.json", "{\"config\":{}}", 0);
    add_entry("a/data/constants/model_constants_config.json", "{\"config\":{}}", 0);
    return read_archive();
}

START_TEST(a_value_that_is_described_twice_is_refused_with_its_place)
{
    ck_assert_int_eq(
        read_model(PROGRAM(NODE("x", "y"), "y",
                           "\"x\":" META ",\"y\":" META ",\"x\":" META, "8")),
        DG_ERR_FORMAT);
    ck_assert_msg(strstr(err.text, "tensor_values.x: expected each key once"), "%s",
                  err.text);
    clear();
}
END_TEST

START_TEST(a_program_becomes_placeholder_call_and_output)
{
    ck_assert_msg(
        !read_model(PROGRAM(NODE("x", "y"), "y", "\"x\":" META ",\"y\":" META, "8")),
        "%s", err.text);
    ck_assert_uint_eq(program.n_nodes, 3);
    ck_assert_str_eq(program.nodes[0].kind, "placeholder");
    ck_assert(dg_text_is(program.ops[program.nodes[1].op].name, "aten::relu.default"));
    ck_assert_str_eq(program.nodes[2].kind, "output");
    ck_assert_uint_eq(program.n_edges, 2);
    ck_assert_int_eq(program.values[program.nodes[1].value].type->nbytes, 8);
    ck_assert_int_eq(program.signatures[1].value, program.nodes[1].value);
    ck_assert(dg_text_is(program.methods[0].name, "forward"));
    ck_assert_uint_eq(program.n_remarks, 0);
    clear();
}
END_TEST

/* Sizes that torch never writes: the last variant counts, and a real one is no text. */
START_TEST(a_size_of_two_variants_or_of_a_real_number_is_read_as_one_value)
{
#define SIZES(items)                                                                   \
    "{\"dtype\":7,\"sizes\":[" items "],\"requires_grad\":false,\"device\":"           \
    "{\"type\":\"cpu\",\"index\":null},\"strides\":[{\"as_int\":1}],"                  \
    "\"storage_offset\":{\"as_int\":0},\"layout\":7}"
    static const char expression[] =
        PROGRAM(NODE("x", "y"), "y",
                "\"x\":" META ",\"y\":" SIZES(
                    "{\"as_expr\":{\"expr_str\":\"s0*s1+s2*s3+s4*s5\",\"hint\":null},"
                    "\"as_float\":2261634.5098039214},{\"as_float\":2.5},"
                    "{\"as_float\":2.5,\"as_int\":3}"),
                "8");

    ck_assert_msg(!read_model(expression), "%s", err.text);
    ck_assert(dg_text_is(program.values[1].type->shape, "[\"\",\"\",3]"));
    ck_assert_int_eq(program.values[1].type->nbytes, DG_NONE);
    clear();
}
END_TEST

static enum dg_status read_model_that_preserves(const char *output)
{
    static const char program_text[] =
        PROGRAM(NODE("x", "y"), "y", "\"x\":" META ",\"y\":" META, "8");
    const char *empty = strstr(program_text, "\"module_call_graph\":[");
    char text[4096];

    empty += strlen("\"module_call_graph\":[");
    snprintf(
        text, sizeof(text),
        "%.*s{\"fqn\":\"up\",\"signature\":{\"inputs\":[" TENSOR(
            "x") "],"
                 "\"outputs\":[{\"as_tensor\":{\"name\":\"%s\"}}],\"in_spec\":\"\","
                 "\"out_spec\":\"\"}}%s",
        (int)(empty - program_text), program_text, output, empty);
    return read_model(text);
}

START_TEST(module_call_graph_accepts_names_of_nodes)
{
    ck_assert_msg(!read_model_that_preserves("y"), "%s", err.text);
    ck_assert(!remarked("graph/module-call-graph"));
    clear();
}
END_TEST

START_TEST(module_call_graph_reports_a_name_that_is_no_node)
{
    ck_assert_msg(!read_model_that_preserves("gone"), "%s", err.text);
    ck_assert(remarked("graph/module-call-graph"));
    clear();
}
END_TEST

/* Reads a program whose node has that for metadata. */
static const struct dg_node_row *read_metadata(const char *metadata)
{
    static const char program_text[] =
        PROGRAM(NODE("x", "y"), "y", "\"x\":" META ",\"y\":" META, "8");
    const char *empty = strstr(program_text, "\"metadata\":{}");
    char text[4096];

    empty += strlen("\"metadata\":");
    snprintf(text, sizeof(text), "%.*s{%s}%s", (int)(empty - program_text),
             program_text, metadata, empty + 2);
    ck_assert_msg(!read_model(text), "%s", err.text);
    return &program.nodes[1];
}

START_TEST(what_metadata_holds_as_json_is_json_that_sqlite_reads)
{
    static const struct {
        const char *given, *debug_handle;
    } cases[] = {
        {"12", "12"},       {"[1, Infinity]", "[1,\"Infinity\"]"},
        {"NaN", "\"NaN\""}, {"hello", "\"hello\""},
        {"", "\"\""},       {"{", "\"{\""},
    };
    char metadata[100];

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct dg_node_row *node;

        snprintf(metadata, sizeof(metadata), "\"debug_handle\":\"%s\"", cases[i].given);
        node = read_metadata(metadata);
        ck_assert_str_eq(node->debug_handle.data, cases[i].debug_handle);
        clear();
    }
}
END_TEST

START_TEST(a_custom_note_that_is_no_object_stands_with_the_others)
{
    const struct dg_node_row *node =
        read_metadata("\"custom\":\"{\\\"a\\\": -Infinity}\"");

    ck_assert_str_eq(node->custom.data, "{\"a\":\"-Infinity\"}");
    clear();
    node = read_metadata("\"custom\":\"nothing\",\"b\":\"c\"");
    ck_assert_ptr_null(node->custom.data);
    ck_assert_str_eq(node->meta.data, "{\"custom\":\"nothing\",\"b\":\"c\"}");
    clear();
}
END_TEST

START_TEST(versions_of_operators_are_json_that_sqlite_reads)
{
    static const char program_text[] =
        PROGRAM(NODE("x", "y"), "y", "\"x\":" META ",\"y\":" META, "8");
    const char *ten = strstr(program_text, "10},\"range");
    char text[4096];

    snprintf(text, sizeof(text), "%.*sNaN%s", (int)(ten - program_text), program_text,
             ten + 2);
    ck_assert_msg(!read_model(text), "%s", err.text);
    ck_assert_msg(strstr(program.version.data, "\"opset\":{\"aten\":\"NaN\"}") != NULL,
                  "%s", program.version.data);
    clear();
}
END_TEST

START_TEST(a_name_without_definition_dangles)
{
    ck_assert(
        !read_model(PROGRAM(NODE("z", "y"), "y", "\"x\":" META ",\"y\":" META, "8")));
    ck_assert_uint_eq(program.n_danglings, 1);
    ck_assert(dg_text_is(program.danglings[0].name, "z"));
    clear();
}
END_TEST

START_TEST(a_name_may_be_used_before_its_definition)
{
    ck_assert(!read_model(PROGRAM(NODE("z", "y") "," NODE("y", "z"), "z",
                                  "\"x\":" META ",\"y\":" META ",\"z\":" META, "8")));
    ck_assert_uint_eq(program.n_danglings, 0);
    ck_assert_int_eq(program.edges[0].dst, 1);
    ck_assert_int_eq(program.edges[0].src, 2);
    clear();
}
END_TEST

START_TEST(the_first_of_two_definitions_counts)
{
    ck_assert(!read_model(PROGRAM(NODE("x", "y") "," NODE("y", "y"), "y",
                                  "\"x\":" META ",\"y\":" META, "8")));
    ck_assert(remarked("graph/name-unique"));
    ck_assert_int_eq(program.edges[1].src, 1);
    ck_assert_int_eq(program.edges[2].src, 1);
    clear();
}
END_TEST

START_TEST(a_value_without_meta_is_remarked_on)
{
    ck_assert(!read_model(PROGRAM(NODE("x", "y"), "y", "\"x\":" META, "8")));
    ck_assert(remarked("graph/meta-val"));
    clear();
}
END_TEST

START_TEST(fields_of_the_future_are_counted)
{
    ck_assert(!read_model(PROGRAM(NODE("x", "y"), "y",
                                  "\"x\":" META ",\"y\":" META "},\"news\":{\"a\":[1]",
                                  "8")));
    ck_assert(remarked("format/unknown-field"));
    clear();
}
END_TEST

START_TEST(another_major_version_is_refused_by_name)
{
    ck_assert_int_eq(read_model(PROGRAM("", "x", "\"x\":" META, "9")), DG_ERR_FORMAT);
    ck_assert_msg(strstr(err.text, "9.20"), "%s", err.text);
    clear();
}
END_TEST

START_TEST(a_weight_that_reaches_beyond_its_data_is_remarked_on)
{
    static const char config[] = "{\"config\":{\"w\":{\"path_name\":\"weight_0\","
                                 "\"is_param\":true,\"use_pickle\":false,"
                                 "\"tensor_meta\":" META "}}}";

    for (int short_of = 0; short_of < 2; short_of++) {
        add_entry("a/data/weights/weight_0", short_of ? "1234567" : "12345678", 0);
        add_entry("a/archive_format", "pt2", 0);
        add_entry("a/models/model.json", PROGRAM("", "x", "\"x\":" META, "8"), 0);
        add_entry("a/data/weights/model_weights_config.json", config, 0);
        ck_assert_msg(!read_archive(), "%s", err.text);
        ck_assert_int_eq(remarked("constant/nbytes"), short_of);
        clear();
    }
}
END_TEST

Suite *pt2_suite(void)
{
    Suite *suite = suite_create("pt2");
    TCase *tests = tcase_create("pt2");

    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, a_program_becomes_placeholder_call_and_output);
    tcase_add_test(tests,
                   a_size_of_two_variants_or_of_a_real_number_is_read_as_one_value);
    tcase_add_test(tests, a_value_that_is_described_twice_is_refused_with_its_place);
    tcase_add_test(tests, module_call_graph_accepts_names_of_nodes);
    tcase_add_test(tests, module_call_graph_reports_a_name_that_is_no_node);
    tcase_add_test(tests, what_metadata_holds_as_json_is_json_that_sqlite_reads);
    tcase_add_test(tests, a_custom_note_that_is_no_object_stands_with_the_others);
    tcase_add_test(tests, versions_of_operators_are_json_that_sqlite_reads);
    tcase_add_test(tests, a_name_without_definition_dangles);
    tcase_add_test(tests, a_name_may_be_used_before_its_definition);
    tcase_add_test(tests, the_first_of_two_definitions_counts);
    tcase_add_test(tests, a_value_without_meta_is_remarked_on);
    tcase_add_test(tests, fields_of_the_future_are_counted);
    tcase_add_test(tests, another_major_version_is_refused_by_name);
    tcase_add_test(tests, a_weight_that_reaches_beyond_its_data_is_remarked_on);
    suite_add_tcase(suite, tests);
    return suite;
}
