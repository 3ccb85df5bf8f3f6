/* What is said beside the answer of a named query. */
#include "cli/query_notes.h"

#include "base/arena.h"
#include "cli/options.h"
#include "graph/asked.h"

static void say(const struct dg_input *input, const char *text)
{
    struct dg_error note = {0};

    dg_fail(&note, DG_OK, "note: %s", text);
    dg_complain_about(input->path, &note);
}

/* What a question is about, where no file was given that tells it. */
static enum dg_status note_missing(const struct dg_input *input, const char *question,
                                   size_t n_programs, size_t n_etdumps,
                                   struct dg_error *err)
{
    const struct {
        size_t n_given;
        const char *word, *any, *note;
    } needs[] = {
        {n_programs, "lineage", "SELECT EXISTS (SELECT 1 FROM lineage)",
         "nothing here tells what instructions came from; give --program the .pt2 or"
         " ETRecord"},
        {n_etdumps, "v_timing", "SELECT EXISTS (SELECT 1 FROM profile_event)",
         "nothing here was measured; give --etdump what the device wrote"},
    };
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < sizeof(needs) / sizeof(*needs) && !status; i++) {
        int64_t any = 1;

        if (!needs[i].n_given && dg_sql_mentions(question, needs[i].word))
            status = dg_store_int(input->store, needs[i].any, 0, &any, err);
        if (!any)
            say(input, needs[i].note);
    }
    return status;
}

static void find_unfound(struct dg_named *unfound)
{
    const char *cursor = NULL;

    while (dg_named_next(&cursor, unfound) && !dg_text_is(unfound->name, "unfound"))
        ;
    while (unfound->sql.data[unfound->sql.size - 1] != ';')
        unfound->sql.size--;
    unfound->sql.size--;
}

/* What is not found need not be lost: of how many nodes it is not known. */
static enum dg_status note_unfound(const struct dg_input *input,
                                   const struct dg_named *unfound,
                                   struct dg_arena *memory, struct dg_error *err)
{
    int64_t n_known, n_unfound;
    enum dg_status status = dg_store_int(
        input->store, "SELECT count(*) FROM (SELECT DISTINCT from_id FROM lineage)", 0,
        &n_known, err);

    if (!status)
        status = dg_store_int(input->store,
                              dg_format(memory, "SELECT count(*) FROM (%.*s)",
                                        (int)unfound->sql.size, unfound->sql.data)
                                  .data,
                              0, &n_unfound, err);
    if (!status && n_unfound)
        say(input, dg_format(memory,
                             "what became of %lld of the program's nodes is known; of"
                             " %lld it is not: @unfound",
                             (long long)n_known, (long long)n_unfound)
                       .data);
    return status;
}

enum dg_status dg_query_notes(const struct dg_input *input,
                              const struct dg_named *question, size_t n_programs,
                              size_t n_etdumps, struct dg_error *err)
{
    struct dg_arena memory = {0};
    struct dg_named unfound;
    const char *sql = dg_copy(&memory, question->sql);
    enum dg_status status = DG_OK;

    find_unfound(&unfound);
    if (!dg_verbosity.quiet)
        status = note_missing(input, sql, n_programs, n_etdumps, err);
    if (!status && !dg_verbosity.quiet && dg_sql_mentions(sql, "lineage") &&
        !dg_text_equal(question->name, unfound.name))
        status = note_unfound(input, &unfound, &memory, err);
    dg_arena_clear(&memory);
    return status;
}
