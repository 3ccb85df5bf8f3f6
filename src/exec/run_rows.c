/* What a run found, as rows of num_run and num_result. */
#include <math.h>
#include <stdio.h>

#include "base/hash.h"
#include "base/text.h"
#include "exec/run_parts.h"
#include "kernels/cpu/walk.h"

/* Parameters in the order of the columns; what is not bound is NULL. */
struct row {
    struct dg_rows rows;
    int parameter;
};

static void add_int(struct row *row, int64_t value)
{
    dg_rows_bind_int(&row->rows, ++row->parameter, value);
}

static void add_int_or_null(struct row *row, int64_t value, bool known)
{
    row->parameter++;
    if (known)
        dg_rows_bind_int(&row->rows, row->parameter, value);
}

static void add_text(struct row *row, const char *value)
{
    row->parameter++;
    if (value && *value)
        dg_rows_bind_text(&row->rows, row->parameter, dg_text(value));
}

/* A text of digits becomes what the column holds: a number. */
static void add_real(struct row *row, double value)
{
    char text[40];

    snprintf(text, sizeof(text), "%.17g", value);
    add_text(row, isfinite(value) ? text : NULL);
}

static enum dg_status insert(struct row *row, struct dg_error *err)
{
    row->parameter = 0;
    while (dg_rows_next(&row->rows))
        ;
    return dg_rows_again(&row->rows, err);
}

static void hash_value(struct dg_writer *digests, const struct dg_arg *value,
                       struct dg_arena *memory)
{
    struct dg_arg copy = {0};
    struct dg_bytes bytes = {0};

    dg_arg_set(&copy, value);
    dg_keep_copy(&copy);
    if (copy.kind == DG_ARG_TENSOR) {
        bytes.data = copy.as.tensor->storage->bytes;
        bytes.size = copy.as.tensor->storage->size;
        dg_write_text(digests, dg_xxh3(bytes, memory));
    } else if (copy.kind == DG_ARG_FLOAT) {
        dg_print(digests, "%.17g ", copy.as.real);
    } else if (copy.kind == DG_ARG_INT || copy.kind == DG_ARG_BOOL) {
        dg_print(digests, "%lld ", (long long)copy.as.integer);
    }
    dg_arg_drop(&copy);
}

static struct dg_text hash_inputs(const struct dg_numeric_call *calls, size_t n_calls,
                                  struct dg_arena *memory)
{
    struct dg_writer digests = {0};
    struct dg_text hash;

    for (size_t i = 0; i < n_calls; i++) {
        for (size_t k = 0; k < calls[i].inputs->n_values; k++)
            hash_value(&digests, &calls[i].inputs->values[k], memory);
    }
    hash = dg_xxh3((struct dg_bytes){(const unsigned char *)digests.data, digests.size},
                   memory);
    dg_writer_clear(&digests);
    return hash;
}

static const char insert_run[] =
    "INSERT INTO num_run(artifact_id, method_id, graph_id, part, device, device_name,"
    " reference, against, inputs, input_xxh3, seed, tf32, policy, repeats,"
    " repeats_equal)"
    " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";

static enum dg_status store_run(const struct dg_numeric_request *request,
                                const struct dg_numeric_answer *answer,
                                const struct dg_numeric_call *calls, size_t n_calls,
                                struct dg_error *err)
{
    const struct dg_schedule *schedule = request->schedule;
    int64_t repeats = request->n_repeats > 1 ? request->n_repeats : 1;
    struct dg_arena memory = {0};
    struct row row = {0};
    enum dg_status status = dg_rows_open(&row.rows, request->store, insert_run, err);

    if (status)
        return status;
    add_int(&row, schedule->artifact_id);
    add_int_or_null(&row, schedule->method_id, schedule->method_id);
    add_int_or_null(&row, schedule->graph_id, schedule->graph_id);
    add_text(&row, request->part);
    add_text(&row, request->device ? request->device->name : "cpu");
    add_text(&row, request->device_name);
    add_text(&row, request->against             ? "against"
                   : n_calls && calls->expected ? "expected"
                                                : "reference");
    add_text(&row, request->against_path);
    add_text(&row, n_calls ? calls->inputs->source : "none");
    add_text(&row, hash_inputs(calls, n_calls, &memory).data);
    add_int_or_null(&row, request->seed, request->seed >= 0);
    add_int(&row, request->tf32);
    add_text(&row, dg_policy_version);
    add_int(&row, repeats);
    add_int_or_null(&row, answer->repeats_equal, repeats > 1);
    status = insert(&row, err);
    dg_arena_clear(&memory);
    return dg_rows_close(&row.rows, status, err);
}

