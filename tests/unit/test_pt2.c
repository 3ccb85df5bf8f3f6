#include "unit/suite.h"

#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "formats/reader.h"

static struct dg_writer file, central;
static int n_entries;
static struct dg_program program;
static struct dg_error err;

static void put(struct dg_writer *out, uint64_t value, int size)
{
    for (int i = 0; i < size; i++) {
        char byte = i < 8 ? (char)(value >> 8 * i) : 0;

        dg_write(out, &byte, 1);
    }
}

static void put_header(struct dg_writer *out, uint32_t crc, size_t size, size_t name)
{
    put(out, 0, 4);
    put(out, 0, 4);
    put(out, crc, 4);
    put(out, size, 4);
    put(out, size, 4);
    put(out, name, 2);
    put(out, 0, 2);
}

static void add_entry(const char *name, const char *content, uint32_t damage)
{
    size_t size = strlen(content), at = file.size;
    uint32_t crc = libdeflate_crc32(0, content, size) ^ damage;

    put(&file, 0x04034b50, 4);
    put(&file, 20, 2);
    put_header(&file, crc, size, strlen(name));
    dg_write_text(&file, dg_text(name));
    dg_write_text(&file, dg_text(content));
    put(&central, 0x02014b50, 4);
    put(&central, 20, 2);
    put(&central, 20, 2);
    put_header(&central, crc, size, strlen(name));
    put(&central, 0, 10);
    put(&central, at, 4);
    dg_write_text(&central, dg_text(name));
    n_entries++;
}

static enum dg_status read_archive(void)
{
    size_t at = file.size;

    dg_write(&file, central.data, central.size);
    put(&file, 0x06054b50, 4);
    put(&file, 0, 4);
    put(&file, (uint64_t)n_entries, 2);
    put(&file, (uint64_t)n_entries, 2);
    put(&file, central.size, 4);
    put(&file, at, 4);
    put(&file, 0, 2);
    err = (struct dg_error){0};
    return dg_reader_pt2.read((struct dg_bytes){(const uint8_t *)file.data, file.size},
                              false, &program, &err);
}

static void clear(void)
{
    dg_program_clear(&program);
    dg_writer_clear(&file);
    dg_writer_clear(&central);
    n_entries = 0;
}

#define TENSOR(name) "{\"as_tensor\":{\"name\":\"" name "\"}}"
#define META                                                                           \
    "{\"dtype\":7,\"sizes\":[{\"as_int\":2}],\"requires_grad\":false,\"device\":"      \
    "{\"type\":\"cpu\",\"index\":null},\"strides\":[{\"as_int\":1}],"                  \
    "\"storage_offset\":{\"as_int\":0},\"layout\":7}"
#define NODE(in, out)                                                                  \
    "{\"target\":\"torch.ops.aten.relu.default\",\"inputs\":[{\"name\":\"self\","      \
    "\"arg\":" TENSOR(in) ",\"kind\":1}],\"outputs\":[" TENSOR(                        \
        out) "],"                                                                      \
             "\"metadata\":{},\"name\":\"" out "\"}"
#define PROGRAM(nodes, result, values, version)                                        \
    "{\"graph_module\":{\"graph\":{\"inputs\":[" TENSOR("x") "],\"outputs\":[" TENSOR( \
        result) "],\"nodes\":[" nodes "],\"tensor_values\":{" values "},"              \
                "\"sym_int_values\":{},\"sym_bool_values\":{}},\"signature\":{"        \
                "\"input_specs\":"                                                     \
                "[{\"user_input\":{\"arg\":" TENSOR(                                   \
                    "x") "}}],\"output_specs\":"                                       \
                         "[{\"user_output\":{\"arg\":" TENSOR(                         \
                             result) "}}]},\"module_call_graph\":[]},"                 \
                                     "\"opset_version\":{\"aten\":10},\"range_"        \
                                     "constraints\":{},\"schema_version\":"            \
                                     "{\"major\":" version ",\"minor\":20}}"

