/* Delegates of a program that a .pte has byte for byte, with all that they were made
 * of: their weights need not be looked for, however lowering folded or packed them. */
#include <stdlib.h>

#include "base/hash.h"
#include "formats/pt2.h"
#include "formats/weight_search.h"

/* What a delegate of the .pte names in its data, and whether it says what that holds.
 */
struct named {
    struct dg_bytes blob;
    struct dg_bytes *data;
    size_t n_data;
    bool open; /* names what lies under a name that does not fix its bytes */
};

struct search {
    struct dg_program *program;
    struct dg_searched *places;
    size_t n_places;
    bool *kept; /* by delegate of the program */
    size_t n_kept;
};

static bool has_blob(const struct search *search, struct dg_bytes blob)
{
    for (size_t i = 0; blob.size && i < search->program->n_delegates; i++) {
        struct dg_bytes own = search->program->delegates[i].blob;

        if (own.size == blob.size && !memcmp(own.data, blob.data, blob.size))
            return true;
    }
    return false;
}

static void keep(struct search *search, const struct named *named)
{
    for (size_t i = 0; i < search->program->n_delegates; i++) {
        struct dg_bytes own = search->program->delegates[i].blob;

        if (own.size != named->blob.size ||
            memcmp(own.data, named->blob.data, own.size) != 0 || search->kept[i])
            continue;
        search->kept[i] = true;
        search->n_kept++;
    }
    for (size_t i = 0; i < search->n_places; i++) {
        for (size_t k = 0; k < named->n_data; k++)
            search->places[i].known |=
                search->places[i].bytes.data == named->data[k].data;
    }
}

/* A key that is the SHA-256 of its data says all about it. */
static bool is_digest(struct dg_text key, struct dg_bytes data)
{
    struct dg_arena memory = {0};
    bool equal = dg_text_equal(key, dg_sha256(data, &memory));

    dg_arena_clear(&memory);
    return equal;
}

static void finish(struct search *search, struct named *named)
{
    if (named->blob.data && !named->open)
        keep(search, named);
    free(named->data);
    *named = (struct named){0};
}

/* One row for each key of each delegate, and one for a delegate without keys: where
 * nothing is known of its keys, the file must not have named data. */
static const char keys_sql[] =
    "SELECT d.id, d.blob_offset, d.blob_bytes, k.key, s.artifact_id, s.file_offset,"
    " s.size_bytes, EXISTS (SELECT 1 FROM named_data)"
    " FROM delegate AS d JOIN method AS m ON m.id = d.method_id AND m.artifact_id = 1"
    " LEFT JOIN delegate_key AS k ON k.delegate_id = d.id"
    " LEFT JOIN named_data AS n ON n.key = k.key"
    " LEFT JOIN segment AS s ON s.artifact_id = n.artifact_id AND s.idx = n.segment_idx"
    " ORDER BY d.id";

enum { ID, OFFSET, SIZE, KEY, KEY_FILE, KEY_OFFSET, KEY_SIZE, ANY_DATA };

static void add_key(struct named *named, const struct dg_rows *rows,
                    const struct dg_input *input)
{
    struct dg_bytes data = dg_input_slice(input, dg_rows_int_or(rows, KEY_FILE, 0),
                                          dg_rows_int_or(rows, KEY_OFFSET, DG_NONE),
                                          dg_rows_int_or(rows, KEY_SIZE, 0));

    if (dg_rows_null(rows, KEY))
        named->open |= dg_rows_int(rows, ANY_DATA) != 0;
    else if (!data.data || !is_digest(dg_rows_slice(rows, KEY), data))
        named->open = true;
    else
        *DG_APPEND(named->data, named->n_data) = data;
}

static enum dg_status find_kept(struct search *search, const struct dg_input *input,
                                struct dg_error *err)
{
    struct named named = {0};
    struct dg_rows rows = dg_rows_all(input->store, keys_sql, err);
    int64_t id = 0;

    while (dg_rows_next(&rows)) {
        if (dg_rows_int(&rows, ID) != id) {
            finish(search, &named);
            id = dg_rows_int(&rows, ID);
            named.blob =
                dg_input_slice(input, 1, dg_rows_int_or(&rows, OFFSET, DG_NONE),
                               dg_rows_int_or(&rows, SIZE, 0));
            if (!has_blob(search, named.blob))
                named.blob = (struct dg_bytes){0};
        }
        if (named.blob.data && !named.open)
            add_key(&named, &rows, input);
    }
    finish(search, &named);
    return dg_rows_close(&rows, DG_OK, err);
}

static bool is_state(const struct dg_signature_row *row)
{
    return *row->direction == 'i' && row->target.data && row->spec &&
           (!strcmp(row->spec, "parameter") || !strcmp(row->spec, "buffer") ||
            !strcmp(row->spec, "constant_tensor"));
}

/* A weight that something else has as well may have other bytes there. */
static void find_state(const struct search *search)
{
    struct dg_program *program = search->program;
    bool *kept = calloc(program->n_graphs + 1, sizeof(*kept));
    struct dg_names state = {0};

    if (!kept)
        dg_out_of_memory();
    for (size_t i = 0; i < program->n_delegates; i++) {
        if (search->kept[i] && program->delegates[i].graph != DG_NONE)
            kept[program->delegates[i].graph] = true;
    }
    for (size_t i = 0; i < program->n_signatures; i++) {
        const struct dg_signature_row *row = &program->signatures[i];
        struct dg_name *name;

        if (!is_state(row))
            continue;
        name = dg_names_at(&state, row->target);
        name->value = program->graphs[row->graph].method;
        name->used |= !kept[row->graph];
    }
    for (size_t i = 0; i < program->n_constants; i++) {
        struct dg_constant_row *row = &program->constants[i];
        const struct dg_name *name =
            row->fqn.data ? dg_names_find(&state, row->fqn) : NULL;

        if (name && !name->used && name->value == row->method && row->bytes.data)
            row->found = "inside";
    }
    dg_names_clear(&state);
    free(kept);
}

enum dg_status dg_find_delegates(struct dg_program *program,
                                 const struct dg_input *input,
                                 struct dg_searched *places, size_t n_places,
                                 struct dg_error *err)
{
    struct search search = {.program = program, .places = places, .n_places = n_places};
    enum dg_status status;

    if (!program->n_delegates)
        return DG_OK;
    search.kept = calloc(program->n_delegates, sizeof(*search.kept));
    if (!search.kept)
        dg_out_of_memory();
    status = find_kept(&search, input, err);
    if (!status && search.n_kept)
        find_state(&search);
    free(search.kept);
    return status;
}
