/* The installed interface: load one program, run every rule, show what was found. */
#include "config.h"

#pragma GCC visibility push(default)
#include "delegraph.h"
#pragma GCC visibility pop

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/reader.h"
#include "store/store.h"
#include "verifiers/verifier.h"

enum { EXIT_INPUT = 3, EXIT_INTERNAL = 5 };

static enum dg_status map_file(struct dg_bytes *file, const char *path,
                               struct dg_error *err)
{
    struct stat state = {0};
    int number = open(path, O_RDONLY | O_CLOEXEC);
    void *data = MAP_FAILED;
    bool plain = number >= 0 && !fstat(number, &state) && S_ISREG(state.st_mode);

    if (plain && state.st_size > 0)
        data = mmap(NULL, (size_t)state.st_size, PROT_READ, MAP_PRIVATE, number, 0);
    if (number >= 0)
        close(number);
    if (data == MAP_FAILED)
        return dg_fail(err, DG_ERR_FORMAT, "%s: cannot read: %s", path,
                       number < 0 ? strerror(errno)
                       : plain    ? "it is empty, or too large to map"
                                  : "no regular file");
    *file = (struct dg_bytes){data, (size_t)state.st_size};
    return DG_OK;
}

static enum dg_status load(struct dg_store *store, const char *path,
                           struct dg_bytes bytes, struct dg_error *err)
{
    const struct dg_reader *reader;
    struct dg_program program = {0};
    struct dg_file file = {path, bytes, false};
    enum dg_status status = dg_reader_find(&reader, bytes, err);

    if (!status)
        status = reader->read(bytes, false, &program, err);
    if (!status)
        status = dg_store_add_program(store, &program, &file, err);
    if (!status)
        status = dg_store_commit(store, err);
    dg_program_clear(&program);
    return status;
}

static enum dg_status show(struct dg_store *store, delegraph_visit_fn *visit,
                           void *context, struct dg_error *err)
{
    struct dg_rows rows;
    int ended = 0;
    enum dg_status status = dg_rows_open(
        &rows, store,
        "SELECT f.rule, f.severity, m.name, g.path, n.name, coalesce(v.name, v.idx),"
        "  f.message FROM finding AS f LEFT JOIN method AS m ON m.id = f.method_id"
        "  LEFT JOIN \"graph\" AS g ON g.id = f.graph_id"
        "  LEFT JOIN node AS n ON n.id = f.node_id"
        "  LEFT JOIN value AS v ON v.id = f.value_id ORDER BY f.id",
        err);

    if (status)
        return status;
    while (!ended && dg_rows_next(&rows)) {
        struct delegraph_finding finding = {
            .rule = dg_rows_text(&rows, 0),
            .severity = dg_rows_text(&rows, 1),
            .method = dg_rows_text(&rows, 2),
            .graph = dg_rows_text(&rows, 3),
            .node = dg_rows_text(&rows, 4),
            .value = dg_rows_text(&rows, 5),
            .message = dg_rows_text(&rows, 6),
        };

        ended = visit(context, &finding);
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status check(const char *path, delegraph_visit_fn *visit, void *context,
                            struct dg_error *err)
{
    struct dg_store *store = NULL;
    struct dg_bytes file = {0};
    enum dg_status status = map_file(&file, path, err);

    if (!status)
        status = dg_store_create(&store, err);
    if (!status)
        status = load(store, path, file, err);
    if (!status)
        status = dg_verify(store, NULL, NULL, NULL, err);
    if (!status && visit)
        status = show(store, visit, context, err);
    if (store)
        dg_store_close(store);
    if (file.data)
        munmap((void *)file.data, file.size);
    return status;
}

int delegraph_check(const char *path, delegraph_visit_fn *visit, void *context,
                    char *error, unsigned long error_size)
{
    struct dg_error err = {0};
    enum dg_status status = check(path, visit, context, &err);

    if (error && error_size)
        snprintf(error, error_size, "%s", status ? err.text : "");
    if (!status)
        return 0;
    return status == DG_ERR_FORMAT ? EXIT_INPUT : EXIT_INTERNAL;
}

const char *delegraph_version(void)
{
    return PACKAGE_VERSION;
}
