/* Cases: a graph, what to do with it, and the partitions that PyTorch or ExecuTorch
 * made of it. Two formats share one reader: lines of JSON, and one document. */
#ifndef DG_TESTS_CASE_H
#define DG_TESTS_CASE_H

#include "formats/json.h"
#include "partition/partition.h"

/* Members of a case as they stand in the file. What is absent has no data. */
struct raw_case {
    struct dg_text name, mode, options, nodes, supported, groups, signature, expected,
        sets, cases;
};

struct expected_part {
    int64_t id;
    uint32_t *nodes;
    size_t n_nodes;
};

enum expected_acyclic { ACYCLIC_UNKNOWN, ACYCLIC_NO, ACYCLIC_YES };

struct test_case {
    struct dg_text name, mode;
    struct dg_arena memory;
    struct dg_graph graph;
    uint16_t *marks;
    struct dg_text *names, *targets;
    uint32_t *by_name; /* nodes sorted by name */
    struct dg_groups groups;
    bool no_single, skip_horizontal, bookends, has_signature;

    struct expected_part *parts;
    size_t n_parts;
    struct dg_text *tags; /* of each node, or no data; NULL: not given */
    enum expected_acyclic acyclic;
    bool endless; /* PyTorch does not return: there is nothing else to compare */
};

/* Where a case stands: "FILE:LINE". */
struct case_source {
    const char *place;
    struct dg_error *err;
};

/* Start from {0}; clear it whether or not this succeeds. */
enum dg_status case_read(struct test_case *test, const struct raw_case *raw,
                         const struct case_source *source);
void case_clear(struct test_case *test);

/* Members of an object of either format. */
enum dg_status case_split(struct raw_case *raw, struct dg_text text,
                          struct dg_arena *memory, const struct case_source *source);

/* Nodes, inputs and users. */
enum dg_status case_read_graph(struct test_case *test, struct dg_text nodes,
                               const struct case_source *source);

/* The node of that name, or DG_NO_PART. */
uint32_t case_find(const struct test_case *test, struct dg_text name);

/* The node of that name, which is the next string in `json`; it fails if there is none.
 */
uint32_t case_node(const struct test_case *test, struct dg_json *json);

/* A walk of a member of a case. End with dg_json_end(). */
void case_json(struct dg_json *json, struct dg_text text, const char *member,
               struct test_case *test, const struct case_source *source);

/* Print what differs from what is expected; whether nothing does. */
bool case_run(const struct test_case *test);

struct case_tally {
    uint32_t n_equal, n_run;
};

/* Mode validate: what is said of `sets` as partitions, one by one and together. */
enum dg_status case_validate(struct test_case *test, const struct raw_case *raw,
                             const struct case_source *source, bool *same);

/* The same in the document: a list of sets for one graph, each valid or not. */
enum dg_status case_validate_list(const struct test_case *test, struct dg_text list,
                                  const struct case_source *source,
                                  struct case_tally *tally);

#endif
