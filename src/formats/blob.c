/* Reading each blob of a file once, whichever delegates have it. */
#include "formats/blob.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/dtype.h"

static const struct dg_blob_reader *const readers[] = {
#define BLOB(name) &dg_blob_reader_##name,
#include "formats/blob_list.h"
#undef BLOB
};

const struct dg_blob_reader *dg_blob_reader(struct dg_text backend)
{
    for (size_t i = 0; i < sizeof(readers) / sizeof(*readers); i++) {
        if (dg_text_is(backend, readers[i]->backend))
            return readers[i];
    }
    return NULL;
}

enum dg_status dg_blob_verify(const struct dg_blob *blob, struct dg_bytes graph,
                              const struct dg_table_type *root, size_t *n_unknown,
                              struct dg_error *err)
{
    struct dg_error inside = {0};
    enum dg_status status = dg_flatbuffer_verify(graph, root, n_unknown, &inside);

    if (!status || graph.data == blob->bytes.data) {
        *err = inside;
        return status;
    }
    return dg_fail(err, status, "its graph at byte %td: %.400s",
                   graph.data - blob->bytes.data, inside.text);
}

/* Delegates that share their blob name the same bytes. */
static struct dg_text place_of(struct dg_bytes bytes, struct dg_arena *memory)
{
    const void *place[] = {bytes.data, bytes.data + bytes.size};

    return dg_copy_text(memory, (struct dg_text){(const char *)place, sizeof(place)});
}

static uint8_t bytes_of_element(const struct dg_delegate_value_row *value)
{
    const struct dg_dtype *dtype =
        value->dtype ? dg_dtype_of_name(dg_text(value->dtype)) : NULL;

    return dtype && value->nbytes != DG_NONE ? (uint8_t)dtype->bytes : 0;
}

/* Operands are numbered without a gap, so that there are no more than values. */
static bool is_operand(const struct dg_delegate_value_row *value, size_t n_values)
{
    return value->flags & (DG_BLOB_INPUT | DG_BLOB_OUTPUT) && value->external_id >= 0 &&
           (uint64_t)value->external_id < n_values;
}

/* A node writes what it gives, whatever the value is said to be. */
static bool is_written(const struct dg_delegate_value_row *value)
{
    return value->flags & DG_BLOB_OUTPUT || value->node != DG_NONE;
}

static struct dg_blob_call call_of(struct dg_blobs *blobs, int64_t graph)
{
    const struct dg_delegate_graph_row *rows = &blobs->program->delegate_graphs[graph];
    const struct dg_delegate_value_row *values =
        blobs->program->delegate_values + rows->first_value;
    struct dg_blob_call call = {0};

    for (size_t i = 0; i < rows->n_values; i++) {
        if (is_operand(&values[i], rows->n_values) &&
            (size_t)values[i].external_id >= call.n)
            call.n = (size_t)values[i].external_id + 1;
    }
    call.operands = dg_alloc(&blobs->memory, call.n, sizeof(*call.operands));
    for (size_t i = 0; i < rows->n_values; i++) {
        if (is_operand(&values[i], rows->n_values))
            call.operands[values[i].external_id] = (struct dg_blob_operand){
                bytes_of_element(&values[i]), true, is_written(&values[i])};
    }
    return call;
}

static int64_t read_graph(struct dg_blobs *blobs, int64_t delegate,
                          const struct dg_blob_reader *reader)
{
    struct dg_program *program = blobs->program;
    const struct dg_delegate_row *row = &program->delegates[delegate];
    struct dg_blob blob = {row->blob, row->blob_offset};
    struct dg_delegate_graph_row *graph = dg_add_delegate_graph(program);
    struct dg_error err = {0};
    char where[64] = "";

    graph->method = row->method;
    graph->path = dg_format(&program->memory, "delegate_%" PRId64, row->idx);
    graph->kind = "delegate";
    graph->format = reader->format;
    if (!reader->read(&blob, program, &err)) {
        int64_t read = (int64_t)program->n_delegate_graphs - 1;

        *DG_APPEND(blobs->calls, blobs->n_calls) =
            reader->binds ? call_of(blobs, read) : (struct dg_blob_call){0};
        return read;
    }
    program->n_delegate_graphs--;
    if (row->blob_offset >= 0)
        snprintf(where, sizeof(where), " at byte %" PRId64 " of the file",
                 row->blob_offset);
    dg_remark(program, "blob/format", "the blob of delegate %" PRId64 " (%.*s)%s: %s",
              row->idx, (int)row->backend.size, row->backend.data, where, err.text)
        ->method = row->method;
    return DG_NONE;
}

/* Blobs may overlap: what all of them cost is bounded by the file. */
static bool spend(struct dg_blobs *blobs, uint64_t bytes)
{
    if (bytes <= blobs->effort) {
        blobs->effort -= bytes;
        return true;
    }
    if (!blobs->exhausted)
        dg_remark(blobs->program, "format/lists-repeated",
                  "blobs of delegates overlap so often that some were not read");
    blobs->exhausted = true;
    return false;
}

void dg_blobs_read(struct dg_blobs *blobs, int64_t delegate)
{
    struct dg_program *program = blobs->program;
    const struct dg_delegate_row *row = &program->delegates[delegate];
    const struct dg_blob_reader *reader = dg_blob_reader(row->backend);
    uint32_t n_places = blobs->places.n_texts, place;

    if (!reader || !row->blob.size)
        return;
    place = dg_text_set_add(&blobs->places, place_of(row->blob, &blobs->memory));
    if (place == n_places) {
        *DG_APPEND(blobs->graphs, n_places) = spend(blobs, row->blob.size)
                                                  ? read_graph(blobs, delegate, reader)
                                                  : DG_NONE;
    }
    program->delegates[delegate].inside = blobs->graphs[place];
}

struct dg_blob_call dg_blobs_call(const struct dg_blobs *blobs, int64_t delegate)
{
    int64_t graph = blobs->program->delegates[delegate].inside;

    return graph == DG_NONE ? (struct dg_blob_call){0} : blobs->calls[graph];
}

void dg_blobs_clear(struct dg_blobs *blobs)
{
    dg_arena_clear(&blobs->memory);
    free(blobs->calls);
    dg_text_set_clear(&blobs->places);
    free(blobs->graphs);
}
