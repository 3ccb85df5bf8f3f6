/* Opening what the user named: a program file, a store, or "-" for standard input. */
#ifndef DG_FORMATS_INPUT_H
#define DG_FORMATS_INPUT_H

#include "store/store.h"

/* A store, and the file that it came from, which must outlive it. */
struct dg_input {
    struct dg_store *store;
    const char *path;
    struct dg_bytes file;
    bool mapped;
    struct dg_text sha256;       /* of the file, where the caller knows it; else NULL */
    struct dg_input *companions; /* given with it; theirs is no store */
    size_t n_companions;
};

/* A store that holds what `path` names: a store file is opened, a program is loaded
 * into memory, and digests are computed as `hash` says. Close *input even on failure.
 */
enum dg_status dg_input_open(struct dg_input *input, const char *path,
                             enum dg_hash hash, struct dg_error *err);
void dg_input_close(struct dg_input *input);

/* dg_input_open() for one input after another: closing puts its store into *spare, and
 * the next program goes there, if it can be emptied. Whoever has *spare in the end
 * closes it. */
enum dg_status dg_input_open_next(struct dg_input *input, struct dg_store **spare,
                                  const char *path, enum dg_hash hash,
                                  struct dg_error *err);
void dg_input_close_before_next(struct dg_input *input, struct dg_store **spare);

/* Add to the only program of `input` what belongs to it. Role "data": a .ptd of a .pte;
 * "program": the .pt2 that a .pte was made from, whose stack traces it gets; "profile":
 * an ETDump of it. */
enum dg_status dg_input_join(struct dg_input *input, const char *path, const char *role,
                             enum dg_hash hash, struct dg_error *err);

/* Of a file that will be mapped several times: a pipe is read now, and kept for who
 * maps it by that name until dg_inputs_forget(). Fails where it cannot be read. Not
 * while other threads map. */
enum dg_status dg_input_keep(const char *path, struct dg_error *err);
void dg_inputs_forget(void);

/* Whether `path` is a regular file that begins like a .ptd; like any program. */
bool dg_input_is_data(const char *path);
bool dg_input_is_program(const char *path);

/* Which file `address` belongs to, or NULL. A file that is cut while it is mapped
 * raises SIGBUS where it is read: a program may handle that, a library may not. Safe in
 * a signal handler. */
const char *dg_input_at(const void *address);

/* Let go of what dg_input_map() gave, where something else took it over. */
void dg_input_release(struct dg_bytes file, bool mapped);

/* Only map or read the file; then add its program to a store. A .ptd or an ETRecord
 * right behind a .pte becomes its companion, and an ETDump that of the newest .pte
 * before it.
 */
enum dg_status dg_input_map(struct dg_input *input, const char *path,
                            struct dg_error *err);
enum dg_status dg_input_load(struct dg_input *input, struct dg_store *store,
                             enum dg_hash hash, struct dg_error *err);

/* The same, where a companion belongs to the artifact `owner`; 0: to the newest .pte.
 */
enum dg_status dg_input_load_beside(struct dg_input *input, struct dg_store *store,
                                    int64_t owner, enum dg_hash hash,
                                    struct dg_error *err);

/* What a file is to the .pte that it belongs to: "data", of a .ptd, "profile", of an
 * ETDump, "program", of an ETRecord; NULL: it stands alone. */
const char *dg_input_role(const struct dg_input *input);

/* dg_input_join() of a file that has a role. */
enum dg_status dg_input_join_any(struct dg_input *input, const char *path,
                                 enum dg_hash hash, struct dg_error *err);

#endif
