/* What all views ask of a store. */
#include "reports/views/read.h"

#include <stdlib.h>

#include "graph/asked.h"

enum dg_status dg_view_open(struct dg_rows *rows, const struct dg_view_input *in,
                            const char *sql)
{
    enum dg_status status = dg_rows_open(rows, in->store, sql, in->err);

    dg_rows_bind_text(rows, 1, dg_text(in->options->method));
    dg_rows_bind_text(rows, 2, dg_text(in->options->graph));
    dg_rows_bind_int(rows, 3, in->options->artifact);
    return status;
}

struct dg_text dg_view_type(struct dg_arena *memory, const struct dg_rows *rows,
                            int dtype)
{
    const char *shape = dg_rows_text(rows, dtype + 1);
    struct dg_writer text = {0};

    if (dg_rows_null(rows, dtype))
        return (struct dg_text){0};
    dg_print(&text, "%s", dg_rows_text(rows, dtype));
    for (; shape && *shape; shape++)
        if (*shape != '"' && *shape != ' ')
            dg_write(&text, shape, 1);
    return dg_keep(memory, &text);
}

/* What instructions took, by row of node; kept with the store. */
struct times {
    double *took, all;
    size_t n;
};

static void release_times(void *object)
{
    struct times *times = object;

    free(times->took);
    free(times);
}

static enum dg_status read_times(struct times *times, struct dg_store *store,
                                 struct dg_error *err)
{
    struct dg_rows rows;
    bool measured;
    int64_t n = 0;
    enum dg_status status = dg_asked_measured(&measured, store, err);

    if (!status && measured)
        status = dg_store_int(store, "SELECT max(id) FROM node", 0, &n, err);
    if (status || !measured)
        return status;
    times->took = dg_zeroed((size_t)n + 1, sizeof(*times->took));
    times->n = (size_t)n;
    rows = dg_rows_all(store, "SELECT node_id, median FROM v_timing WHERE part IS NULL",
                       err);
    while (dg_rows_next(&rows)) {
        int64_t node = dg_rows_int(&rows, 0);
        double took = dg_rows_real(&rows, 1, 0);

        if (node < 1 || node > n || !(took > 0))
            continue;
        times->took[node - 1] = took;
        times->all += took;
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status add_times(struct dg_picture *picture,
                                const struct dg_view_input *in)
{
    struct times *times = dg_store_kept(in->store, release_times);
    enum dg_status status = DG_OK;

    if (!times) {
        times = dg_zeroed(1, sizeof(*times));
        status = read_times(times, in->store, in->err);
        dg_store_keep(in->store, times, release_times);
    }
    picture->took = times->took;
    picture->n_took = times->n;
    picture->all_took = times->all;
    return status;
}

enum dg_status dg_view_title(struct dg_picture *picture, const struct dg_view_input *in,
                             int64_t artifact)
{
    struct dg_rows rows = dg_rows_of(
        in->store, "SELECT min(path), count(*) FROM artifact WHERE ?1 = 0 OR id = ?1",
        artifact, in->err);

    picture->path = dg_text(in->options->path ? in->options->path : "FILE");
    if (dg_rows_next(&rows) && dg_rows_int(&rows, 1) == 1) {
        struct dg_text file = dg_rows_keep(&picture->memory, &rows, 0);
        const char *slash = file.data ? strrchr(file.data, '/') : NULL;

        picture->title = slash ? dg_text(slash + 1) : file;
    }
    return dg_rows_close(&rows, add_times(picture, in), in->err);
}

enum dg_status dg_view_begin(struct dg_picture *picture, const struct dg_view_input *in)
{
    dg_picture_add_frame(picture, DG_FRAME_ROOT, 0, (struct dg_text){0});
    return dg_view_title(picture, in, in->options->artifact);
}

enum dg_status dg_view_check_chosen(const struct dg_view_input *in, size_t n_found,
                                    const char *what)
{
    const char *method = in->options->method, *graph = in->options->graph;
    bool both = method && graph;

    if (n_found || (!method && !graph))
        return DG_OK;
    return dg_fail(in->err, DG_ERR_USAGE, "%s%s%.80s%s%s%.80s%s", what,
                   graph ? "graph '" : "", graph ? graph : "", both ? "' in " : "",
                   method ? "method '" : "", method ? method : "", "'");
}
