/* Running rules: what they find, why some cannot tell. */
#include "verifiers/verifier_parts.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "verifiers/fold.h"
#include "verifiers/sql.h"

const struct dg_verifier *const dg_verifiers[] = {
#define VERIFIER(name) &dg_verifier_##name,
#include "verifiers/list.h"
#undef VERIFIER
    NULL,
};

const struct dg_verifier *dg_verifier_at(size_t i, const struct dg_verifier *user)
{
    enum { N_OURS = sizeof(dg_verifiers) / sizeof(*dg_verifiers) - 1 };

    if (i < N_OURS)
        return dg_verifiers[i];
    return i == N_OURS ? user : NULL;
}

const struct dg_undecided dg_undecided[] = {
#define UNDECIDED(id, why) {id, why},
#include "verifiers/undecided.def"
#undef UNDECIDED
};
const size_t dg_n_undecided = sizeof(dg_undecided) / sizeof(*dg_undecided);

enum { WHY_SIZE = 256 };

struct teller {
    dg_verified_fn *told;
    void *context;
};

/* clang-format off */

#define IS_ASKED_FOR                                                                   \
    "EXISTS (SELECT 1 FROM setting WHERE name = 'backend' AND value IN " DG_AOTI ")"

static const struct {
    const char *name, *unless; /* SQL that gives a text: why such rules do not run */
    const char *elsewhere; /* SQL that drops what rule ?1 found in other programs of the
                              store, which did not ask for it */
} runs[] = {
    [DG_RUNS_ALWAYS] = {"always", NULL, NULL},
    [DG_RUNS_FOR_CUDA] = {"for CUDA",
        "SELECT 'nothing is for CudaBackend or MetalBackend, and --select does not ask'"
        " WHERE NOT " DG_NAMES_AOTI
        " AND NOT " IS_ASKED_FOR,
        "DELETE FROM finding WHERE rule = ?1 AND NOT " IS_ASKED_FOR
        " AND artifact_id NOT IN (SELECT artifact_id FROM delegate"
        "   JOIN method ON method.id = method_id WHERE backend IN " DG_AOTI
        "  UNION SELECT artifact_id FROM partition"
        "   JOIN \"graph\" ON \"graph\".id = graph_id"
        "   JOIN method ON method.id = method_id WHERE backend IN " DG_AOTI ")"},
    [DG_RUNS_ON_REQUEST] = {"on request", "SELECT '--select does not ask for it'", NULL},
};

/* clang-format on */

const char *dg_rule_runs_name(enum dg_rule_runs when)
{
    return runs[when].name;
}

/* Where the columns of a rule's query lie; -1 where it lacks them. */
struct columns {
    int message, artifact, method, graph, node, value, severity, witness;
};

static struct columns find_columns(const struct dg_rows *rows)
{
    struct columns at = {-1, -1, -1, -1, -1, -1, -1, -1};
    const struct {
        const char *name;
        int *column;
    } known[] = {
        {"message", &at.message},   {"artifact", &at.artifact}, {"method", &at.method},
        {"graph", &at.graph},       {"node", &at.node},         {"value", &at.value},
        {"severity", &at.severity}, {"witness", &at.witness},
    };

    for (int i = 0; i < dg_rows_columns(rows); i++) {
        for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++) {
            if (!strcmp(dg_rows_column(rows, i), known[k].name))
                *known[k].column = i;
        }
    }
    return at;
}

static int64_t id_at(const struct dg_rows *rows, int column)
{
    return column < 0 ? 0 : dg_rows_int_or(rows, column, 0);
}

static enum dg_status find_row(const struct dg_findings *found,
                               const struct dg_rows *rows, const struct columns *at,
                               struct dg_error *err)
{
    struct dg_finding finding = {
        .artifact = id_at(rows, at->artifact),
        .method = id_at(rows, at->method),
        .graph = id_at(rows, at->graph),
        .node = id_at(rows, at->node),
        .value = id_at(rows, at->value),
        .message = dg_rows_slice(rows, at->message),
    };

    if (at->severity >= 0)
        finding.severity = dg_rows_text(rows, at->severity);
    if (at->witness >= 0)
        finding.witness = dg_rows_slice(rows, at->witness);
    return dg_find(found, &finding, err);
}

