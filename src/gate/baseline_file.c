/* The file of a baseline: read with every mistake named, written so that it merges. */
#include <ctype.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/sorted.h"
#include "formats/input.h"
#include "formats/json.h"
#include "gate/baseline.h"
#include "gate/day.h"

enum { MOST_ENTRIES = 1000000 };

enum dg_status dg_baseline_begin(struct dg_baseline *baseline, const char *path,
                                 struct dg_error *err)
{
    char *folder = dg_copy(&baseline->memory, dg_text(path)), *real;

    baseline->path = dg_copy(&baseline->memory, dg_text(path));
    real = realpath(dirname(folder), NULL);
    baseline->folder = real ? dg_copy(&baseline->memory, dg_text(real)) : NULL;
    free(real);
    return baseline->folder
               ? DG_OK
               : dg_fail(err, DG_ERR_USAGE,
                         "--baseline %.200s: there is no such folder", path);
}

void dg_baseline_clear(struct dg_baseline *baseline)
{
    free(baseline->entries);
    dg_text_set_clear(&baseline->numbers);
    dg_arena_clear(&baseline->memory);
    *baseline = (struct dg_baseline){0};
}

static bool known_key(struct dg_json *json, struct dg_text key,
                      const char *const *names, size_t n_names)
{
    char word[64];
    const char *near;

    for (size_t i = 0; i < n_names; i++) {
        if (dg_text_is(key, names[i]))
            return true;
    }
    snprintf(word, sizeof(word), "%.*s", (int)(key.size < 60 ? key.size : 60),
             key.data);
    near = dg_nearest(word, names, n_names);
    dg_json_fail(json, "expected %s%s", near ? "the key " : "a key of a baseline",
                 near ? near : "");
    return false;
}

/* A text or null, of a member that the file may lack. */
static struct dg_text read_text(struct dg_json *json, struct dg_arena *memory)
{
    struct dg_text text;

    if (dg_json_null(json))
        return (struct dg_text){0};
    text = dg_json_string(json);
    return dg_copy_text(memory, text);
}

static const char *const entry_keys[] = {"program",     "rule",   "where", "severity",
                                         "fingerprint", "reason", "owner", "expires"};

static void read_member(struct dg_baseline_entry *entry, struct dg_json *json,
                        struct dg_text key, struct dg_arena *memory)
{
    struct dg_text severity,
        *texts[] = {&entry->program,     &entry->rule,         &entry->where,
                    &severity,           &entry->fingerprint,  &entry->known.reason,
                    &entry->known.owner, &entry->known.expires};

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        if (!dg_text_is(key, entry_keys[i]))
            continue;
        *texts[i] = read_text(json, memory);
        if (texts[i] != &severity)
            return;
        entry->severity = dg_severity_number(severity);
        if (entry->severity == DG_N_SEVERITIES)
            dg_json_fail(json, "expected error, warning or note");
    }
}

/* "25ab30b3d79a3f3b", or that and "-2". */
static bool is_fingerprint(struct dg_text text)
{
    size_t i = 0;

    while (i < text.size && strchr("0123456789abcdef", text.data[i]) && text.data[i])
        i++;
    if (i != 16 || i == text.size)
        return i == 16;
    if (text.data[i++] != '-' || i == text.size)
        return false;
    while (i < text.size && isdigit((unsigned char)text.data[i]))
        i++;
    return i == text.size;
}

/* What an entry lacks or cannot say. */
static void check_entry(const struct dg_baseline_entry *entry, struct dg_json *json)
{
    const struct dg_outcome_finding finding = {.rule = entry->rule.data,
                                               .fingerprint = entry->fingerprint};

    if (!entry->program.size || !entry->rule.size || !entry->fingerprint.size ||
        entry->severity == DG_N_SEVERITIES)
        dg_json_fail(json, "expected an entry with program, rule, severity and "
                           "fingerprint");
    else if (!is_fingerprint(entry->fingerprint))
        dg_json_fail(json, "expected fingerprint to be 16 hexadecimal digits, as "
                           "baseline write has them");
    else if (dg_text_begins(entry->program, "./"))
        dg_json_fail(json, "expected program without \"./\": it is a path as seen from "
                           "the folder of the baseline");
    else if (!dg_baseline_takes(&finding))
        dg_json_fail(json,
                     "expected no entry of %.80s: limits are raised, and faults "
                     "of a baseline mended",
                     entry->rule.data);
    else if (entry->known.expires.data && !dg_is_day(entry->known.expires))
        dg_json_fail(json, "expected expires to be a day, for instance 2027-01-31");
}

