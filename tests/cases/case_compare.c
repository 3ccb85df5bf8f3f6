/* Running a case and comparing what comes of it. */
#include <stdio.h>
#include <stdlib.h>

#include "cases/case.h"
#include "graph/quotient.h"

struct result {
    struct dg_partitions partitions;
    uint32_t *tag_of; /* index into partitions.parts */
    bool acyclic;
};

static bool is_mode(const struct test_case *test, const char *mode)
{
    return dg_text_is(test->mode, mode);
}

static void partition(struct result *result, const struct test_case *test)
{
    struct dg_partitions *out = &result->partitions;

    if (is_mode(test, "group"))
        dg_partition_group(out, &test->graph, test->marks,
                           test->groups.group_of ? &test->groups : NULL,
                           test->no_single);
    else if (test->skip_horizontal || is_mode(test, "cbp-skip-horizontal"))
        dg_partition_skip_horizontal(out, &test->graph, test->marks, test->no_single);
    else
        dg_partition_torch(out, &test->graph, test->marks, test->no_single);
    if (test->bookends)
        dg_remove_bookends(out, &test->graph, test->marks);
}

static void tag(struct result *result, const struct test_case *test)
{
    struct dg_partitions *partitions = &result->partitions;
    uint32_t n_nodes = test->graph.n_nodes;
    uint32_t *tag_of = dg_alloc(&partitions->memory, n_nodes, sizeof(*tag_of));

    result->tag_of = tag_of;
    for (uint32_t node = 0; node < n_nodes; node++)
        tag_of[node] = partitions->part_of[node];
    if (is_mode(test, "aoti"))
        dg_tag_branches(tag_of, &test->graph, test->marks);
    if (!test->has_signature)
        return;
    dg_tag_constants(tag_of, dg_tag_ranks(partitions), &test->graph, test->marks);
    if (is_mode(test, "aoti") && partitions->n_parts)
        dg_tag_unused_constants(tag_of, 0, &test->graph, test->marks);
}

static int by_index(const void *a, const void *b)
{
    uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

    return (one > other) - (one < other);
}

static bool same_nodes(const struct test_case *test, const struct result *result,
                       size_t at)
{
    const struct expected_part *want = &test->parts[at];
    const struct dg_part *part = &result->partitions.parts[at];
    uint32_t *nodes = result->partitions.nodes + part->begin;

    if (part->end - part->begin != want->n_nodes)
        return false;
    if (is_mode(test, "group")) {
        qsort(nodes, want->n_nodes, sizeof(*nodes), by_index);
        qsort(want->nodes, want->n_nodes, sizeof(*nodes), by_index);
    }
    return !want->n_nodes ||
           !memcmp(nodes, want->nodes, want->n_nodes * sizeof(*nodes));
}

static void print_nodes(const struct test_case *test, const uint32_t *nodes,
                        size_t n_nodes)
{
    for (size_t i = 0; i < n_nodes; i++)
        printf(" %.*s", (int)test->names[nodes[i]].size, test->names[nodes[i]].data);
    printf("\n");
}

static void print_parts(const struct test_case *test, const struct result *result)
{
    const struct dg_partitions *partitions = &result->partitions;

    printf("  expected %zu partitions:\n", test->n_parts);
    for (size_t i = 0; i < test->n_parts; i++) {
        printf("    %lld:", (long long)test->parts[i].id);
        print_nodes(test, test->parts[i].nodes, test->parts[i].n_nodes);
    }
    printf("  came %u partitions:\n", partitions->n_parts);
    for (uint32_t i = 0; i < partitions->n_parts; i++) {
        const struct dg_part *part = &partitions->parts[i];

        printf("    %u:", part->id);
        print_nodes(test, partitions->nodes + part->begin, part->end - part->begin);
    }
}

static bool same_parts(const struct test_case *test, const struct result *result)
{
    bool same = result->partitions.n_parts == test->n_parts;

    for (size_t i = 0; same && i < test->n_parts; i++)
        same = test->parts[i].id == result->partitions.parts[i].id &&
               same_nodes(test, result, i);
    if (!same)
        print_parts(test, result);
    return same;
}

static bool same_tags(const struct test_case *test, const struct result *result)
{
    const char *prefix = is_mode(test, "aoti") ? "aoti_" : "tag";
    bool same = true;

    for (uint32_t node = 0; test->tags && node < test->graph.n_nodes; node++) {
        struct dg_text want = test->tags[node];
        char came[32] = "no tag";

        if (result->tag_of[node] != DG_NO_PART)
            snprintf(came, sizeof(came), "%s%u", prefix,
                     result->partitions.parts[result->tag_of[node]].id);
        if (!want.data)
            want = dg_text("no tag");
        if (dg_text_is(want, came))
            continue;
        same = false;
        printf("  %.*s: expected %.*s, came %s\n", (int)test->names[node].size,
               test->names[node].data, (int)want.size, want.data, came);
    }
    return same;
}

static bool same_acyclic(const struct test_case *test, const struct result *result)
{
    enum expected_acyclic came = result->acyclic ? ACYCLIC_YES : ACYCLIC_NO;

    if (!test->acyclic || test->acyclic == came)
        return true;
    printf("  expected partitions that are %s, came others\n",
           test->acyclic == ACYCLIC_YES ? "acyclic" : "cyclic");
    return false;
}

static bool same_endless(const struct test_case *test, const struct result *result)
{
    if (test->endless == result->partitions.endless)
        return true;
    printf("  expected a getitem pass that %s, came the opposite\n",
           test->endless ? "never ends" : "ends");
    return false;
}

static bool is_valid(const struct test_case *test, const struct result *result)
{
    if (!result->acyclic)
        printf("  %.*s: came a cyclic result where PyTorch has none\n",
               (int)test->name.size, test->name.data);
    return result->acyclic;
}

static bool same_result(const struct test_case *test, const struct result *result)
{
    bool same = same_endless(test, result);

    if (test->endless)
        return same && is_valid(test, result);
    same &= same_parts(test, result);
    same &= same_tags(test, result);
    return same_acyclic(test, result) && same;
}

bool case_run(const struct test_case *test)
{
    struct result result = {0};
    struct dg_quotient quotient = {.graph = &test->graph};
    bool same;

    partition(&result, test);
    tag(&result, test);
    quotient.part_of = result.partitions.part_of;
    quotient.n_parts = result.partitions.n_parts;
    quotient.memory = &result.partitions.memory;
    result.acyclic = dg_quotient_acyclic(&quotient);
    same = same_result(test, &result);
    dg_partitions_clear(&result.partitions);
    return same;
}