static enum dg_status find_rows(const struct dg_findings *found, struct dg_rows *rows,
                                struct dg_error *err)
{
    struct columns at = find_columns(rows);
    enum dg_status status = DG_OK;

    if (at.message < 0)
        status =
            dg_fail(err, DG_ERR_IO, "rule %s: its query gives no message", found->id);
    while (!status && dg_rows_next(rows))
        status = find_row(found, rows, &at, err);
    return dg_rows_close(rows, status, err);
}

static enum dg_status run_query(const struct dg_findings *found, struct dg_error *err)
{
    const struct dg_rule *rule = found->rule;
    enum dg_status status = DG_OK;
    struct dg_rows rows;
    bool may = true;

    if (rule->may_find)
        status = rule->may_find(&may, found->store, err);
    if (status || !may)
        return status;
    status = dg_rows_open(&rows, found->store, rule->query, err);
    return status ? status : find_rows(found, &rows, err);
}

/* What the reader left for this rule. */
static enum dg_status run_remarks(const struct dg_findings *found, struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(
        &rows, found->store,
        "SELECT text AS message, artifact_id AS artifact, method_id AS method,"
        "       graph_id AS \"graph\", node_id AS node, value_id AS value"
        "  FROM remark WHERE rule = ?1 ORDER BY id",
        err);

    if (status)
        return status;
    dg_rows_bind_text(&rows, 1, dg_text(found->id));
    return find_rows(found, &rows, err);
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* The text that `sql` gives first; "" if it gives none. */
static enum dg_status first_text(struct dg_store *store, const char *sql, char *text,
                                 struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(&rows, store, sql, err);

    *text = '\0';
    if (status)
        return status;
    if (dg_rows_next(&rows) && dg_rows_text(&rows, 0))
        snprintf(text, WHY_SIZE, "%s", dg_rows_text(&rows, 0));
    return dg_rows_close(&rows, DG_OK, err);
}

/* What the store holds: nothing of it changes while rules run. */
struct held {
    char kinds[WHY_SIZE]; /* of its files, with spaces between them */
    bool remarks, about[DG_N_ABOUT];
};

static enum dg_status read_held(struct held *held, struct dg_store *store,
                                struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(
        &rows, store,
        "SELECT (SELECT group_concat(kind, ' ') FROM (SELECT DISTINCT kind"
        "  FROM artifact WHERE role IS NOT 'program')), EXISTS (SELECT 1 FROM remark)",
        err);

    *held = (struct held){.kinds = ""};
    if (status)
        return status;
    if (dg_rows_next(&rows)) {
        const char *kinds = dg_rows_text(&rows, 0);

        snprintf(held->kinds, sizeof(held->kinds), "%s", kinds ? kinds : "");
        held->remarks = dg_rows_int(&rows, 1) != 0;
    }
    status = dg_rows_close(&rows, DG_OK, err);
    return status ? status : dg_about_read(held->about, NULL, store, err);
}

static struct dg_text next_word(const char **at)
{
    struct dg_text word = {*at, strcspn(*at, " ")};

    *at += word.size;
    *at += strspn(*at, " ");
    return word;
}

static bool share_a_word(const char *a, const char *b)
{
    while (*a) {
        struct dg_text word = next_word(&a);

        for (const char *at = b; *at;) {
            if (dg_text_equal(word, next_word(&at)))
                return true;
        }
    }
    return false;
}

bool dg_rule_is_foreign(const struct dg_rule *rule, const char *kinds)
{
    return rule->level && *kinds && !share_a_word(kinds, rule->level);
}

/* Why the rule says nothing of what was loaded; "" if it does. */
static void foreign(const struct dg_rule *rule, const struct held *held, char *why)
{
    *why = '\0';
    if (dg_rule_is_foreign(rule, held->kinds))
        snprintf(why, WHY_SIZE, DG_RULE_FOREIGN, rule->level);
}

/* A run of rules over a store. */
struct run {
    struct dg_store *store;
    const struct dg_selection *selection;
    const struct teller *teller;
    struct held held;
};

static bool is_about_nothing(const struct run *run, const struct dg_verifier *verifier,
                             const struct dg_rule *rule)
{
    enum dg_about about = rule->about ? rule->about : verifier->about;

    return !run->held.about[about];
}

/* Why the rule does not run; "" if it does. */
static enum dg_status excuse(const struct run *run, const struct dg_findings *found,
                             bool named, bool nothing, char *why, struct dg_error *err)
{
    const struct dg_rule *rule = found->rule;
    enum dg_status status = DG_OK;

    foreign(rule, &run->held, why);
    if (!*why && !nothing && rule->not_checked)
        status = first_text(found->store, rule->not_checked, why, err);
    if (!status && !*why && !named && runs[rule->runs].unless)
        status = first_text(found->store, runs[rule->runs].unless, why, err);
    return status;
}

static enum dg_status drop_elsewhere(const struct dg_findings *found,
                                     struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, found->store, runs[found->rule->runs].elsewhere, err);

    if (status)
        return status;
    dg_rows_bind_text(&rows, 1, dg_text(found->id));
    dg_rows_next(&rows);
    return dg_rows_close(&rows, DG_OK, err);
}

