/* The programs of a run: opened files, with the schedule of one method. */
#include "cli/run_program.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/output.h"
#include "cli/artifact_option.h"

/* Where the program of a store was loaded from, and what it was; NULL: not recorded. */
struct origin {
    const char *path, *sha256;
};

static enum dg_status read_origin(struct origin *origin, struct dg_store *store,
                                  int64_t artifact, struct dg_arena *memory,
                                  struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(
        store, "SELECT path, sha256 FROM artifact WHERE id = ?1", artifact, err);

    if (dg_rows_next(&rows)) {
        origin->path = dg_copy(memory, dg_rows_slice(&rows, 0));
        if (!dg_rows_null(&rows, 1))
            origin->sha256 = dg_copy(memory, dg_rows_slice(&rows, 1));
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status find_origin(struct origin *origin, struct dg_run_program *program,
                                  const char *wanted, struct dg_error *err)
{
    struct dg_input stored = {.path = program->file.path};
    int64_t artifact;
    enum dg_status status = dg_store_open(&stored.store, stored.path, err);

    if (!status)
        status = dg_artifact_choose(&stored, wanted, err);
    if (!status)
        status = dg_artifact_only(&artifact, stored.store, "a run", err);
    if (!status)
        status = read_origin(origin, stored.store, artifact, &program->memory, err);
    dg_store_close(stored.store);
    return status;
}

/* Without a digest nothing tells whether a file is the one that was loaded. */
static enum dg_status check_origin(const struct origin *origin, const char *store,
                                   struct dg_error *err)
{
    struct stat state;

    if (!origin->sha256)
        return dg_fail(
            err, DG_ERR_FORMAT,
            "%s has no SHA-256 of %s, which it was made from, so that nothing "
            "tells whether this is still that file: run the file itself, or "
            "load it again without --no-hash",
            store, origin->path);
    if (!stat(origin->path, &state) && dg_output_spare(origin->path, &state, err))
        return err->status;
    return dg_input_is_program(origin->path)
               ? DG_OK
               : dg_fail(err, DG_ERR_FORMAT,
                         "%s: the store was made from %s, which is no program file now",
                         store, origin->path);
}

/* A store holds no weights: its program is read again from where it was loaded. */
static enum dg_status open_stored(struct dg_run_program *program, const char *artifact,
                                  struct dg_error *err)
{
    struct dg_input *input = &program->input;
    struct origin origin = {0};
    enum dg_status status = find_origin(&origin, program, artifact, err);

    if (!status)
        status = check_origin(&origin, program->file.path, err);
    if (!status)
        status = dg_input_open(input, origin.path, DG_HASH_NONE, err);
    if (!status &&
        strcmp(dg_sha256_of_file(input->file, input->mapped, &program->memory).data,
               origin.sha256) != 0)
        status = dg_fail(err, DG_ERR_FORMAT,
                         "%s is no longer the file that the store %s was made from",
                         origin.path, program->file.path);
    return status;
}

static enum dg_status open_bundled(struct dg_run_program *program, struct dg_error *err)
{
    struct dg_input *input = &program->input;
    enum dg_status status = dg_bundle_read(&program->bundle, program->file.file, err);

    program->bundled = true;
    if (status)
        return status;
    *input =
        (struct dg_input){.path = program->file.path, .file = program->bundle.program};
    status = dg_store_create(&input->store, err);
    if (!status)
        status = dg_input_load(input, input->store, DG_HASH_NONE, err);
    return status ? status : dg_store_commit(input->store, err);
}

enum dg_status dg_run_program_open(struct dg_run_program *program, const char *path,
                                   const char *artifact, struct dg_error *err)
{
    enum dg_status status;

    *program = (struct dg_run_program){0};
    status = dg_input_map(&program->file, path, err);
    if (status)
        return status;
    if (dg_store_recognises(program->file.file))
        return open_stored(program, artifact, err);
    if (dg_bundle_recognises(program->file.file)) {
        status = open_bundled(program, err);
    } else {
        program->input = program->file;
        program->file = (struct dg_input){0};
        status = dg_store_create(&program->input.store, err);
        if (!status)
            status =
                dg_input_load(&program->input, program->input.store, DG_HASH_NONE, err);
        if (!status)
            status = dg_store_commit(program->input.store, err);
    }
    return status ? status : dg_artifact_choose(&program->input, artifact, err);
}

void dg_run_program_close(struct dg_run_program *program)
{
    dg_schedule_clear(&program->schedule);
    if (program->bundled)
        program->input.file = (struct dg_bytes){0}; /* lies in the bundle */
    dg_input_close(&program->input);
    if (program->bundled)
        dg_bundle_clear(&program->bundle);
    dg_input_close(&program->file);
    dg_arena_clear(&program->memory);
    *program = (struct dg_run_program){0};
}

/* Rows of one method: its own graph. */
struct found {
    int64_t method, graph;
    bool is_pte;
};

/* No such method: which ones are there? */
static enum dg_status miss_method(struct dg_store *store, const char *path,
                                  const char *method, struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(
        &rows, store,
        "SELECT group_concat(name, ', ') FROM (SELECT DISTINCT method.name FROM method"
        " JOIN graph ON graph.method_id = method.id AND graph.path = ''"
        " JOIN artifact ON artifact.id = method.artifact_id"
        " WHERE artifact.companion_of IS NULL ORDER BY method.id LIMIT 8)",
        err);
    struct dg_text names;

    if (status)
        return status;
    names = dg_rows_next(&rows) ? dg_rows_slice(&rows, 0) : (struct dg_text){0};
    if (!names.size)
        status = dg_fail(err, DG_ERR_FORMAT, "%s: no graph of operators to run", path);
    else
        status = dg_fail(err, DG_ERR_USAGE, "%s: no method \"%.80s\"; it has %.*s",
                         path, method ? method : "", (int)names.size, names.data);
    dg_rows_close(&rows, DG_OK, &(struct dg_error){0});
    return status;
}

static enum dg_status find_method(struct dg_store *store, const char *path,
                                  const char *method, bool of_export,
                                  struct found *found, struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(
        &rows, store,
        "SELECT method.id, graph.id, method.ir = 'pte' FROM method"
        "  JOIN graph ON graph.method_id = method.id AND graph.path = ''"
        "  JOIN artifact ON artifact.id = method.artifact_id"
        " WHERE artifact.companion_of IS NULL AND (?1 IS NULL OR method.name = ?1"
        "  OR ?2 AND method.ir <> 'pte' AND NOT EXISTS (SELECT 1 FROM method AS other"
        "   WHERE other.artifact_id = method.artifact_id AND other.id <> method.id))"
        " ORDER BY method.name <> 'forward', method.id",
        err);

    *found = (struct found){0};
    if (status)
        return status;
    dg_rows_bind_text(&rows, 1, method ? dg_text(method) : (struct dg_text){0});
    dg_rows_bind_int(&rows, 2, of_export);
    if (dg_rows_next(&rows))
        *found = (struct found){dg_rows_int(&rows, 0), dg_rows_int(&rows, 1),
                                dg_rows_int(&rows, 2) != 0};
    status = dg_rows_close(&rows, DG_OK, err);
    return status || found->graph ? status : miss_method(store, path, method, err);
}

static enum dg_status schedule_pte(struct dg_run_program *program,
                                   const struct found *found, struct dg_error *err)
{
    const struct dg_input *input = &program->input;
    struct dg_bytes *data =
        dg_alloc(&program->memory, input->n_companions + 1, sizeof(*data));
    int64_t *artifacts =
        dg_alloc(&program->memory, input->n_companions + 1, sizeof(*artifacts));
    struct dg_schedule_files files = {input->file, data, artifacts, 0};
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, input->store,
                     "SELECT id FROM artifact WHERE companion_of IS NOT NULL"
                     "   AND role = 'data' ORDER BY id",
                     err);

    if (status)
        return status;
    while (files.n_data < input->n_companions && dg_rows_next(&rows)) {
        data[files.n_data] = input->companions[files.n_data].file;
        artifacts[files.n_data++] = dg_rows_int(&rows, 0);
    }
    status = dg_rows_close(&rows, DG_OK, err);
    if (!status)
        status = dg_schedule_pte(&program->schedule, input->store, &files,
                                 found->method, err);
    return status;
}

enum dg_status dg_run_program_schedule(struct dg_run_program *program,
                                       const char *method, bool of_export,
                                       struct dg_error *err)
{
    const struct dg_input *input = &program->input;
    struct found found;
    enum dg_status status =
        find_method(input->store, input->path, method, of_export, &found, err);

    if (status)
        return status;
    return found.is_pte ? schedule_pte(program, &found, err)
                        : dg_schedule_fx(&program->schedule, input->store, input->file,
                                         found.graph, err);
}
