/* Which nodes of a method can be run, and where, before anything runs. */
#include "exec/coverage.h"

#include "base/sorted.h"
#include "kernels/xnnpack.h"

/* A value of a type that no tensor of a run has, or that few kernels take. */
struct foreign {
    int64_t value_id;
    const char *dtype;
};

enum known { NOT_SEEN, KNOWN, UNKNOWN };

struct survey {
    struct dg_coverage *coverage;
    struct foreign *foreign; /* by id */
    size_t n_foreign;
    enum known *schedules; /* by number: what they give for inputs that are known */
    struct dg_arena scratch;
};

/* One schedule, while it is looked at. */
struct visit {
    struct survey *survey;
    const struct dg_schedule *schedule;
    bool *unknown; /* by slot */
    bool rests;    /* the step reads what is unknown */
    bool changed;
    /* Of what the step reads and gives; NULL: */
    const char *missing; /* bytes that the program does not have */
    const char *dtype;   /* a foreign type */
    bool complex;
};

static int compare_value(const void *item, const void *key)
{
    int64_t a = ((const struct foreign *)item)->value_id, b = *(const int64_t *)key;

    return (a > b) - (a < b);
}

static enum dg_status read_foreign(struct survey *survey, struct dg_store *store,
                                   struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(
        store, "SELECT id, dtype FROM value WHERE dtype IS NOT NULL ORDER BY id", err);

    while (dg_rows_next(&rows)) {
        enum dg_type type = dg_type_named(dg_rows_text(&rows, 1));

        if (type == DG_TYPE_NONE || dg_type_is_complex(type))
            *DG_APPEND(survey->foreign, survey->n_foreign) =
                (struct foreign){dg_rows_int(&rows, 0),
                                 dg_copy(&survey->scratch, dg_rows_slice(&rows, 1))};
    }
    return dg_rows_close(&rows, DG_OK, err);
}

/* Where nothing computes it. */
static bool is_missing(const struct dg_slot *slot)
{
    return slot->missing && slot->kind != DG_SLOT_COMPUTED;
}

static void look_at(void *data, uint32_t slot)
{
    struct visit *visit = data;
    const struct survey *survey = visit->survey;
    const struct foreign *foreign =
        dg_search(&visit->schedule->slots[slot].value_id, survey->foreign,
                  survey->n_foreign, sizeof(*foreign), compare_value);

    visit->rests = visit->rests || visit->unknown[slot];
    if (foreign && dg_type_is_complex(dg_type_named(foreign->dtype)))
        visit->complex = true;
    else if (foreign)
        visit->dtype = foreign->dtype;
    if (is_missing(&visit->schedule->slots[slot]))
        visit->missing = visit->schedule->slots[slot].missing;
}

static void mark(void *data, uint32_t slot)
{
    struct visit *visit = data;

    visit->changed = visit->changed || !visit->unknown[slot];
    visit->unknown[slot] = true;
}

static const char *why_not(struct visit *visit, const struct dg_step *step)
{
    struct dg_arena *memory = &visit->survey->coverage->memory;

    if (step->kind == DG_STEP_OPAQUE)
        return step->why;
    if (visit->missing)
        return visit->missing;
    if (step->kind != DG_STEP_CALL)
        return NULL;
    if (step->kernel->tolerance == DG_TOLERANCE_RANDOM)
        return "draws random numbers";
    if (visit->complex && !dg_complex_kernel(step->kernel->cpu) &&
        !dg_kernel_serves_all(step->kernel))
        return "complex numbers";
    return visit->dtype ? dg_format(memory, "values of type %s", visit->dtype).data
                        : NULL;
}

/* Nodes of XNNPACK that its runtime makes one of run as one step. */
static size_t n_nodes_of(const struct dg_step *step)
{
    const struct dg_xnn_step *merged = step->xnnpack ? step->xnnpack->merged : NULL;
    size_t n = 1;

    for (; merged; merged = merged->merged)
        n++;
    return n;
}