static void number_entry(struct dg_baseline *baseline, struct dg_json *json)
{
    const struct dg_baseline_entry *entry = &baseline->entries[baseline->n_entries - 1];
    struct dg_writer key = {0};

    dg_baseline_key(&key, entry->program, entry->fingerprint);
    if (dg_text_set_add(&baseline->numbers, dg_keep(&baseline->memory, &key)) + 1 !=
        baseline->n_entries)
        dg_json_fail(json,
                     "expected each finding of a program once; %.40s is there "
                     "twice",
                     entry->fingerprint.data);
}

static void read_entry(struct dg_baseline *baseline, struct dg_json *json)
{
    struct dg_baseline_entry *entry = DG_APPEND(baseline->entries, baseline->n_entries);
    struct dg_text key;

    entry->severity = DG_N_SEVERITIES;
    dg_json_object(json);
    while (dg_json_key(json, &key)) {
        if (known_key(json, key, entry_keys, sizeof(entry_keys) / sizeof(*entry_keys)))
            read_member(entry, json, key, &baseline->memory);
    }
    if (!json->failed)
        check_entry(entry, json);
    if (!json->failed)
        number_entry(baseline, json);
}

static void read_document(struct dg_baseline *baseline, struct dg_json *json)
{
    static const char *const keys[] = {"schema_version", "findings"};
    struct dg_text key;
    bool has_findings = false;

    dg_json_object(json);
    while (dg_json_key(json, &key)) {
        if (!known_key(json, key, keys, 2))
            continue;
        if (dg_text_is(key, "schema_version")) {
            if (dg_json_int(json) != 1)
                dg_json_fail(json, "expected version 1");
            continue;
        }
        has_findings = true;
        dg_json_array(json);
        while (dg_json_item(json)) {
            read_entry(baseline, json);
            if (baseline->n_entries > MOST_ENTRIES)
                dg_json_fail(json, "expected at most %d entries", MOST_ENTRIES);
        }
    }
    if (!has_findings && !json->failed)
        dg_json_fail(json, "expected a baseline with \"findings\"");
}

/* It is the user's own file, unlike a program: what is wrong with it is wrong usage. */
static enum dg_status own(const char *path, struct dg_error *err)
{
    struct dg_error inner = *err;

    return dg_fail(err, inner.status == DG_ERR_FORMAT ? DG_ERR_USAGE : inner.status,
                   "--baseline %.160s: %s", path, inner.text);
}

enum dg_status dg_baseline_read(struct dg_baseline *baseline, const char *path,
                                struct dg_error *err)
{
    struct dg_input input = {0};
    struct dg_json json;
    enum dg_status status = dg_baseline_begin(baseline, path, err);

    if (status)
        return status;
    status = dg_input_map(&input, path, err);
    if (!status) {
        dg_json_begin(&json,
                      (struct dg_text){(const char *)input.file.data, input.file.size},
                      "baseline", &baseline->memory, err);
        read_document(baseline, &json);
        status = dg_json_end(&json);
    }
    dg_input_close(&input);
    return status ? own(path, err) : DG_OK;
}

static int compare(const void *left, const void *right)
{
    const struct dg_baseline_entry *a = left, *b = right;
    int order = dg_text_compare(a->program, b->program);

    order = order ? order : dg_text_compare(a->rule, b->rule);
    order = order ? order : dg_text_compare(a->where, b->where);
    return order ? order : dg_text_compare(a->fingerprint, b->fingerprint);
}

static void put_entry(struct dg_json_writer *json,
                      const struct dg_baseline_entry *entry)
{
    dg_put_line(json);
    dg_put_object(json, NULL);
    dg_put_text(json, "program", entry->program);
    dg_put_text(json, "rule", entry->rule);
    dg_put_text(json, "where", entry->where);
    dg_put_text(json, "severity", dg_text(dg_severities[entry->severity]));
    dg_put_text(json, "fingerprint", entry->fingerprint);
    dg_put_text(json, "reason", entry->known.reason);
    dg_put_text(json, "owner", entry->known.owner);
    dg_put_text(json, "expires", entry->known.expires);
    dg_put_end(json);
}

void dg_baseline_write(struct dg_writer *out, struct dg_baseline *baseline)
{
    struct dg_json_writer json = {.out = out};
    struct dg_baseline_entry *sorted =
        dg_alloc(&baseline->memory, baseline->n_entries, sizeof(*sorted));
    size_t n = 0;

    for (size_t i = 0; i < baseline->n_entries; i++) {
        if (!baseline->entries[i].gone)
            sorted[n++] = baseline->entries[i];
    }
    dg_sort(sorted, n, sizeof(*sorted), compare);
    dg_put_object(&json, NULL);
    dg_put_int(&json, "schema_version", 1);
    dg_put_array(&json, "findings");
    for (size_t i = 0; i < n; i++)
        put_entry(&json, &sorted[i]);
    dg_print(out, "\n");
    dg_put_end(&json);
    dg_put_end(&json);
    dg_json_written(&json);
    dg_print(out, "\n");
}
