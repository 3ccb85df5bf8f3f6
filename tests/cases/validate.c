/* Sets of nodes that can, or cannot, be fused one after the other. */
#include <stdio.h>

#include "cases/case.h"
#include "graph/quotient.h"

enum { NONE_FAILS = -1 };

struct sets {
    struct dg_arena memory;
    struct dg_quotient quotient;
    uint32_t *part_of;
    bool overlap;
};

static void begin_sets(struct sets *sets, const struct test_case *test)
{
    *sets = (struct sets){0};
    sets->part_of = dg_alloc(&sets->memory, (size_t)test->graph.n_nodes + 1,
                             sizeof(*sets->part_of));
    sets->quotient.graph = &test->graph;
    sets->quotient.part_of = sets->part_of;
    sets->quotient.memory = &sets->memory;
}

static void read_sets(struct sets *sets, const struct test_case *test,
                      struct dg_json *json)
{
    uint32_t n_parts = 0;

    for (uint32_t node = 0; node < test->graph.n_nodes; node++)
        sets->part_of[node] = DG_NO_VERTEX;
    sets->overlap = false;
    for (dg_json_array(json); dg_json_item(json); n_parts++) {
        for (dg_json_array(json); dg_json_item(json);) {
            uint32_t node = case_node(test, json);

            sets->overlap |= sets->part_of[node] != DG_NO_VERTEX;
            sets->part_of[node] = n_parts;
        }
    }
    sets->quotient.n_parts = n_parts;
}

static bool is_convex(const struct sets *sets, uint32_t part)
{
    struct dg_route detour;

    dg_quotient_nonconvex(&sets->quotient, part, &detour);
    return !detour.n_nodes;
}

/* Each set on its own, then all of them together. */
static bool can_fuse(const struct sets *sets)
{
    bool fuses = !sets->overlap;

    for (uint32_t part = 0; fuses && part < sets->quotient.n_parts; part++)
        fuses = is_convex(sets, part);
    return fuses && dg_quotient_acyclic(&sets->quotient);
}

static bool run_document_case(struct sets *sets, const struct test_case *test,
                              struct dg_json *json)
{
    struct dg_text key;
    bool valid = false;

    dg_json_object(json);
    while (dg_json_key(json, &key)) {
        if (dg_text_is(key, "partitions"))
            read_sets(sets, test, json);
        else if (dg_text_is(key, "valid"))
            valid = dg_json_bool(json);
        else
            dg_json_skip(json);
    }
    return can_fuse(sets) == valid;
}

enum dg_status case_validate_list(const struct test_case *test, struct dg_text list,
                                  const struct case_source *source,
                                  struct case_tally *tally)
{
    struct sets sets;
    struct dg_json json;
    enum dg_status status;

    begin_sets(&sets, test);
    dg_json_begin(&json, list, source->place, &sets.memory, source->err);
    for (dg_json_array(&json); dg_json_item(&json);) {
        bool equal = run_document_case(&sets, test, &json);

        if (json.failed)
            break;
        tally->n_run++;
        tally->n_equal += equal;
        if (!equal)
            printf("%s: %.*s, case %u: the opposite of what was expected came\n",
                   source->place, (int)test->name.size, test->name.data, tally->n_run);
    }
    status = dg_json_end(&json);
    dg_arena_clear(&sets.memory);
    return status;
}

static bool same_convex(const struct sets *sets, struct dg_json *json)
{
    uint32_t part = 0;
    bool same = true;

    for (dg_json_array(json); dg_json_item(json); part++) {
        bool want = dg_json_bool(json);

        if (json->failed || part >= sets->quotient.n_parts)
            break;
        if (want == is_convex(sets, part))
            continue;
        printf("  set %u: expected %s, came the opposite\n", part,
               want ? "convex" : "not convex");
        same = false;
    }
    if (!json->failed && part != sets->quotient.n_parts)
        dg_json_fail(json, "expected an answer for each of the %u sets",
                     sets->quotient.n_parts);
    return same;
}

static bool same_failing(const struct sets *sets, struct dg_json *json)
{
    int64_t want = dg_json_null(json) ? NONE_FAILS : dg_json_int(json);
    int64_t came = dg_quotient_first_failing(&sets->quotient);

    if (came == sets->quotient.n_parts)
        came = NONE_FAILS;
    if (want == came)
        return true;
    printf("  first set that fails: expected %lld, came %lld (-1: none)\n",
           (long long)want, (long long)came);
    return false;
}

/* A shortest cycle must be there exactly where there is one, and lead along edges. */
static bool same_cycle(const struct sets *sets, bool acyclic)
{
    struct dg_route cycle;
    bool came = dg_quotient_acyclic(&sets->quotient);

    dg_quotient_cycle(&sets->quotient, &cycle);
    if (came == acyclic && (cycle.n_nodes == 0) == acyclic)
        return true;
    printf("  expected sets that are %s, came others\n",
           acyclic ? "acyclic" : "cyclic");
    return false;
}

static bool same_answers(const struct sets *sets, struct dg_json *json)
{
    struct dg_text key;
    bool same = true;

    dg_json_object(json);
    while (dg_json_key(json, &key)) {
        if (dg_text_is(key, "convex"))
            same &= same_convex(sets, json);
        else if (dg_text_is(key, "acyclic"))
            same &= same_cycle(sets, dg_json_bool(json));
        else if (dg_text_is(key, "failing"))
            same &= same_failing(sets, json);
        else
            dg_json_skip(json);
    }
    return same;
}

enum dg_status case_validate(struct test_case *test, const struct raw_case *raw,
                             const struct case_source *source, bool *same)
{
    struct sets sets;
    struct dg_json json;
    enum dg_status status;

    begin_sets(&sets, test);
    case_json(&json, raw->sets, "sets", test, source);
    read_sets(&sets, test, &json);
    if (!json.failed && sets.overlap)
        dg_json_fail(&json, "expected sets that do not overlap");
    status = dg_json_end(&json);
    if (!status) {
        case_json(&json, raw->expected, "expected", test, source);
        *same = same_answers(&sets, &json);
        status = dg_json_end(&json);
    }
    dg_arena_clear(&sets.memory);
    return status;
}