/* What the rule says itself, then what the reader left for it. */
static enum dg_status run_rule(const struct run *run, const struct dg_findings *found,
                               bool named, bool about_nothing, struct dg_error *err)
{
    const struct dg_rule *rule = found->rule;
    enum dg_status status = DG_OK;

    if (!about_nothing && rule->check)
        status = rule->check(found, err);
    else if (!about_nothing && rule->query)
        status = run_query(found, err);
    if (!status && !named && runs[rule->runs].elsewhere)
        status = drop_elsewhere(found, err);
    if (!status && run->held.remarks)
        status = run_remarks(found, err);
    if (!status && !(run->selection && run->selection->unfolded))
        status = dg_fold_notes(found, err);
    return status;
}

static void name_rule(char *id, const struct dg_verifier *verifier,
                      const struct dg_rule *rule)
{
    snprintf(id, DG_RULE_ID_SIZE, "%s/%s", verifier->name, rule->name);
}

static enum dg_status verify(const struct run *run, const struct dg_verifier *verifier,
                             const struct dg_rule *rule, struct dg_error *err)
{
    char id[DG_RULE_ID_SIZE], why[WHY_SIZE];
    struct dg_found so_far = {0};
    struct dg_findings found = {run->store, rule, id, &so_far};
    bool nothing = is_about_nothing(run, verifier, rule), named;
    enum dg_status status = DG_OK;
    double begun;

    name_rule(id, verifier, rule);
    if (!dg_selected(run->selection, id, verifier->name))
        return DG_OK;
    begun = now();
    named = dg_is_named(run->selection, id, verifier->name);
    status = excuse(run, &found, named, nothing, why, err);
    if (!status && !*why)
        status = run_rule(run, &found, named, nothing, err);
    if (!status && rule->unjudged && run->held.about[DG_ABOUT_LIMIT])
        status = rule->unjudged(&found, err);
    if (!status)
        status = dg_find_rest(&found, err);
    if (!status && run->teller->told)
        run->teller->told(run->teller->context, id, now() - begun, *why ? why : NULL);
    return status;
}

enum dg_status dg_verify(struct dg_store *store, const struct dg_selection *selection,
                         dg_verified_fn *told, void *context, struct dg_error *err)
{
    const struct teller teller = {told, context};
    struct run run = {.store = store, .selection = selection, .teller = &teller};
    const struct dg_verifier *verifier, *user = selection ? selection->user : NULL;
    enum dg_status status = read_held(&run.held, store, err);

    for (size_t i = 0; (verifier = dg_verifier_at(i, user)) && !status; i++) {
        for (const struct dg_rule *rule = verifier->rules; rule->name && !status;
             rule++)
            status = verify(&run, verifier, rule, err);
    }
    return status;
}

static const struct dg_rule *find_in(const struct dg_verifier *verifier,
                                     const char *wanted)
{
    size_t family = strcspn(wanted, "/");

    if (!wanted[family] ||
        !dg_text_is((struct dg_text){wanted, family}, verifier->name))
        return NULL;
    for (const struct dg_rule *rule = verifier->rules; rule->name; rule++) {
        if (!strcmp(rule->name, wanted + family + 1))
            return rule;
    }
    return NULL;
}

const struct dg_rule *dg_rule_find(const char *wanted, const struct dg_verifier *user)
{
    const struct dg_verifier *verifier;
    const struct dg_rule *rule = NULL;

    for (size_t i = 0; !rule && (verifier = dg_verifier_at(i, user)); i++)
        rule = find_in(verifier, wanted);
    return rule;
}
