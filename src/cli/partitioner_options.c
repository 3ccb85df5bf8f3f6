/* From options to a request for a run of a partitioner. */
#include "cli/partitioner_options.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/artifact_option.h"
#include "cli/plan_option.h"
#include "partition/plan_file.h"

/* "--x a,b --x c" is one list. */
static const char *joined(struct dg_arena *memory, const struct dg_list *list)
{
    struct dg_writer text = {0};

    for (size_t i = 0; i < list->n_items; i++)
        dg_print(&text, "%s%s", i ? "," : "", list->items[i]);
    return dg_keep(memory, &text).data;
}

static void read_ops(struct dg_text_set *set, struct dg_arena *memory,
                     const struct dg_list *list)
{
    char *rest = NULL, *text = dg_copy(memory, dg_text(joined(memory, list)));

    for (char *op = strtok_r(text, ", ", &rest); op; op = strtok_r(NULL, ", ", &rest))
        dg_text_set_add(set, dg_op_spelling(memory, dg_text(op)));
}

/* The items of such a list, each for itself. */
struct names {
    const char **items;
    size_t n_items;
};

static struct names split(struct dg_arena *memory, const struct dg_list *list)
{
    char *rest = NULL, *text = dg_copy(memory, dg_text(joined(memory, list)));
    struct names names = {dg_alloc(memory, strlen(text) + 1, sizeof(char *)), 0};

    for (char *name = strtok_r(text, ", ", &rest); name;
         name = strtok_r(NULL, ", ", &rest))
        names.items[names.n_items++] = name;
    return names;
}

bool dg_run_option_has_support(const struct dg_partitioner_options *given)
{
    return given->supported.n_items || given->unsupported.n_items ||
           given->support.n_items || given->backend.n_items;
}

static enum dg_status read_list(struct dg_run_setup *setup, size_t i, const char *file,
                                const char *shipped, struct dg_error *err)
{
    const char *id = shipped ? dg_backend_of_support(shipped) : NULL;
    enum dg_status status =
        shipped ? dg_support_from_backend(&setup->supports[i], shipped, err)
                : dg_support_from_file(&setup->supports[i], file, err);

    if (!status)
        setup->backends[i] =
            (struct dg_run_backend){.support = setup->supports[i],
                                    .list = dg_support_name(setup->supports[i]),
                                    .name = id ? dg_text(id) : (struct dg_text){0}};
    return status;
}

/* Those of --backend or of --support in their order, and what --backend-id calls them.
 */
static enum dg_status read_backends(struct dg_run_setup *setup,
                                    const struct dg_partitioner_options *given,
                                    struct dg_error *err)
{
    struct names shipped = split(&setup->memory, &given->backend),
                 ids = split(&setup->memory, &given->backend_id);
    size_t n = given->support.n_items + shipped.n_items;
    enum dg_status status = DG_OK;

    if (n < 2 || n > DG_MOST_BACKENDS)
        return dg_fail(err, DG_ERR_USAGE,
                       "--mode multi needs 2 to %d backends, the first of which goes "
                       "first: --backend A,B or --support FILE --support FILE",
                       DG_MOST_BACKENDS);
    if (ids.n_items && ids.n_items != n)
        return dg_fail(err, DG_ERR_USAGE,
                       "--backend-id names %zu backends, expected one for each of %zu",
                       ids.n_items, n);
    for (size_t i = 0; i < n && !status; i++) {
        bool file = i < given->support.n_items;

        status = read_list(setup, i, file ? given->support.items[i] : NULL,
                           file ? NULL : shipped.items[i], err);
        if (ids.n_items)
            setup->backends[i].name = dg_text(ids.items[i]);
    }
    setup->request.backends = setup->backends;
    setup->request.n_backends = (uint32_t)n;
    return status;
}

static enum dg_status read_support(struct dg_run_setup *setup,
                                   const struct dg_partitioner_options *given,
                                   struct dg_error *err)
{
    int n = !!given->supported.n_items + !!given->unsupported.n_items +
            !!given->support.n_items + !!given->backend.n_items;

    if (n > 1)
        return dg_fail(err, DG_ERR_USAGE,
                       "only one of --supported-ops, --unsupported-ops, --support, "
                       "--backend can say what the backend takes");
    if (setup->request.mode == DG_RUN_MULTI)
        return read_backends(setup, given, err);
    if (given->support.n_items > 1 ||
        split(&setup->memory, &given->backend).n_items > 1)
        return dg_fail(err, DG_ERR_USAGE,
                       "several backends need partition --mode multi");
    if (split(&setup->memory, &given->backend_id).n_items > 1)
        return dg_fail(err, DG_ERR_USAGE,
                       "--backend-id names several backends, expected one");
    if (given->support.n_items)
        return dg_support_from_file(&setup->support, given->support.items[0], err);
    if (given->backend.n_items)
        return dg_support_from_backend(&setup->support, given->backend.items[0], err);
    if (given->supported.n_items)
        return dg_support_from_list(
            &setup->support, joined(&setup->memory, &given->supported), false, err);
    if (given->unsupported.n_items)
        return dg_support_from_list(
            &setup->support, joined(&setup->memory, &given->unsupported), true, err);
    return DG_OK;
}

