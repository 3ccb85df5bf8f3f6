/* A file taken the whole way: recognised, read, stored in memory, held to every rule,
 * partitioned. */
#ifndef DG_TESTS_SWALLOW_H
#define DG_TESTS_SWALLOW_H

#include "formats/reader.h"

enum swallowed {
    SWALLOWED_REFUSED, /* not readable as its format */
    SWALLOWED_LOADED,  /* rows and findings were made */
};

/* Read with `reader`; NULL is the one that recognises the bytes. Aborts when a refusal
 * does not say why. */
enum swallowed swallow_bytes(const struct dg_reader *reader, struct dg_bytes bytes);

/* The same, and when it loads, store it, run every rule and every partitioner. Aborts
 * when any of this fails, for a program that can be read can be stored and checked. */
enum swallowed swallow_program(const struct dg_reader *reader, struct dg_bytes bytes);

#endif
