/* What a store is told of its target, the devices predicted for its programs, and a
 * program together with a file that belongs to it. */
#include "robust/swallow_pair.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/devices_print.h"
#include "formats/reader.h"
#include "verifiers/budget_parts.h"

static void insist(bool holds, const char *what, const struct dg_error *err)
{
    if (holds)
        return;
    fprintf(stderr, "%s: status %d: %s\n", what, (int)err->status, err->text);
    abort();
}

void swallow_settings(struct dg_store *store)
{
    static const char *const settings[][2] = {
        {"op", "aten::add.out"},     {"method", "forward"},
        {"method", "it's \"gone\""}, {"backend", "XnnpackBackend"},
        {"for", "executorch"},       {"skip-h2d-inputs", "1"},
    };
    struct dg_error err = {0};

    for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
        insist(!dg_store_set(store, settings[i][0], dg_text(settings[i][1]), &err),
               "a setting is kept", &err);
    for (const struct dg_measure *measure = dg_measures; measure->name; measure++) {
        char name[80];

        snprintf(name, sizeof(name), "limit.%s", measure->name);
        insist(!dg_store_set(store, name, dg_text("0.5"), &err), "a limit is kept",
               &err);
        insist(!dg_store_set(store, name, dg_text(measure->least ? "-0" : "+0"), &err),
               "a limit of growth is kept", &err);
    }
    insist(!dg_budget_compare(store, store, "old", &err), "a program is measured",
           &err);
}

static void print(const struct dg_devices_report *report)
{
    struct dg_writer out = {0};
    const struct dg_error none = {0};

    dg_write_devices_json(&out, report);
    insist(dg_is_utf8((struct dg_text){out.data, out.size}), "JSON is UTF-8", &none);
    dg_write_devices_text(&out, report);
    dg_writer_clear(&out);
}

static void predict(struct dg_store *store, struct dg_store *emitted, int64_t graph,
                    struct dg_text method)
{
    const struct dg_device_options options = {.skip_inputs = graph & 1,
                                              .skip_outputs = graph & 2};
    struct dg_devices devices = {0};
    struct dg_device_differences differences = {0};
    struct dg_devices_report report = {.devices = &devices, .method = method};
    struct dg_error err = {0};

    if (dg_devices_find(&devices, store, graph, &options, &err)) {
        insist(err.text[0] && err.status == DG_ERR_FORMAT, "devices are found", &err);
    } else {
        if (emitted && !devices.failure.data) {
            insist(!dg_devices_compare(&differences, &devices, store, emitted, method,
                                       &err),
                   "devices are compared", &err);
            report.differences = &differences;
        }
        print(&report);
    }
    dg_device_differences_clear(&differences);
    dg_devices_clear(&devices);
}

void swallow_devices(struct dg_store *store, struct dg_store *emitted)
{
    struct dg_rows rows;
    struct dg_error err = {0};
    enum dg_status status =
        dg_rows_open(&rows, store,
                     "SELECT g.id, method.name FROM method JOIN \"graph\" AS g"
                     "  ON g.method_id = method.id AND g.path = '' AND ir <> 'pte'",
                     &err);

    insist(!status, "methods are listed", &err);
    while (dg_rows_next(&rows))
        predict(store, emitted, dg_rows_int(&rows, 0), dg_rows_slice(&rows, 1));
    insist(!dg_rows_close(&rows, DG_OK, &err), "methods are listed", &err);
}

/* Whether `reader` takes them; a refusal says why. */
static bool add(struct dg_store *store, const struct dg_reader *reader,
                struct dg_bytes bytes, const char *role)
{
    const struct dg_file file = {.path = "input",
                                 .bytes = bytes,
                                 .hash = DG_HASH_QUICK,
                                 .companion_of = role ? 1 : 0,
                                 .role = role};
    struct dg_program program = {0};
    struct dg_error err = {0};
    enum dg_status status = reader->read(bytes, false, &program, &err);

    insist(!status || (status == DG_ERR_FORMAT && err.text[0]), "a refusal says why",
           &err);
    if (!status)
        insist(!dg_store_add_program(store, &program, &file, &err),
               "a program is stored", &err);
    dg_program_clear(&program);
    return !status;
}

static struct dg_store *create(void)
{
    struct dg_store *store;
    struct dg_error err = {0};

    insist(!dg_store_create(&store, &err), "a store opens", &err);
    return store;
}

/* As check does it: what is joined comes after the commit. */
static void check_pair(struct dg_store *store, const struct dg_reader *reader,
                       struct dg_bytes companion)
{
    const struct dg_selection all = {0};
    struct dg_error err = {0};

    insist(!dg_store_commit(store, &err), "a store is finished", &err);
    if (!add(store, reader, companion, reader == &dg_reader_ptd ? "data" : "program"))
        return;
    swallow_settings(store);
    insist(!dg_verify(store, &all, NULL, NULL, &err), "every rule runs", &err);
}

void swallow_pair(struct dg_bytes pte, struct dg_bytes companion)
{
    const struct dg_reader *reader = NULL;
    struct dg_error err = {0};
    struct dg_store *store, *origin;

    if (dg_reader_find(&reader, companion, &err) || reader == &dg_reader_pte)
        return;
    store = create();
    origin = create();
    if (add(store, &dg_reader_pte, pte, NULL)) {
        check_pair(store, reader, companion);
        if (reader == &dg_reader_pt2 && add(origin, reader, companion, NULL) &&
            !dg_store_commit(origin, &err))
            swallow_devices(origin, store);
    }
    dg_store_close(origin);
    dg_store_close(store);
}
