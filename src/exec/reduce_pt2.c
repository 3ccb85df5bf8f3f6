/* A reduced part as a .pt2: what torch.export.load opens. */
#include <stdlib.h>
#include <string.h>

#include "exec/reduce_pt2.h"
#include "formats/torch_save.h"
#include "formats/zip_write.h"

static void index_names(struct dg_part_writing *writing)
{
    const struct dg_schedule *part = writing->part;

    writing->slots =
        dg_alloc(&writing->memory, part->n_slots + 1, sizeof(*writing->slots));
    for (uint32_t slot = 0; slot < part->n_slots; slot++) {
        uint32_t n = writing->names.n_texts, number;

        if (!part->slots[slot].name)
            continue;
        number = dg_text_set_add(&writing->names, dg_text(part->slots[slot].name));
        if (number == n)
            writing->slots[number] = slot;
    }
}

static void note_weight(void *data, uint32_t slot)
{
    struct dg_part_writing *writing = data;

    if (!dg_part_has_weight(writing, slot) || !dg_part_has_tensor(writing, slot))
        return;
    for (size_t i = 0; i < writing->n_weights; i++) {
        if (writing->weights[i] == slot)
            return;
    }
    writing->weights[writing->n_weights++] = slot;
}

static void find_weights(struct dg_part_writing *writing)
{
    const struct dg_schedule *part = writing->part;

    writing->weights =
        dg_alloc(&writing->memory, part->n_slots + 1, sizeof(*writing->weights));
    for (size_t i = 0; i < part->n_steps; i++)
        dg_step_reads(&part->steps[i], note_weight, writing);
}

/* The name of a weight in the program. */
static const char *weight_name(const struct dg_part_writing *writing, size_t i)
{
    const struct dg_schedule *part = writing->part;
    uint32_t slot = writing->weights[i];
    const struct dg_schedule *whole = writing->repro->whole;

    for (size_t k = 0; k < whole->n_inputs; k++) {
        if (whole->inputs[k].slot == slot && whole->inputs[k].target)
            return whole->inputs[k].target;
    }
    return part->slots[slot].name;
}

/* Weights are buffers: those of whole numbers cannot be parameters. */
static void put_signature(struct dg_part_writing *writing)
{
    struct dg_json_writer *json = &writing->json;
    const struct dg_schedule *part = writing->part;

    dg_put_object(json, "signature");
    dg_put_array(json, "input_specs");
    for (size_t i = 0; i < writing->n_weights; i++) {
        dg_put_object(json, NULL);
        dg_put_object(json, "buffer");
        dg_part_put_named(writing, "arg",
                          dg_text(part->slots[writing->weights[i]].name));
        dg_put_text(json, "buffer_name", dg_text(weight_name(writing, i)));
        dg_put_bool(json, "persistent", true);
        dg_put_end(json);
        dg_put_end(json);
    }
    for (size_t i = 0; i < part->n_inputs; i++) {
        if (!dg_part_has_tensor(writing, part->inputs[i].slot))
            continue;
        dg_put_object(json, NULL);
        dg_put_object(json, "user_input");
        dg_part_put_tensor(writing, "arg", part->inputs[i].name);
        dg_put_end(json);
        dg_put_end(json);
    }
    dg_put_end(json);
    dg_put_array(json, "output_specs");
    for (size_t i = 0; i < part->n_outputs; i++) {
        dg_put_object(json, NULL);
        dg_put_object(json, "user_output");
        dg_part_put_tensor(writing, "arg", part->outputs[i].name);
        dg_put_end(json);
        dg_put_end(json);
    }
    dg_put_end(json);
    dg_put_end(json);
}

static size_t count_inputs(const struct dg_part_writing *writing)
{
    size_t n = 0;

    for (size_t i = 0; i < writing->part->n_inputs; i++)
        n += dg_part_has_tensor(writing, writing->part->inputs[i].slot);
    return n;
}

