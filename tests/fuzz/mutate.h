/* Mutants that keep the structure of their format, so that they get past its parser:
 * fields of a FlatBuffer, values of a JSON text, entries of an archive, cells of a
 * store. */
#ifndef DG_TESTS_MUTATE_H
#define DG_TESTS_MUTATE_H

#include "base/text.h"

struct mutation {
    uint64_t random; /* the state of its random numbers */
};

uint64_t mutate_random(struct mutation *m, uint64_t below); /* 0 to below - 1 */
uint64_t mutate_number(struct mutation *m, uint64_t old);   /* one that makes trouble */
const char *mutate_text(struct mutation *m);                /* likewise */

/* Replace *file by a mutant of it, by the format that it begins like. */
void mutate(struct mutation *m, struct dg_writer *file);

/* By format; they may leave a file as it was, where nothing in it can be changed. */
void mutate_bytes(struct mutation *m, struct dg_writer *file);
bool mutate_flatbuffer(struct mutation *m, struct dg_writer *file);
bool mutate_json(struct mutation *m, struct dg_writer *file);
bool mutate_store(struct mutation *m, struct dg_writer *file);
bool mutate_zip(struct mutation *m, struct dg_writer *file);

/* Replace `old` bytes at `at`. */
void mutate_splice(struct dg_writer *file, size_t at, size_t old, struct dg_text with);

#endif