/* Whether any option is about the plan that a partitioner makes. */
static bool makes_a_plan(const struct dg_partitioner_options *given)
{
    return given->mode || given->weight || dg_run_option_has_support(given) ||
           given->groups || given->priors.n_items || given->allow_single ||
           given->non_compute.n_items || given->allowed_single.n_items ||
           given->backend_id.n_items || given->specs.n_items ||
           given->skip_horizontal || given->bookends || given->claim_delegates ||
           given->lower || given->method;
}

static enum dg_status read_mode(struct dg_run_request *request,
                                const struct dg_partitioner_options *given,
                                struct dg_error *err)
{
    for (int i = DG_RUN_TORCH; i < DG_N_RUN_MODES; i++) {
        if (given->mode && !strcmp(given->mode, dg_run_mode_name(i)))
            request->mode = i;
    }
    if (given->repair && makes_a_plan(given))
        return dg_fail(err, DG_ERR_USAGE,
                       "--repair mends the plan that it is given: of the options that "
                       "make one only --force goes with it");
    if (given->repair)
        request->mode = DG_RUN_REPAIR;
    if (given->priors.n_items && request->mode == DG_RUN_MULTI)
        return dg_fail(err, DG_ERR_USAGE, "--prior cannot go with --mode multi");
    if (given->allow_single && !strcmp(given->allow_single, "false") &&
        request->mode == DG_RUN_SINGLE)
        return dg_fail(err, DG_ERR_USAGE,
                       "--allow-single-node is not about --mode single, which makes one"
                       " partition of all");
    if (given->groups && request->mode != DG_RUN_GROUP)
        return dg_fail(err, DG_ERR_USAGE, "--groups needs --mode group");
    if (given->skip_horizontal && request->mode != DG_RUN_TORCH)
        return dg_fail(err, DG_ERR_USAGE,
                       "--skip-horizontal-fusion needs --mode torch");
    if (given->weight && request->mode != DG_RUN_MIN)
        return dg_fail(err, DG_ERR_USAGE, "--weight needs --mode min");
    request->by_bytes = given->weight && !strcmp(given->weight, "bytes");
    request->skip_horizontal = given->skip_horizontal;
    request->no_single = given->allow_single && !strcmp(given->allow_single, "false");
    request->bookends = given->bookends;
    request->claim_delegates = given->claim_delegates;
    request->lower = given->lower;
    request->method = given->method;
    return DG_OK;
}

/* A list that is shipped names its backend. */
static struct dg_text backend_of(const struct dg_partitioner_options *given)
{
    const char *id = given->backend_id.n_items ? given->backend_id.items[0] : NULL;

    if (!id && given->backend.n_items)
        id = dg_backend_of_support(given->backend.items[0]);
    return id ? dg_text(id) : (struct dg_text){0};
}

static enum dg_status read_specs(struct dg_run_setup *setup, const struct dg_list *list,
                                 struct dg_error *err)
{
    struct dg_plan_spec *specs =
        dg_alloc(&setup->memory, list->n_items, sizeof(*specs));

    for (size_t i = 0; i < list->n_items; i++) {
        const char *text = list->items[i], *equals = strchr(text, '=');

        if (!equals || equals == text)
            return dg_fail(err, DG_ERR_USAGE, "--spec is \"%.80s\", expected KEY=VALUE",
                           text);
        specs[i] =
            (struct dg_plan_spec){{text, (size_t)(equals - text)}, dg_text(equals + 1)};
    }
    setup->request.specs = specs;
    setup->request.n_specs = list->n_items;
    return dg_option_once(list, "spec", err);
}

/* Nodes that a prior plan names must be there: otherwise something else was lowered. */
static enum dg_status read_prior(int64_t *run, const struct dg_input *input,
                                 const char *path, bool force, struct dg_error *err)
{
    struct dg_plan_option plan = {path, force};
    enum dg_status status = dg_plan_option_apply(&plan, DG_PLAN_FAILS, input, err);

    return status ? status
                  : dg_store_int(input->store, "SELECT max(id) FROM part_run", 0, run,
                                 err);
}

