/* show: one object in full, with its neighbours. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/numeral.h"
#include "cli/artifact_option.h"
#include "cli/objects.h"
#include "cli/options.h"
#include "cli/show_program.h"
#include "formats/input.h"
#include "reports/rows.h"
#include "verifiers/verifier.h"

struct given {
    const char *format, *output, *program, *artifact;
};

static const struct dg_option options[] = {
    {DG_OPTION_CHOICE, "format", 0, "text|json", offsetof(struct given, format),
     "text for people (default), json for programs"},
    {DG_OPTION_FILE, "program", 0, "FILE", offsetof(struct given, program),
     "of a .pte the .pt2 that it was lowered from, or the reverse: what a node came "
     "from"
     " or became"},
    DG_ARTIFACT_OPTION(struct given, artifact),
    {DG_OPTION_OUTPUT, "output", 'o', "FILE", offsetof(struct given, output),
     "write there instead of to standard output"},
    {0},
};

enum { MOST_SHOWN = 20 };

struct show {
    struct dg_writer *out;
    struct dg_store *store;
    bool json;
    int n_shown;
    int64_t n_more; /* of the same name, not shown */
    struct dg_error *err;
};

static void write_facts(struct dg_writer *out, const struct dg_rows *rows)
{
    for (int i = 0; i < dg_rows_columns(rows); i++) {
        size_t size;
        const char *name = dg_row_column(rows, i, &size);

        if (!dg_rows_slice(rows, i).size)
            continue;
        dg_print(out, "  %-14.*s ", (int)size, name);
        dg_write_cell_text(out, rows, i);
        dg_print(out, "\n");
    }
}

static enum dg_status show_part(struct show *show, const struct dg_object_part *part,
                                int64_t id)
{
    struct dg_writer table = {0};
    struct dg_rows rows;
    enum dg_status status;

    if (show->json) {
        dg_print(show->out, ",\"%s\":", part->key);
        return dg_write_query(show->out, show->store, part->sql, id, show->err);
    }
    status = dg_rows_open(&rows, show->store, part->sql, show->err);
    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, id);
    status = dg_write_table(&table, &rows, 4, true, show->err);
    if (table.size)
        dg_print(show->out, "  %s\n%s", part->key, table.data);
    dg_writer_clear(&table);
    return status;
}

static enum dg_status show_object(struct show *show, const struct dg_object *object,
                                  int64_t id)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(&rows, show->store, object->row, show->err);
    bool found;

    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, id);
    found = dg_rows_next(&rows);
    if (found && show->json) {
        dg_print(show->out, "%s\n{\"thing\":\"%s\",", show->n_shown ? "," : "",
                 object->kind);
        dg_write_members(show->out, &rows);
    } else if (found) {
        dg_print(show->out, "%s%s#%lld\n", show->n_shown ? "\n" : "", object->kind,
                 (long long)id);
        write_facts(show->out, &rows);
    }
    status = dg_rows_close(&rows, DG_OK, show->err);
    for (const struct dg_object_part *p = object->parts; found && !status && p->key;
         p++)
        status = show_part(show, p, id);
    if (found && show->json)
        dg_print(show->out, "}");
    show->n_shown += found;
    return status;
}

static enum dg_status show_named(struct show *show, const struct dg_object *object,
                                 const char *name)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(&rows, show->store, object->find, show->err);

    if (status)
        return status;
    dg_rows_bind_text(&rows, 1, dg_text(name));
    while (!status && dg_rows_next(&rows)) {
        if (show->n_shown < MOST_SHOWN)
            status = show_object(show, object, dg_rows_int(&rows, 0));
        else
            show->n_more++;
    }
    return dg_rows_close(&rows, status, show->err);
}

/* "node#12", or "#12" for a node. */
static const struct dg_object *object_of(const char *wanted, int64_t *id)
{
    const char *number = strchr(wanted, '#');
    size_t size = number ? (size_t)(number - wanted) : 0;

    if (!number || !dg_read_count(id, number + 1))
        return NULL;
    for (const struct dg_object *object = dg_objects; object->kind; object++) {
        if (!size ||
            (strlen(object->kind) == size && !memcmp(object->kind, wanted, size)))
            return object;
    }
    return NULL;
}

/* "valu#3": the kind is wrong, not the number; of a kind that there is, the number is.
 */
static const char *near_kind(const char *wanted, struct dg_arena *memory)
{
    const char *number = strchr(wanted, '#'), *names[32], *near;
    size_t n = 0;

    if (!number || !number[1] || number[1 + strspn(number + 1, "0123456789")])
        return NULL;
    for (const struct dg_object *object = dg_objects; object->kind && n < 32; object++)
        names[n++] = object->kind;
    near = dg_nearest(dg_format(memory, "%.*s", (int)(number - wanted), wanted).data,
                      names, n);
    if (!near || dg_text_is((struct dg_text){wanted, (size_t)(number - wanted)}, near))
        return NULL;
    return dg_format(memory, "%s%s", near, number).data;
}