static enum dg_status read_model(const char *json)
{
    add_entry("a/archive_format", "pt2", 0);
    add_entry("a/models/model.json", json, 0);
    add_entry("a/data/weights/model_weights_config.json", "{\"config\":{}}", 0);
    add_entry("a/data/constants/model_constants_config.json", "{\"config\":{}}", 0);
    return read_archive();
}

static bool remarked(const char *rule)
{
    for (size_t i = 0; i < program.n_remarks; i++) {
        if (!strcmp(program.remarks[i].rule, rule))
            return true;
    }
    return false;
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

START_TEST(a_crc_that_does_not_match_is_remarked_on)
{
    add_entry("a/archive_format", "pt2", 0);
    add_entry("a/archive_version", "0", 1);
    ck_assert(!read_archive());
    ck_assert(remarked("format/pt2-archive"));
    clear();
}
END_TEST

START_TEST(a_package_without_models_opens)
{
    add_entry("a/archive_format", "pt2", 0);
    add_entry("a/data/aotinductor/model/model.so", "ELF", 0);
    ck_assert(!read_archive());
    ck_assert_uint_eq(program.n_methods, 0);
    ck_assert_uint_eq(program.n_segments, 2);
    ck_assert_str_eq(program.segments[1].kind, "aotinductor");
    clear();
}
END_TEST

#define EDGE "edge_dialect_exported_program/"

static void add_etrecord(const char *map)
{
    add_entry("ETRECORD_V0", "", 0);
    add_entry(EDGE "forward",
              PROGRAM(NODE("x", "y"), "y", "\"x\":" META ",\"y\":" META, "5"), 0);
    add_entry("debug_handle_map", map, 0);
}

START_TEST(an_etrecord_has_a_method_for_each_edge_program)
{
    add_etrecord("{\"forward\": {\"0\": [1, 2], \"1\": 3}, \"other\": {\"0\": 9}}");
    add_entry(EDGE "second",
              PROGRAM(NODE("x", "y"), "y", "\"x\":" META ",\"y\":" META, "5"), 0);
    add_entry("delegate_map",
              "{\"forward\": {\"0\": {\"name\": \"QnnBackend\","
              "\"delegate_map\": {\"7\": [4]}}}}",
              0);
    ck_assert_msg(!read_archive(), "%s", err.text);
    ck_assert_uint_eq(program.n_methods, 2);
    ck_assert_str_eq(program.methods[1].name.data, "second");
    ck_assert_uint_eq(program.n_instruction_handles, 4);
    ck_assert_int_eq(program.instruction_handles[1].instruction, 0);
    ck_assert(dg_text_is(program.instruction_handles[1].debug_handle, "2"));
    ck_assert(!program.instruction_handles[1].part.data);
    ck_assert_int_eq(program.instruction_handles[2].instruction, 1);
    ck_assert(dg_text_is(program.instruction_handles[3].part, "7"));
    ck_assert(dg_text_is(program.instruction_handles[3].debug_handle, "4"));
    clear();
}
END_TEST

START_TEST(what_lies_beside_a_program_of_an_etrecord_is_no_method)
{
    add_etrecord("{}");
    add_entry(EDGE "forward_constants", "no archive", 0);
    add_entry(EDGE "alone_constants",
              PROGRAM(NODE("x", "y"), "y", "\"x\":" META ",\"y\":" META, "5"), 0);
    ck_assert_int_eq(read_archive(), DG_ERR_FORMAT);
    ck_assert_msg(strstr(err.text, "forward_constants"), "%s", err.text);
    ck_assert_uint_eq(program.n_methods, 1);
    clear();
}
END_TEST

START_TEST(an_etrecord_that_counts_instructions_by_words_is_refused)
{
    add_etrecord("{\"forward\": {\"first\": 1}}");
    ck_assert_int_eq(read_archive(), DG_ERR_FORMAT);
    ck_assert_msg(strstr(err.text, "expected the number of an instruction"), "%s",
                  err.text);
    clear();
}
END_TEST

START_TEST(an_etrecord_without_a_program_is_refused)
{
    add_entry("ETRECORD_V0", "", 0);
    add_entry("debug_handle_map", "{}", 0);
    ck_assert_int_eq(read_archive(), DG_ERR_FORMAT);
    ck_assert_msg(strstr(err.text, "holds no program"), "%s", err.text);
    clear();
}
END_TEST

static const struct {
    const char *entry, *said;
} others[] = {
    {"a/data.pkl", "checkpoint: tensors or a module that torch.save"},
    {"a/bytecode.pkl", "(.ptl)"},
    {"a/constants.pkl", "TorchScript"},
    {"program.ptg", "native package"},
    {"readme.txt", "holds no program"},
};

START_TEST(other_archives_are_refused_by_name)
{
    add_entry(others[_i].entry, "", 0);
    ck_assert_int_eq(read_archive(), DG_ERR_FORMAT);
    ck_assert_msg(strstr(err.text, others[_i].said), "%s", err.text);
    clear();
}
END_TEST

/* One of the shipped programs; the caller frees it. */
static struct dg_bytes shipped(const char *name)
{
    const char *top = getenv("top_srcdir");
    uint8_t *data = malloc(1 << 20);
    char path[512];
    size_t size;
    FILE *from;

    snprintf(path, sizeof(path), "%s/tests/data/%s", top ? top : ".", name);
    from = fopen(path, "rb");
    ck_assert_msg(from, "%s", path);
    size = fread(data, 1, 1 << 20, from);
    fclose(from);
    return (struct dg_bytes){data, size};
}

START_TEST(branches_follow_the_graph_that_calls_them)
{
    struct dg_bytes bytes = shipped("nested_cond.pt2");

    ck_assert(!dg_reader_pt2.read(bytes, true, &program, &err));
    ck_assert(dg_text_is(program.graphs[1].path, "true_graph_0"));
    for (size_t i = 1; i < program.n_nodes; i++)
        ck_assert_int_le(program.nodes[i - 1].graph, program.nodes[i].graph);
    for (size_t i = 0; i < program.n_edges; i++)
        ck_assert_int_eq(program.nodes[program.edges[i].dst].graph,
                         program.nodes[program.edges[i].src].graph);
    clear();
    free((void *)bytes.data);
}
END_TEST

START_TEST(delegates_keep_blob_and_original_graph)
{
    struct dg_bytes bytes = shipped("lowered_exir.pt2");

    ck_assert(!dg_reader_pt2.read(bytes, true, &program, &err));
    ck_assert_uint_eq(program.n_delegates, 2);
    ck_assert(dg_text_is(program.delegates[0].backend, "XnnpackBackend"));
    ck_assert_int_eq(program.delegates[0].blob_bytes, 1136);
    ck_assert_str_eq(program.graphs[program.delegates[1].graph].kind, "lowered");
    ck_assert_str_eq(program.methods[0].ir, "edge");
    clear();
    free((void *)bytes.data);
}
END_TEST

START_TEST(weights_of_delegates_are_read_for_who_looks_for_them)
{
    struct dg_bytes bytes = shipped("lowered_exir.pt2");
    size_t n_own;

    ck_assert(!dg_reader_pt2.read(bytes, true, &program, &err));
    n_own = program.n_constants;
    clear();
    ck_assert(!dg_pt2_with_weights.read(bytes, true, &program, &err));
    ck_assert_uint_gt(program.n_constants, n_own);
    for (size_t i = n_own; i < program.n_constants; i++) {
        const struct dg_constant_row *row = &program.constants[i];

        ck_assert_msg(row->bytes.data && row->bytes.size == (size_t)row->nbytes, "%.*s",
                      (int)row->fqn.size, row->fqn.data);
        ck_assert_int_eq(row->file_offset, DG_NONE);
    }
    clear();
    free((void *)bytes.data);
}
END_TEST

START_TEST(weights_of_delegates_that_are_no_archive_are_left)
{
    static const char begin[] = "original_state_dict\\\": \\\"";
    struct dg_bytes bytes = shipped("lowered_exir.pt2");
    size_t n_broken = 0, n_constants;

    ck_assert(!dg_reader_pt2.read(bytes, true, &program, &err));
    n_constants = program.n_constants;
    clear();
    for (size_t i = 0; i + sizeof(begin) + 8 < bytes.size; i++) {
        if (memcmp(bytes.data + i, begin, sizeof(begin) - 1) != 0)
            continue;
        memcpy((uint8_t *)bytes.data + i + sizeof(begin) - 1, "AAAAAAAA", 8);
        n_broken++;
    }
    ck_assert_uint_eq(n_broken, 2);
    ck_assert_msg(!dg_pt2_with_weights.read(bytes, false, &program, &err), "%s",
                  err.text);
    ck_assert_uint_eq(program.n_constants, n_constants);
    clear();
    free((void *)bytes.data);
}
END_TEST

START_TEST(a_lowered_module_that_is_no_json_is_none)
{
    static const char begin[] = "\"as_string\": \"{\\\"backend_id";
    struct dg_bytes bytes = shipped("lowered_exir.pt2");
    size_t brace = sizeof(begin) - sizeof("{\\\"backend_id");

    for (size_t i = 0; i + sizeof(begin) < bytes.size; i++) {
        if (!memcmp(bytes.data + i, begin, sizeof(begin) - 1))
            ((uint8_t *)bytes.data)[i + brace] = ' ';
    }
    ck_assert_msg(!dg_reader_pt2.read(bytes, true, &program, &err), "%s", err.text);
    ck_assert_uint_eq(program.n_delegates, 0);
    clear();
    free((void *)bytes.data);
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

START_TEST(no_truncation_loads_and_each_says_why)
{
    struct dg_bytes bytes = shipped("deflated.pt2");

    for (size_t size = 0; size < bytes.size; size++) {
        err = (struct dg_error){0};
        ck_assert_int_eq(dg_reader_pt2.read((struct dg_bytes){bytes.data, size}, true,
                                            &program, &err),
                         DG_ERR_FORMAT);
        ck_assert(err.text[0]);
        dg_program_clear(&program);
    }
    free((void *)bytes.data);
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
    tcase_add_test(tests, a_crc_that_does_not_match_is_remarked_on);
    tcase_add_test(tests, a_package_without_models_opens);
    tcase_add_test(tests, an_etrecord_has_a_method_for_each_edge_program);
    tcase_add_test(tests, what_lies_beside_a_program_of_an_etrecord_is_no_method);
    tcase_add_test(tests, an_etrecord_that_counts_instructions_by_words_is_refused);
    tcase_add_test(tests, an_etrecord_without_a_program_is_refused);
    tcase_add_loop_test(tests, other_archives_are_refused_by_name, 0,
                        sizeof(others) / sizeof(*others));
    tcase_add_test(tests, branches_follow_the_graph_that_calls_them);
    tcase_add_test(tests, delegates_keep_blob_and_original_graph);
    tcase_add_test(tests, weights_of_delegates_are_read_for_who_looks_for_them);
    tcase_add_test(tests, weights_of_delegates_that_are_no_archive_are_left);
    tcase_add_test(tests, a_lowered_module_that_is_no_json_is_none);
    tcase_add_test(tests, a_weight_that_reaches_beyond_its_data_is_remarked_on);
    tcase_add_test(tests, no_truncation_loads_and_each_says_why);
    suite_add_tcase(suite, tests);
    return suite;
}
