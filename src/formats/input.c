/* Opening what the user named, and its companions. */
#include "formats/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/output.h"
#include "formats/line_search.h"
#include "formats/profile_search.h"
#include "formats/reader.h"
#include "formats/weight_search.h"
#include "formats/zip.h"

/* Put the path before what a reader says. */
static enum dg_status name_file(struct dg_error *err, const char *path)
{
    struct dg_error told = *err;

    return dg_fail(err, told.status, "%s: %s", path, told.text);
}

/* The .pte that a .ptd goes with: the newest program, if it is one. What was measured,
 * was so of the newest .pte. */
static enum dg_status find_owner(struct dg_store *store, const struct dg_reader *reader,
                                 int64_t *owner, struct dg_error *err)
{
    return dg_store_int(store,
                        reader == &dg_reader_etdump
                            ? "SELECT max(id) FROM artifact WHERE kind = 'pte'"
                            : "SELECT iif(kind = 'pte', id, 0) FROM artifact"
                              " WHERE companion_of IS NULL ORDER BY id DESC LIMIT 1",
                        0, owner, err);
}

/* Whether it is shorter now: the rest of its last page reads as zeros. */
static bool is_cut(const struct dg_input *input)
{
    struct stat state;

    return input->mapped && !stat(input->path, &state) &&
           (size_t)state.st_size < input->file.size;
}

/* What was read of a large file need not stay in memory: the file has it again. */
static void let_go(const struct dg_input *input)
{
    enum { LARGE = 16 << 20 };

    if (input->mapped && input->file.size > LARGE)
        madvise((void *)(uintptr_t)input->file.data, input->file.size, MADV_DONTNEED);
}

/* Of the program that came last, for the .pte `artifact`. */
static enum dg_status find_lines(struct dg_store *store, int64_t artifact,
                                 struct dg_error *err)
{
    int64_t program = 0;
    enum dg_status status =
        dg_store_int(store, "SELECT max(id) FROM artifact", 0, &program, err);

    return status ? status : dg_find_lines(store, artifact, program, err);
}

/* `owner` of a program that a .pte was made from: that .pte. */
static enum dg_status read_file(const struct dg_input *input, struct dg_store *store,
                                const struct dg_reader *reader, struct dg_file *file,
                                const struct dg_input *owner, struct dg_error *err)
{
    struct dg_program program = {0};
    enum dg_status status =
        reader->read(input->file, file->hash == DG_HASH_ALL, &program, err);

    if (is_cut(input))
        status = dg_fail(err, DG_ERR_FORMAT, "%s: cut while it was read", input->path);
    else if (status)
        status = name_file(err, input->path);
    if (!status && owner)
        status = dg_input_find_weights(&program, owner, err);
    if (!status)
        status = dg_store_take_program(store, &program, file, err);
    let_go(input);
    dg_program_clear(&program);
    return status;
}

enum dg_status dg_input_load(struct dg_input *input, struct dg_store *store,
                             enum dg_hash hash, struct dg_error *err)
{
    return dg_input_load_beside(input, store, 0, hash, err);
}

enum dg_status dg_input_load_beside(struct dg_input *input, struct dg_store *store,
                                    int64_t owner, enum dg_hash hash,
                                    struct dg_error *err)
{
    const struct dg_reader *reader;
    struct dg_file file = {.path = input->path,
                           .bytes = input->file,
                           .hash = hash,
                           .mapped = input->mapped,
                           .sha256 = input->sha256};
    enum dg_status status = dg_reader_find(&reader, input->file, err);

    if (status)
        return name_file(err, input->path);
    file.role = dg_input_role(input);
    if (file.role && !owner)
        status = find_owner(store, reader, &owner, err);
    file.companion_of = file.role ? owner : 0;
    if (!file.companion_of)
        file.role = NULL;
    if (!status)
        status = read_file(input, store, reader, &file, NULL, err);
    if (!status && reader == &dg_reader_etdump && file.role)
        status = dg_find_profiled(store, owner, err);
    if (!status && reader == &dg_reader_pt2 && file.role)
        status = find_lines(store, owner, err);
    return status;
}

/* NULL: there is none that can be emptied. */
static struct dg_store *reuse(struct dg_store **spare)
{
    struct dg_store *store = *spare;

    *spare = NULL;
    if (!store || dg_store_empty(store))
        return store;
    dg_store_close(store);
    return NULL;
}

enum dg_status dg_input_open_next(struct dg_input *input, struct dg_store **spare,
                                  const char *path, enum dg_hash hash,
                                  struct dg_error *err)
{
    enum dg_status status = dg_input_map(input, path, err);

    if (status)
        return status;
    if (dg_store_recognises(input->file)) {
        if (!strcmp(path, "-"))
            return dg_fail(err, DG_ERR_USAGE,
                           "a store cannot be read from standard input");
        return dg_store_open(&input->store, path, err);
    }
    input->store = reuse(spare);
    if (!input->store)
        status = dg_store_create(&input->store, err);
    if (!status)
        status = dg_input_load(input, input->store, hash, err);
    if (!status)
        status = dg_store_commit(input->store, err);
    return status;
}

enum dg_status dg_input_open(struct dg_input *input, const char *path,
                             enum dg_hash hash, struct dg_error *err)
{
    struct dg_store *none = NULL;

    return dg_input_open_next(input, &none, path, hash, err);
}