static bool is_zero_number(const char *wanted)
{
    const char *number = strchr(wanted, '#');

    return number && !strcmp(number, "#0");
}

static enum dg_status refuse(struct show *show, const char *wanted)
{
    struct dg_arena memory = {0};
    const char **names = NULL, *near = near_kind(wanted, &memory);
    size_t n = 0;
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, show->store, dg_object_names, show->err);

    if (status)
        return status;
    while (dg_rows_next(&rows))
        *DG_APPEND(names, n) = dg_copy(&memory, dg_rows_slice(&rows, 0));
    if (!near && !strchr(wanted, '#'))
        near = dg_nearest(wanted, names, n);
    status = dg_fail(show->err, DG_ERR_USAGE,
                     "nothing in it has the name or number \"%.120s\"%s%.120s%s",
                     wanted, near ? "; did you mean " : "", near ? near : "",
                     near                     ? "?"
                     : is_zero_number(wanted) ? "; numbers count from 1"
                                              : "");
    free(names);
    dg_arena_clear(&memory);
    return dg_rows_close(&rows, status, show->err);
}

/* A rule that runs on request runs for who asks. Others run together: that numbers
 * findings as check does. */
static enum dg_status find(struct show *show, const char *wanted)
{
    const struct dg_rule *rule = dg_rule_find(wanted, NULL);
    struct dg_selection selection = {0};

    if (rule && rule->runs != DG_RUNS_ALWAYS)
        selection = (struct dg_selection){.select = &wanted, .n_select = 1};
    return dg_verify(show->store, &selection, NULL, NULL, show->err);
}

static enum dg_status show_wanted(struct show *show, const char *wanted)
{
    int64_t id = 0;
    const struct dg_object *object = object_of(wanted, &id);
    enum dg_status status = DG_OK;
    bool findings = !strncmp(wanted, "finding#", 8) || strchr(wanted, '/');

    if (findings)
        status = find(show, wanted);
    if (object && !status)
        status = show_object(show, object, id);
    for (object = dg_objects; object->kind && !show->n_shown && !status; object++)
        status = show_named(show, object, wanted);
    return status || show->n_shown ? status : refuse(show, wanted);
}

static int run(int argc, char **argv)
{
    struct given given = {.format = "text"};
    struct dg_input input = {0};
    struct dg_writer out = {0};
    struct dg_error err = {0};
    struct show show = {.out = &out, .err = &err};
    enum dg_status status;

    if (dg_options_parse(&given, &dg_command_show, &argc, argv, &err))
        return dg_complain(&err);
    show.json = !strcmp(given.format, "json");
    status = dg_input_open(&input, argv[1], DG_HASH_NONE, &err);
    if (!status)
        status = dg_artifact_choose(&input, given.artifact, &err);
    show.store = input.store;
    if (show.json)
        dg_print(&out, "{\"schema_version\":1,\"things\":[");
    if (!status)
        status = show_wanted(&show, argv[2]);
    dg_input_close(&input);
    if (status) {
        dg_writer_clear(&out);
        return dg_complain_about(argv[1], &err);
    }
    if (show.json)
        dg_print(&out, "],\"more\":%lld", (long long)show.n_more);
    else if (show.n_more)
        dg_print(&out, "\n%lld more have that name: see ls\n", (long long)show.n_more);
    if (given.program)
        status = dg_show_other(
            &out, show.json,
            &(struct dg_shown_pair){argv[1], given.program, given.artifact}, argv[2],
            &err);
    if (status) {
        dg_writer_clear(&out);
        return dg_complain_about(argv[1], &err);
    }
    if (show.json)
        dg_print(&out, "}\n");
    return dg_deliver(given.output, &out, DG_EXIT_FINE);
}

const struct dg_command dg_command_show = {
    .name = "show",
    .synopsis = "FILE NAME|KIND#ID",
    .summary = "one node, value, delegate, operator, segment... with its neighbours",
    .help = "KIND: node (also plain #ID), value, delegate, delegate_node, op, segment, "
            "constant, method,\nlibrary, gpu_code, finding.\nA name may be that of a "
            "node, value, operator, backend, archive "
            "entry, weight, method\nor key of named data, or the id of a rule, for "
            "what it found.\n\n"
            "Examples:\n"
            "  delegraph show model.pt2 add_3\n"
            "  delegraph show model.pte value#7\n"
            "  delegraph show model.pte op_0/Conv2d_4 --program model.pt2\n",
    .run = run,
    .options = options,
    .least = 2,
    .most = 2,
    .files = 1,
};
