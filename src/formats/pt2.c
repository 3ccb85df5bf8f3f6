/* .pt2 archives: torch.export in all its layouts, and what ExecuTorch saves with it. */
#include "formats/pt2.h"

#include <stdlib.h>

#include "formats/foreign.h"
#include "formats/reader.h"

static void find_root(struct dg_pt2 *pt2)
{
    struct dg_text name = pt2->zip.n_entries ? pt2->zip.entries[0].name : dg_text("");
    const char *slash = name.size ? memchr(name.data, '/', name.size) : NULL;

    pt2->root =
        (struct dg_text){name.data, slash ? (size_t)(slash - name.data) + 1 : 0};
}

static enum dg_status read_weights(struct dg_pt2 *pt2, struct dg_text model,
                                   int64_t method, bool weights)
{
    const char *folder = weights ? "weights" : "constants";
    const struct dg_zip_entry *config =
        dg_pt2_find(pt2, "data/%s/%.*s_%s_config.json", folder, (int)model.size,
                    model.data, folder);
    const struct dg_zip_entry *pickled =
        dg_pt2_find(pt2, "data/%s/%.*s.pt", folder, (int)model.size, model.data);

    if (config)
        return dg_pt2_payloads(pt2, config, method, weights);
    if (pickled)
        return dg_pt2_state_dict(pt2, pickled, method, weights);
    dg_remark(pt2->program, "format/pt2-archive",
              "the archive does not say where the %s of model %s are", folder,
              dg_pt2_label(pt2, model))
        ->method = method;
    return DG_OK;
}

static enum dg_status read_data(struct dg_pt2 *pt2, struct dg_text model,
                                int64_t method)
{
    const struct dg_zip_entry *samples =
        dg_pt2_find(pt2, "data/sample_inputs/%.*s.pt", (int)model.size, model.data);
    enum dg_status status;

    pt2->n_constants = 0;
    status = read_weights(pt2, model, method, true);
    if (!status)
        status = read_weights(pt2, model, method, false);
    if (!status && samples)
        status = dg_pt2_samples(pt2, samples, method);
    if (!status)
        dg_pt2_taken_weights(pt2, method);
    return status;
}

static struct dg_text model_of(const struct dg_pt2 *pt2,
                               const struct dg_zip_entry *entry)
{
    struct dg_text name = dg_pt2_inner_name(pt2, entry);

    if (!dg_text_begins(name, "models/") || !dg_pt2_ends(name, ".json") ||
        name.size < 13)
        return (struct dg_text){0};
    return (struct dg_text){name.data + 7, name.size - 12};
}

static enum dg_status read_models(struct dg_pt2 *pt2)
{
    enum dg_status status = DG_OK;
    size_t count = 0;

    for (size_t i = 0; i < pt2->zip.n_entries; i++)
        count += model_of(pt2, &pt2->zip.entries[i]).data != NULL;
    for (size_t i = 0; !status && i < pt2->zip.n_entries; i++) {
        struct dg_text model = model_of(pt2, &pt2->zip.entries[i]);
        size_t graph = pt2->program->n_graphs, from = pt2->program->n_constants;
        struct dg_text name = model;

        if (!model.data)
            continue;
        if (count == 1)
            name = dg_text("forward");
        else
            name = dg_text(dg_pt2_label(pt2, model));
        status = dg_pt2_read_model(pt2, &pt2->zip.entries[i], name);
        if (!status)
            status = read_data(pt2, model, (int64_t)pt2->program->n_methods - 1);
        if (!status)
            dg_pt2_name_buffers(pt2, (int64_t)graph, from);
    }
    return status;
}

static struct dg_text content_text(struct dg_pt2 *pt2, const struct dg_zip_entry *entry)
{
    struct dg_bytes content = {0};
    struct dg_text text;

    if (!entry || entry->size > 64 || dg_pt2_read(pt2, entry, &content))
        return (struct dg_text){0};
    text = (struct dg_text){(const char *)content.data, content.size};
    while (text.size && (unsigned char)text.data[text.size - 1] <= ' ')
        text.size--;
    return text;
}

static enum dg_status read_present(struct dg_pt2 *pt2)
{
    struct dg_text format = content_text(pt2, dg_pt2_find(pt2, "archive_format"));
    struct dg_text version = content_text(pt2, dg_pt2_find(pt2, "archive_version"));
    enum dg_status status;

    if (!dg_text_is(format, "pt2"))
        return dg_fail(pt2->err, DG_ERR_FORMAT,
                       "archive_format says \"%s\", expected \"pt2\"",
                       dg_pt2_label(pt2, format));
    if (version.size && !dg_text_is(version, "0"))
        return dg_fail(pt2->err, DG_ERR_FORMAT,
                       "archive version %s is not understood, expected 0",
                       dg_pt2_label(pt2, version));
    pt2->archive_version = version.size ? version : dg_text("0");
    pt2->program->container = dg_text("pt2 archive 0");
    dg_pt2_add_segments(pt2);
    status = read_models(pt2);
    if (!status)
        status = dg_pt2_libraries(pt2);
    if (!status && !pt2->program->n_methods)
        pt2->program->version = dg_text(
            "{\"schema\":null,\"torch\":null,\"opset\":null,\"archive\":\"0\"}");
    return status;
}

static const struct dg_zip_entry *top(struct dg_pt2 *pt2, const char *name)
{
    return dg_zip_find(&pt2->zip, dg_text(name));
}