static enum dg_status refuse_join(const struct dg_input *input,
                                  const struct dg_input *companion,
                                  const struct dg_reader *wanted, struct dg_error *err)
{
    const struct dg_reader *reader = NULL;
    struct dg_error ignored = {0};
    bool known = !dg_reader_find(&reader, input->file, &ignored);

    return dg_fail(err, DG_ERR_USAGE, "%s: %s%s%sexpected the .pte that %s%s",
                   input->path, known ? "a ." : "", known ? reader->name : "",
                   known ? "; " : "",
                   wanted == &dg_reader_pt2      ? "was made from "
                   : wanted == &dg_reader_etdump ? "was measured in "
                                                 : "goes with ",
                   companion->path);
}

/* What can be joined: a .ptd, a .pt2 or an ETDump to a .pte that is no store. */
static enum dg_status check_join(const struct dg_input *input,
                                 const struct dg_input *companion,
                                 const struct dg_reader *wanted, struct dg_error *err)
{
    const struct dg_reader *reader = NULL;
    enum dg_status status;

    if (dg_store_recognises(input->file))
        return dg_fail(err, DG_ERR_USAGE, "%s: a store; name the .pte beside %s%s",
                       input->path, companion->path,
                       wanted == &dg_reader_pt2 ? "" : ", or load both together");
    if (!dg_reader_pte.recognises(input->file) &&
        !dg_reader_bpte.recognises(input->file))
        return dg_reader_pte.recognises(companion->file)
                   ? dg_fail(err, DG_ERR_USAGE,
                             "%s: the .pte comes first, and what it was made from or"
                             " measured by behind the option: swap it and %s",
                             input->path, companion->path)
                   : refuse_join(input, companion, wanted, err);
    status = dg_reader_find(&reader, companion->file, err);
    if (status)
        return name_file(err, companion->path);
    if (reader != wanted)
        return dg_fail(err, DG_ERR_FORMAT, "%s: a .%s, expected a .%s", companion->path,
                       reader->name, wanted->name);
    return DG_OK;
}

enum dg_status dg_input_join(struct dg_input *input, const char *path, const char *role,
                             enum dg_hash hash, struct dg_error *err)
{
    struct dg_input *companion = DG_APPEND(input->companions, input->n_companions);
    const struct dg_reader *reader = !strcmp(role, "data")      ? &dg_reader_ptd
                                     : !strcmp(role, "profile") ? &dg_reader_etdump
                                                                : &dg_reader_pt2;
    bool searches = reader == &dg_reader_pt2 && hash >= DG_HASH_QUICK;
    struct dg_file file = {.hash = hash, .companion_of = 1, .role = role};
    enum dg_status status = dg_input_map(companion, path, err);

    if (!status)
        status = check_join(input, companion, reader, err);
    if (status)
        return status;
    file.path = path;
    file.bytes = companion->file;
    file.mapped = companion->mapped;
    status =
        read_file(companion, input->store, searches ? &dg_pt2_with_weights : reader,
                  &file, searches ? input : NULL, err);
    if (!status && reader == &dg_reader_pt2)
        status = find_lines(input->store, 1, err);
    if (!status && reader == &dg_reader_etdump)
        status = dg_find_profiled(input->store, 1, err);
    return status;
}

/* The reader of a regular file: what is read from a pipe here would be missing later.
 * NULL: there is none. */
static const struct dg_reader *reader_of(const char *path)
{
    const struct dg_reader *reader = NULL;
    struct dg_input input = {0};
    struct dg_error ignored = {0};
    struct stat state;

    if (!stat(path, &state) && S_ISREG(state.st_mode) &&
        !dg_input_map(&input, path, &ignored) &&
        dg_reader_find(&reader, input.file, &ignored))
        reader = NULL;
    dg_input_close(&input);
    return reader;
}

/* Its first entry says what it is. */
static bool is_etrecord(struct dg_bytes file)
{
    static const char first[] = "ETRECORD_V0";
    enum { NAME_AT = 30 };

    return file.size > NAME_AT + sizeof(first) && dg_zip_recognises(file) &&
           !memcmp(file.data + NAME_AT, first, sizeof(first) - 1);
}

const char *dg_input_role(const struct dg_input *input)
{
    const struct dg_reader *reader = NULL;
    struct dg_error ignored = {0};

    if (dg_reader_find(&reader, input->file, &ignored))
        return NULL;
    return reader == &dg_reader_ptd      ? "data"
           : reader == &dg_reader_etdump ? "profile"
           : is_etrecord(input->file)    ? "program"
                                         : NULL;
}

enum dg_status dg_input_join_any(struct dg_input *input, const char *path,
                                 enum dg_hash hash, struct dg_error *err)
{
    struct dg_input file = {0};
    enum dg_status status = dg_input_map(&file, path, err);
    const char *role = status ? NULL : dg_input_role(&file);

    dg_input_close(&file);
    if (!status && !role)
        status = dg_fail(err, DG_ERR_USAGE, "%s: it belongs to no program", path);
    return status ? status : dg_input_join(input, path, role, hash, err);
}

bool dg_input_is_data(const char *path)
{
    return reader_of(path) == &dg_reader_ptd;
}

bool dg_input_is_program(const char *path)
{
    return reader_of(path) != NULL;
}

void dg_input_close_before_next(struct dg_input *input, struct dg_store **spare)
{
    if (!*spare && input->store && dg_store_can_be_emptied(input->store)) {
        dg_store_give_up(input->store); /* what may point into the file */
        *spare = input->store;
        input->store = NULL;
    }
    dg_input_close(input);
}

void dg_input_close(struct dg_input *input)
{
    dg_store_close(input->store);
    for (size_t i = 0; i < input->n_companions; i++)
        dg_input_close(&input->companions[i]);
    free(input->companions);
    dg_input_release(input->file, input->mapped);
    *input = (struct dg_input){0};
}