static enum dg_status read_priors(struct dg_run_setup *setup,
                                  const struct dg_partitioner_options *given,
                                  const struct dg_input *input, struct dg_error *err)
{
    const struct dg_list *list = &given->priors;
    enum dg_status status = DG_OK;

    setup->priors = dg_alloc(&setup->memory, list->n_items, sizeof(*setup->priors));
    for (size_t i = 0; i < list->n_items && !status; i++)
        status =
            read_prior(&setup->priors[i], input, list->items[i], given->force, err);
    setup->request.priors = setup->priors;
    setup->request.n_priors = list->n_items;
    return status;
}

static enum dg_status find_artifact(struct dg_run_setup *setup,
                                    const struct dg_input *input, struct dg_error *err)
{
    return dg_artifact_only(&setup->request.artifact, input->store, "a plan", err);
}

/* ATen where any method is. */
static enum dg_status read_ir(struct dg_run_setup *setup, struct dg_store *store,
                              struct dg_error *err)
{
    struct dg_rows rows =
        dg_rows_all(store, "SELECT ir FROM method ORDER BY ir <> 'aten' LIMIT 1", err);

    if (dg_rows_next(&rows))
        setup->request.ir = dg_text(dg_copy(&setup->memory, dg_rows_slice(&rows, 0)));
    return dg_rows_close(&rows, DG_OK, err);
}

static struct dg_text options_json(struct dg_run_setup *setup,
                                   const struct dg_partitioner_options *given)
{
    const struct {
        const char *name, *value;
    } texts[] = {
        {"supported_ops", joined(&setup->memory, &given->supported)},
        {"unsupported_ops", joined(&setup->memory, &given->unsupported)},
        {"non_compute_ops", joined(&setup->memory, &given->non_compute)},
        {"allowed_single_node_ops", joined(&setup->memory, &given->allowed_single)},
        {"support", joined(&setup->memory, &given->support)},
        {"backend", joined(&setup->memory, &given->backend)},
        {"groups", given->groups},
        {"prior", joined(&setup->memory, &given->priors)},
    };
    struct dg_writer out = {0};

    dg_print(&out, "{\"allow_single_node\":%s",
             setup->request.no_single ? "false" : "true");
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        if (!texts[i].value || !*texts[i].value)
            continue;
        dg_print(&out, ",\"%s\":", texts[i].name);
        dg_write_json(&out, dg_text(texts[i].value));
    }
    dg_print(&out, "%s%s%s}",
             given->skip_horizontal ? ",\"skip_horizontal_fusion\":true" : "",
             given->bookends ? ",\"remove_bookends\":true" : "",
             given->claim_delegates ? ",\"claim_delegates\":true" : "");
    return dg_keep(&setup->memory, &out);
}

enum dg_status dg_run_setup(struct dg_run_setup *setup,
                            const struct dg_partitioner_options *given,
                            const struct dg_input *input, struct dg_error *err)
{
    struct dg_run_request *request = &setup->request;
    enum dg_status status;

    *setup = (struct dg_run_setup){0};
    status = read_mode(request, given, err);
    if (!status)
        status = read_specs(setup, &given->specs, err);
    if (!status)
        status = read_support(setup, given, err);
    if (!status)
        status = find_artifact(setup, input, err);
    if (!status)
        status = read_ir(setup, input->store, err);
    request->exact = !given->backend.n_items || !dg_text_is(request->ir, "aten");
    if (!status && given->groups) {
        status = dg_groups_read(&setup->groups, given->groups, err);
        request->groups = &setup->groups;
    }
    if (!status)
        status = read_priors(setup, given, input, err);
    /* dg_run() says of a .pte that there is nothing to partition. */
    if (!status && given->repair && !dg_text_is(request->ir, "pte"))
        status =
            dg_plan_option_apply(&(struct dg_plan_option){given->repair, given->force},
                                 DG_PLAN_FAILS, input, err);
    request->support = setup->support;
    if (request->mode != DG_RUN_MULTI)
        request->backend = backend_of(given);
    read_ops(&request->non_compute, &setup->memory, &given->non_compute);
    read_ops(&request->allowed_single, &setup->memory, &given->allowed_single);
    request->options = options_json(setup, given);
    return status;
}

void dg_run_setup_clear(struct dg_run_setup *setup)
{
    dg_support_free(setup->support);
    for (size_t i = 0; i < DG_MOST_BACKENDS; i++)
        dg_support_free(setup->supports[i]);
    dg_groups_clear(&setup->groups);
    dg_text_set_clear(&setup->request.non_compute);
    dg_text_set_clear(&setup->request.allowed_single);
    dg_arena_clear(&setup->memory);
    *setup = (struct dg_run_setup){0};
}
