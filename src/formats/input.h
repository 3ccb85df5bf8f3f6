/* Opening what the user named: a program file, a store, or "-" for standard input. */
#ifndef DG_FORMATS_INPUT_H
#define DG_FORMATS_INPUT_H

#include "store/store.h"

/* A store that holds what `path` names: a store file is opened, a program is loaded
 * into memory. With `hash`, digests are computed on the way. On success the caller
 * closes *store; the mapped file must outlive it: dg_input_close() unmaps. */
struct dg_input {
    struct dg_store *store;
    const char *path;
    struct dg_bytes file; /* data NULL for a store */
    bool mapped;
};

/* A store that holds what `path` names: a store file is opened, a program is loaded
 * into memory. With `hash`, digests are computed on the way. Close *input even on
 * failure. */
enum dg_status dg_input_open(struct dg_input *input, const char *path, bool hash,
                             struct dg_error *err);
void dg_input_close(struct dg_input *input);

/* Only map or read the file; then add its program to a store. */
enum dg_status dg_input_map(struct dg_input *input, const char *path,
                            struct dg_error *err);
enum dg_status dg_input_load(struct dg_input *input, struct dg_store *store, bool hash,
                             struct dg_error *err);

#endif
