/* Reading the arguments of calls. Private to the files support*.c. */
#ifndef DG_PARTITION_SUPPORT_CALLS_H
#define DG_PARTITION_SUPPORT_CALLS_H

#include "base/text_set.h"
#include "formats/json.h"
#include "partition/support_parts.h"

/* Most calls of a graph differ in nothing but the nodes that they name: what is read of
 * the first of them is for all. */
struct dg_call_reader {
    const struct dg_nodes *nodes;
    struct dg_arena *memory; /* of what is read */

    struct dg_json json;
    struct dg_support_item *items; /* of the present argument */
    size_t n_items;
    struct dg_support_call_arg *args; /* of the present call */
    size_t n_args;
    int64_t n_nodes;           /* nodes named so far */
    enum dg_support_type node; /* what a name means in the present argument */

    struct dg_writer outline;    /* of the present call: its text without these names */
    struct dg_text_set outlines; /* those that were read, */
    struct dg_support_call *calls; /* and what was read */
    size_t n_calls;
};

/* Start from {.nodes, .memory}. What is no such text has no arguments. */
void dg_call_read(struct dg_call_reader *reader, struct dg_support_call *call,
                  struct dg_text args, uint32_t node);
void dg_call_reader_clear(struct dg_call_reader *reader);

#endif
