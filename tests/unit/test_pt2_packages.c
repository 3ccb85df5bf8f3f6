/* What lies around a program: ETRecords, lowered modules, branches and their weights.
 */
#include "unit/pt2_case.h"

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

Suite *pt2_packages_suite(void)
{
    Suite *suite = suite_create("pt2 packages");
    TCase *tests = tcase_create("pt2");

    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, a_crc_that_does_not_match_is_remarked_on);
    tcase_add_test(tests, a_package_without_models_opens);
    tcase_add_test(tests, an_etrecord_has_a_method_for_each_edge_program);
    tcase_add_test(tests, what_lies_beside_a_program_of_an_etrecord_is_no_method);
    tcase_add_test(tests, an_etrecord_that_counts_instructions_by_words_is_refused);
    tcase_add_test(tests, an_etrecord_without_a_program_is_refused);
    tcase_add_test(tests, branches_follow_the_graph_that_calls_them);
    tcase_add_test(tests, delegates_keep_blob_and_original_graph);
    tcase_add_test(tests, weights_of_delegates_are_read_for_who_looks_for_them);
    tcase_add_test(tests, weights_of_delegates_that_are_no_archive_are_left);
    tcase_add_test(tests, a_lowered_module_that_is_no_json_is_none);
    tcase_add_test(tests, no_truncation_loads_and_each_says_why);
    tcase_add_loop_test(tests, other_archives_are_refused_by_name, 0,
                        sizeof(others) / sizeof(*others));
    suite_add_tcase(suite, tests);
    return suite;
}