/* A tuple of `n` leaves, as torch.utils._pytree writes it. */
static void put_tuple(struct dg_writer *out, size_t n)
{
    dg_print(out,
             "{\"type\":\"builtins.tuple\",\"context\":\"null\",\"children_spec\":[");
    for (size_t i = 0; i < n; i++)
        dg_print(out, "%s{\"type\":null,\"context\":null,\"children_spec\":[]}",
                 i ? "," : "");
    dg_print(out, "]}");
}

static void put_calling(struct dg_part_writing *writing)
{
    struct dg_json_writer *json = &writing->json;
    struct dg_writer in = {0}, out = {0};

    dg_print(&in, "[1,{\"type\":\"builtins.tuple\",\"context\":\"null\","
                  "\"children_spec\":[");
    put_tuple(&in, count_inputs(writing));
    dg_print(&in,
             ",{\"type\":\"builtins.dict\",\"context\":\"[]\",\"children_spec\":[]}"
             "]}]");
    dg_print(&out, "[1,");
    put_tuple(&out, writing->part->n_outputs);
    dg_print(&out, "]");
    dg_put_array(json, "module_call_graph");
    dg_put_object(json, NULL);
    dg_put_text(json, "fqn", dg_text(""));
    dg_put_object(json, "signature");
    dg_put_array(json, "inputs");
    dg_put_end(json);
    dg_put_array(json, "outputs");
    dg_put_end(json);
    dg_put_text(json, "in_spec", (struct dg_text){in.data, in.size});
    dg_put_text(json, "out_spec", (struct dg_text){out.data, out.size});
    dg_put_null(json, "forward_arg_names");
    dg_put_end(json);
    dg_put_end(json);
    dg_put_end(json);
    dg_writer_clear(&in);
    dg_writer_clear(&out);
}

static void put_versions(struct dg_json_writer *json)
{
    dg_put_object(json, "opset_version");
    dg_put_int(json, "aten", 10);
    dg_put_end(json);
    dg_put_object(json, "range_constraints");
    dg_put_end(json);
    dg_put_object(json, "schema_version");
    dg_put_int(json, "major", 8);
    dg_put_int(json, "minor", 20);
    dg_put_end(json);
    dg_put_array(json, "verifiers");
    dg_put_text(json, NULL, dg_text("TRAINING"));
    dg_put_end(json);
    dg_put_text(json, "torch_version", dg_text("2.13.0"));
    dg_put_array(json, "guards_code");
    dg_put_end(json);
}

static enum dg_status put_model(struct dg_part_writing *writing, struct dg_writer *out)
{
    struct dg_json_writer *json = &writing->json;
    enum dg_status status;

    json->out = out;
    dg_put_object(json, NULL);
    dg_put_object(json, "graph_module");
    status = dg_part_put_graph(writing);
    put_signature(writing);
    put_calling(writing);
    dg_put_object(json, "metadata");
    dg_put_end(json);
    dg_put_object(json, "treespec_namedtuple_fields");
    dg_put_end(json);
    dg_put_end(json);
    put_versions(json);
    dg_put_end(json);
    dg_json_written(json);
    return status;
}

static void put_weights(struct dg_part_writing *writing, struct dg_writer *out)
{
    struct dg_json_writer *json = &writing->json;

    *json = (struct dg_json_writer){.out = out};
    dg_put_object(json, NULL);
    dg_put_object(json, "config");
    for (size_t i = 0; i < writing->n_weights; i++) {
        dg_put_name(json, dg_text(weight_name(writing, i)));
        dg_put_object(json, NULL);
        dg_put_text(json, "path_name", dg_format(&writing->memory, "weight_%zu", i));
        dg_put_bool(json, "is_param", false);
        dg_put_bool(json, "use_pickle", false);
        dg_put_object(json, "tensor_meta");
        dg_part_put_meta(writing,
                         dg_part_value(writing, writing->weights[i])->as.tensor);
        dg_put_end(json);
        dg_put_end(json);
    }
    dg_put_end(json);
    dg_put_end(json);
    dg_json_written(json);
}