enum dg_status dg_pt2_read_parts(struct dg_pt2 *pt2, const struct dg_pt2_parts *parts,
                                 struct dg_text name)
{
    size_t graph = pt2->program->n_graphs, from = pt2->program->n_constants;
    enum dg_status status = dg_pt2_read_model(pt2, parts->model, name);
    int64_t method = (int64_t)pt2->program->n_methods - 1;

    pt2->n_constants = 0;
    if (!status && parts->weights)
        status = dg_pt2_state_dict(pt2, parts->weights, method, true);
    if (!status && parts->constants)
        status = dg_pt2_state_dict(pt2, parts->constants, method, false);
    if (!status && parts->samples)
        status = dg_pt2_samples(pt2, parts->samples, method);
    if (!status) {
        dg_pt2_taken_weights(pt2, method);
        dg_pt2_name_buffers(pt2, (int64_t)graph, from);
    }
    return status;
}

/* torch <= 2.7, and ExecuTorch to this day. */
static enum dg_status read_old(struct dg_pt2 *pt2, const struct dg_zip_entry *model)
{
    struct dg_text version = content_text(pt2, top(pt2, "version"));
    struct dg_pt2_parts parts = {model, top(pt2, "serialized_state_dict.pt"),
                                 top(pt2, "serialized_constants.pt"),
                                 top(pt2, "serialized_example_inputs.pt")};

    pt2->old = true;
    pt2->exir = dg_text_begins(version, "5.");
    if (version.size && !pt2->exir && !dg_text_begins(version, "8.") &&
        !dg_text_is(version, "0.0"))
        return dg_fail(pt2->err, DG_ERR_FORMAT,
                       "schema version %s is not understood, expected 8 or 5",
                       dg_pt2_label(pt2, version));
    pt2->program->container = dg_text(pt2->exir ? "exir archive" : "torch 2.7 archive");
    dg_pt2_add_segments(pt2);
    return dg_pt2_read_parts(pt2, &parts, dg_text("forward"));
}

static bool has(void *context, const char *entry)
{
    return top(context, entry) || dg_pt2_find(context, "%s", entry);
}

static void remark_on_unknown(struct dg_pt2 *pt2)
{
    struct dg_writer out = {0};

    for (size_t i = 0; i < pt2->unknown.n_names && i < 8; i++)
        dg_print(&out, "%s%s", i ? ", " : "",
                 dg_pt2_label(pt2, pt2->unknown.names[i].text));
    if (pt2->n_unknown)
        dg_remark(pt2->program, "format/unknown-field",
                  "%zu fields or variants that this version does not know: %s%s",
                  pt2->n_unknown, out.data, pt2->unknown.n_names > 8 ? ", ..." : "");
    dg_writer_clear(&out);
}

static enum dg_status read_archive(struct dg_pt2 *pt2, bool verify_all)
{
    const struct dg_zip_entry *old;
    enum dg_status status;

    pt2->crc_wrong = dg_alloc(&pt2->program->memory, pt2->zip.n_entries + 1, 1);
    find_root(pt2);
    old = top(pt2, "serialized_exported_program.json");
    if (dg_pt2_find(pt2, "archive_format"))
        status = read_present(pt2);
    else if (old)
        status = read_old(pt2, old);
    else if (top(pt2, "ETRECORD_V0"))
        status = dg_pt2_read_etrecord(pt2);
    else
        status = dg_foreign_refuse_zip(has, pt2, pt2->err);
    if (!status && verify_all)
        status = dg_pt2_verify(pt2);
    if (!status) {
        dg_pt2_order(pt2->program);
        dg_pt2_remark_on_crc(pt2);
        remark_on_unknown(pt2);
    }
    return status;
}

static void clear(struct dg_pt2 *pt2)
{
    dg_arena_adopt(&pt2->program->memory, &pt2->zip.memory);
    dg_arena_adopt(&pt2->program->memory, &pt2->names);
    dg_names_clear(&pt2->targets);
    dg_names_clear(&pt2->traces);
    dg_names_clear(&pt2->stacks);
    dg_names_clear(&pt2->expressions);
    dg_names_clear(&pt2->metas);
    dg_names_clear(&pt2->unknown);
    free(pt2->types);
    dg_writer_clear(&pt2->scratch);
    dg_writer_clear(&pt2->label);
    free(pt2->target_list);
    free(pt2->expression_texts);
    free(pt2->taken);
}

static enum dg_status read_as(struct dg_bytes file, bool verify_all, bool whole,
                              struct dg_program *program, struct dg_error *err)
{
    struct dg_pt2 pt2 = {.program = program, .file = file, .whole = whole, .err = err};
    enum dg_status status = dg_zip_open(&pt2.zip, file, err);

    program->kind = "pt2";
    if (!status)
        status = read_archive(&pt2, verify_all);
    clear(&pt2);
    return status;
}

static enum dg_status read_file(struct dg_bytes file, bool verify_all,
                                struct dg_program *program, struct dg_error *err)
{
    return read_as(file, verify_all, false, program, err);
}

static enum dg_status read_whole(struct dg_bytes file, bool verify_all,
                                 struct dg_program *program, struct dg_error *err)
{
    return read_as(file, verify_all, true, program, err);
}

const struct dg_reader dg_pt2_with_weights = {"pt2", dg_zip_recognises, read_whole};
const struct dg_reader dg_reader_pt2 = {"pt2", dg_zip_recognises, read_file};
