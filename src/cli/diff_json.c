/* Differences for programs: all of them. */
#include "base/json_writer.h"
#include "cli/diff_print.h"

static void put_sizes(struct dg_json_writer *json, const char *key,
                      const struct dg_diff_sizes *sizes)
{
    dg_put_object(json, key);
    dg_put_int(json, "file", sizes->file);
    dg_put_int(json, "weights", sizes->weights);
    dg_put_int(json, "blobs", sizes->blobs);
    dg_put_int(json, "rest", dg_diff_rest(sizes));
    dg_put_end(json);
}

static void put_item(struct dg_json_writer *json, const struct dg_difference *item)
{
    const char *class = dg_diff_class_name(item->class);

    dg_put_line(json);
    dg_put_object(json, NULL);
    dg_put_text(json, "kind", dg_text(dg_diff_kind_name(item->kind)));
    dg_put_text(json, "change", dg_text(dg_diff_change_name(item->change)));
    dg_put_text(json, "ignored_by", dg_text(class));
    dg_put_text(json, "method", item->method);
    dg_put_text(json, "graph", item->graph);
    dg_put_text(json, "module", item->module);
    dg_put_text(json, "what", item->what);
    dg_put_text(json, "name", item->name);
    dg_put_text(json, "old", item->old);
    dg_put_text(json, "new", item->new);
    dg_put_text(json, "note", item->note);
    dg_put_int(json, "count", item->count);
    dg_put_end(json);
}

void dg_write_diff_json(struct dg_writer *out, const struct dg_diff_answer *answer)
{
    struct dg_json_writer json = {.out = out};
    const struct dg_diff *diff = answer->diff;
    struct dg_writer sentence = {0};

    dg_diff_write_sentence(&sentence, diff);
    dg_put_object(&json, NULL);
    dg_put_int(&json, "schema_version", 1);
    dg_put_text(&json, "old", dg_text(answer->paths[0]));
    dg_put_text(&json, "new", dg_text(answer->paths[1]));
    if (dg_diff_result(diff) == DG_DIFF_UNKNOWN)
        dg_put_text(&json, "same", (struct dg_text){0});
    else
        dg_put_bool(&json, "same", dg_diff_result(diff) == DG_DIFF_SAME);
    dg_put_text(&json, "summary", dg_written(&sentence));
    dg_put_object(&json, "bytes");
    put_sizes(&json, "old", &diff->sizes[0]);
    put_sizes(&json, "new", &diff->sizes[1]);
    dg_put_end(&json);
    dg_put_array(&json, "not_compared");
    for (size_t i = 0; i < diff->n_unknown; i++)
        dg_put_text(&json, NULL, diff->unknown[i]);
    dg_put_end(&json);
    dg_put_array(&json, "differences");
    for (size_t i = 0; i < diff->n_items; i++)
        put_item(&json, &diff->items[i]);
    dg_put_end(&json);
    dg_put_end(&json);
    dg_json_written(&json);
    dg_print(out, "\n");
    dg_writer_clear(&sentence);
}