static const char insert_result[] =
    "INSERT INTO num_result(run_id, call, kind, pos, node_id, name, op, dtype, shape,"
    " tolerance, verdict, why, elements, compared, snr_db, max_abs, max_rel, max_ulp,"
    " cosine, rmse, mismatches, nan_ref, nan_got, inf_ref, inf_got, worst_index,"
    " worst_ref, worst_got, error, floor, allowed, snr_limit, ulp_limit, rtol, atol,"
    " pass_rtol, pass_atol) VALUES((SELECT max(id) FROM num_run), ?1, ?2, ?3, ?4, ?5,"
    " ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22,"
    " ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35, ?36)";

static void add_metrics(struct row *row, const struct dg_metrics *metrics, bool known)
{
    add_int_or_null(row, metrics->count, known);
    add_int_or_null(row, metrics->compared, known);
    add_real(row, metrics->snr_db);
    add_real(row, known ? metrics->max_abs : NAN);
    add_real(row, known ? metrics->max_rel : NAN);
    add_int_or_null(row, metrics->max_ulp, metrics->max_ulp >= 0);
    add_real(row, metrics->cosine);
    add_real(row, known ? metrics->rmse : NAN);
    add_int_or_null(row, metrics->mismatches, known);
    add_int_or_null(row, metrics->nan[0], known);
    add_int_or_null(row, metrics->nan[1], known);
    add_int_or_null(row, metrics->inf[0], known);
    add_int_or_null(row, metrics->inf[1], known);
    add_int_or_null(row, metrics->worst, metrics->worst >= 0);
    add_real(row, metrics->worst >= 0 ? metrics->worst_ref : NAN);
    add_real(row, metrics->worst >= 0 ? metrics->worst_got : NAN);
}

static enum dg_status store_result(struct row *row,
                                   const struct dg_numeric_request *request,
                                   const struct dg_numeric_result *result, size_t call,
                                   size_t pos, struct dg_error *err)
{
    const struct dg_judgement *judgement = &result->judgement;
    bool is_step = result->step != DG_NO_STEP, known = result->type != DG_TYPE_NONE;
    int64_t node = is_step ? request->schedule->steps[result->step].node_id : 0;

    add_int(row, (int64_t)call);
    add_text(row, !is_step ? "output" : request->partition_of ? "partition" : "node");
    add_int(row, (int64_t)(is_step ? pos : result->output));
    add_int_or_null(row, node, node);
    add_text(row, result->name && *result->name ? result->name : "?");
    add_text(row, result->op);
    add_text(row, known ? dg_type_name(result->type) : NULL);
    add_text(row, result->shape);
    add_text(row, dg_tolerance_names[result->tolerance]);
    add_text(row, dg_verdict_names[judgement->verdict]);
    add_text(row, judgement->why);
    add_metrics(row, &judgement->metrics, known);
    add_real(row, judgement->error);
    add_real(row, judgement->floor);
    add_real(row, judgement->allowed);
    add_real(row, judgement->snr_limit);
    add_int_or_null(row, judgement->ulp_limit, judgement->ulp_limit >= 0);
    add_real(row, known ? judgement->rtol : NAN);
    add_real(row, known ? judgement->atol : NAN);
    add_real(row, known ? judgement->metrics.pass_rtol : NAN);
    add_real(row, known ? judgement->metrics.pass_atol : NAN);
    return insert(row, err);
}

enum dg_status dg_numeric_store(const struct dg_numeric_request *request,
                                const struct dg_numeric_answer *answer,
                                const struct dg_numeric_call *calls, size_t n_calls,
                                struct dg_error *err)
{
    struct row row = {0};
    enum dg_status status = store_run(request, answer, calls, n_calls, err);

    if (!status)
        status = dg_rows_open(&row.rows, request->store, insert_result, err);
    if (status)
        return status;
    for (size_t call = 0; call < answer->n_calls && !status; call++) {
        for (size_t i = answer->first_of_call[call];
             i < answer->first_of_call[call + 1] && !status; i++)
            status = store_result(&row, request, &answer->results[i], call, i, err);
    }
    for (size_t i = 0; i < answer->n_steps && !status; i++)
        status = store_result(&row, request, &answer->steps[i],
                              answer->n_calls ? answer->n_calls - 1 : 0, i, err);
    return dg_rows_close(&row.rows, status, err);
}