static void count(struct visit *visit, const struct dg_step *step, const char *why)
{
    struct dg_coverage *coverage = visit->survey->coverage;
    bool on_cuda = !why && (visit->complex ? dg_kernel_serves_all(step->kernel)
                                           : dg_kernel_on_cuda(step->kernel));
    struct dg_text name =
        dg_format(&coverage->memory, "%s%s", step->op, why ? why : "");
    uint32_t number = dg_text_set_add(&coverage->names, name);
    size_t n = n_nodes_of(step);

    if (number == coverage->n_rows)
        *DG_APPEND(coverage->rows, coverage->n_rows) = (struct dg_coverage_row){
            .op = step->op, .why = why, .on_cuda = on_cuda, .node = step->name};
    coverage->rows[number].n_nodes += n;
    coverage->n_nodes += n;
    coverage->n_inside += step->inside_id ? n : 0;
    coverage->n_cpu += why ? 0 : n;
    coverage->n_cuda += on_cuda ? n : 0;
}

static enum known visit(struct survey *survey, const struct dg_schedule *schedule,
                        bool first);

/* What the graphs that it calls give for inputs that are known. */
static bool calls_unknown(struct visit *at, const struct dg_step *step)
{
    bool unknown = false;

    for (size_t i = 0; i < step->n_schedules; i++) {
        const struct dg_schedule *inner = step->schedules[i];
        enum known *known = &at->survey->schedules[inner->number];

        if (*known == NOT_SEEN)
            *known = visit(at->survey, inner, true);
        unknown = unknown || *known == UNKNOWN;
    }
    return unknown;
}

static void visit_step(struct visit *visit, const struct dg_step *step, bool first)
{
    const char *why;

    visit->rests = false;
    visit->missing = visit->dtype = NULL;
    visit->complex = false;
    dg_step_reads(step, look_at, visit);
    for (size_t k = 0; k < step->n_results; k++) {
        bool rests = visit->rests;

        look_at(visit, step->results[k]);
        visit->rests = rests;
    }
    why = why_not(visit, step);
    if (first && (step->kind == DG_STEP_CALL || step->kind == DG_STEP_OPAQUE))
        count(visit, step, why);
    if (!calls_unknown(visit, step) && !why && !visit->rests)
        return;
    dg_step_writes(step, mark, visit);
    for (size_t k = 0; k < step->n_results; k++)
        mark(visit, step->results[k]);
}

static bool is_known(const struct visit *visit, const struct dg_io *output)
{
    return output->slot == DG_IO_LITERAL || !visit->unknown[output->slot];
}

/* Loops are gone through until nothing more becomes unknown. */
static enum known visit(struct survey *survey, const struct dg_schedule *schedule,
                        bool first)
{
    struct visit visit = {survey, schedule};
    enum known known = KNOWN;

    visit.unknown = dg_alloc(&survey->scratch, schedule->n_slots + 1, 1);
    do {
        visit.changed = false;
        for (size_t i = 0; i < schedule->n_steps; i++)
            visit_step(&visit, &schedule->steps[i], first);
        first = false;
    } while (visit.changed);
    for (size_t i = 0; i < schedule->n_outputs; i++) {
        bool is = is_known(&visit, &schedule->outputs[i]);

        known = is ? known : UNKNOWN;
        survey->coverage->n_outputs += !schedule->number;
        survey->coverage->n_known += !schedule->number && is;
    }
    return known;
}

enum dg_status dg_coverage_of(struct dg_coverage *coverage,
                              const struct dg_schedule *schedule,
                              struct dg_store *store, struct dg_error *err)
{
    struct survey survey = {coverage};
    enum dg_status status;

    *coverage = (struct dg_coverage){0};
    survey.schedules =
        dg_alloc(&survey.scratch, schedule->n_schedules + 1, sizeof(*survey.schedules));
    status = read_foreign(&survey, store, err);
    if (!status)
        visit(&survey, schedule, true);
    free(survey.foreign);
    dg_arena_clear(&survey.scratch);
    return status;
}

void dg_coverage_clear(struct dg_coverage *coverage)
{
    free(coverage->rows);
    dg_text_set_clear(&coverage->names);
    dg_arena_clear(&coverage->memory);
}