static enum dg_status add(struct dg_zip_writer *zip, const char *name,
                          struct dg_text content)
{
    return dg_zip_add(zip, dg_text(name),
                      (struct dg_bytes){(const uint8_t *)content.data, content.size},
                      (struct dg_bytes){0});
}

static enum dg_status add_weights(struct dg_part_writing *writing,
                                  struct dg_zip_writer *zip)
{
    struct dg_writer config = {0};
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < writing->n_weights && !status; i++) {
        struct dg_bytes elements;

        status = dg_elements_in_order(
            &elements, dg_part_value(writing, writing->weights[i])->as.tensor,
            &writing->memory, writing->err);
        if (!status)
            status = dg_zip_add(
                zip, dg_format(&writing->memory, "archive/data/weights/weight_%zu", i),
                elements, (struct dg_bytes){0});
    }
    put_weights(writing, &config);
    if (!status)
        status = add(zip, "archive/data/weights/model_weights_config.json",
                     (struct dg_text){config.data, config.size});
    dg_writer_clear(&config);
    return status;
}

/* Example inputs are those that show what is wrong. */
static enum dg_status add_inputs(struct dg_part_writing *writing,
                                 struct dg_zip_writer *zip)
{
    const struct dg_value_set *set = &writing->repro->inputs;
    struct dg_arg *values =
        dg_alloc(&writing->memory, set->n_values + 1, sizeof(*values));
    struct dg_bytes saved;
    size_t n = 0;
    enum dg_status status;

    for (size_t i = 0; i < set->n_values; i++) {
        if (set->values[i].value.kind == DG_ARG_TENSOR)
            values[n++] = set->values[i].value;
    }
    status = dg_torch_save_inputs(&saved, values, n, writing->err);
    if (!status)
        status = dg_zip_add(zip, dg_text("archive/data/sample_inputs/model.pt"), saved,
                            (struct dg_bytes){0});
    free((void *)saved.data);
    return status;
}

static enum dg_status fill(struct dg_zip_writer *zip, void *data, struct dg_error *err)
{
    static const char *const notes[][2] = {{"archive/archive_format", "pt2"},
                                           {"archive/archive_version", "0"},
                                           {"archive/byteorder", "little"},
                                           {"archive/.data/version", "6\n"}};
    struct dg_part_writing *writing = data;
    struct dg_writer model = {0};
    enum dg_status status = put_model(writing, &model);

    (void)err;
    if (!status)
        status = add(zip, "archive/models/model.json",
                     (struct dg_text){model.data, model.size});
    dg_writer_clear(&model);
    if (!status)
        status = add_weights(writing, zip);
    if (!status)
        status = add(zip, "archive/data/constants/model_constants_config.json",
                     dg_text("{\"config\":{}}"));
    if (!status)
        status = add_inputs(writing, zip);
    for (int i = 0; i < 4 && !status; i++)
        status = add(zip, notes[i][0], dg_text(notes[i][1]));
    return status;
}

enum dg_status dg_repro_write_pt2(const struct dg_repro *repro, struct dg_store *store,
                                  const char *path, struct dg_error *err)
{
    struct dg_part_writing writing = {repro, &repro->part, store, .err = err};
    int64_t exir;
    enum dg_status status =
        dg_store_int_of(store, "SELECT ir = 'edge' FROM method WHERE id = ?1",
                        repro->part.method_id, 0, &exir, err);

    if (!status) {
        writing.exir = exir != 0;
        index_names(&writing);
        find_weights(&writing);
        status = dg_zip_write(path, fill, &writing, err);
    }
    dg_text_set_clear(&writing.names);
    dg_arena_clear(&writing.memory);
    return status;
}
