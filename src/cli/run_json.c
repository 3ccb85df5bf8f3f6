/* The outcome of run as JSON. What is not defined is null: JSON has no infinity. */
#include <math.h>

#include "cli/run_print.h"

static void real(struct dg_writer *out, const char *key, double value)
{
    if (isfinite(value))
        dg_print(out, ",\"%s\":%.9g", key, value);
    else
        dg_print(out, ",\"%s\":null", key);
}

/* An element: all that its type holds. */
static void element(struct dg_writer *out, const char *key, double value)
{
    if (isfinite(value))
        dg_print(out, ",\"%s\":%.17g", key, value);
    else
        dg_print(out, ",\"%s\":null", key);
}

static void whole(struct dg_writer *out, const char *key, int64_t value, bool known)
{
    if (known)
        dg_print(out, ",\"%s\":%lld", key, (long long)value);
    else
        dg_print(out, ",\"%s\":null", key);
}

static void text(struct dg_writer *out, const char *key, const char *value)
{
    dg_print(out, ",\"%s\":", key);
    if (value && *value)
        dg_write_json(out, dg_text(value));
    else
        dg_print(out, "null");
}

static void pair(struct dg_writer *out, const char *key, const int64_t *values,
                 bool known)
{
    if (known)
        dg_print(out, ",\"%s\":[%lld,%lld]", key, (long long)values[0],
                 (long long)values[1]);
    else
        dg_print(out, ",\"%s\":null", key);
}

static void metrics_json(struct dg_writer *out, const struct dg_metrics *metrics,
                         bool known)
{
    real(out, "snr_db", metrics->snr_db);
    real(out, "max_abs", known ? metrics->max_abs : NAN);
    real(out, "max_rel", known ? metrics->max_rel : NAN);
    whole(out, "max_ulp", metrics->max_ulp, metrics->max_ulp >= 0);
    real(out, "cosine", metrics->cosine);
    real(out, "rmse", known ? metrics->rmse : NAN);
    whole(out, "elements", metrics->count, known);
    whole(out, "compared", metrics->compared, known);
    whole(out, "mismatches", metrics->mismatches, known);
    pair(out, "nan", metrics->nan, known);
    pair(out, "inf", metrics->inf, known);
    if (metrics->worst >= 0) {
        dg_print(out, ",\"worst\":{\"index\":%lld", (long long)metrics->worst);
        element(out, "ref", metrics->worst_ref);
        element(out, "got", metrics->worst_got);
        dg_print(out, "}");
    } else {
        dg_print(out, ",\"worst\":null");
    }
}

static void judgement_json(struct dg_writer *out, const struct dg_judgement *judgement,
                           enum dg_tolerance tolerance, bool known)
{
    dg_print(out, "\"verdict\":\"%s\"", dg_verdict_names[judgement->verdict]);
    text(out, "why", judgement->why);
    metrics_json(out, &judgement->metrics, known);
    dg_print(out, ",\"tolerance\":{\"class\":\"%s\"", dg_tolerance_names[tolerance]);
    real(out, "snr_db", judgement->snr_limit);
    whole(out, "ulp", judgement->ulp_limit, judgement->ulp_limit >= 0);
    real(out, "rtol", known ? judgement->rtol : NAN);
    real(out, "atol", known ? judgement->atol : NAN);
    real(out, "rmse", judgement->allowed);
    real(out, "rmse_of_rounding", judgement->floor);
    real(out, "rmse_against_f64", judgement->error);
    dg_print(out, "},\"would_pass_at\":{\"rtol\":");
    if (known && isfinite(judgement->metrics.pass_rtol))
        dg_print(out, "%.9g", judgement->metrics.pass_rtol);
    else
        dg_print(out, "null");
    real(out, "atol", known ? judgement->metrics.pass_atol : NAN);
    dg_print(out, "}");
}

static void result_json(struct dg_writer *out, const struct dg_numeric_result *result)
{
    bool known = result->type != DG_TYPE_NONE;

    dg_print(out, "{\"name\":");
    dg_write_json(out, dg_text(result->name));
    if (result->op)
        text(out, "op", result->op);
    text(out, "dtype", known ? dg_type_name(result->type) : NULL);
    dg_print(out, ",\"shape\":%s,", result->shape ? result->shape : "null");
    judgement_json(out, &result->judgement, result->tolerance, known);
    dg_print(out, "}");
}

static void results_json(struct dg_writer *out, const struct dg_numeric_result *results,
                         size_t n)
{
    dg_print(out, "[");
    for (size_t i = 0; i < n; i++) {
        dg_print(out, "%s\n    ", i ? "," : "");
        result_json(out, &results[i]);
    }
    dg_print(out, "]");
}

static void calls_json(struct dg_writer *out, const struct dg_numeric_answer *answer)
{
    dg_print(out, ",\n \"calls\":[");
    for (size_t i = 0; i < answer->n_calls; i++) {
        dg_print(out, "%s\n  {\"outputs\":", i ? "," : "");
        results_json(out, dg_results_of_call(answer, i),
                     answer->first_of_call[i + 1] - answer->first_of_call[i]);
        dg_print(out, "}");
    }
    dg_print(out, "]");
}

static void not_compared_json(struct dg_writer *out,
                              const struct dg_numeric_answer *answer)
{
    dg_print(out, ",\n \"not_compared\":[");
    for (size_t i = 0; i < answer->n_not_compared; i++) {
        const struct dg_not_compared *one = &answer->not_compared[i];

        dg_print(out, "%s\n  {\"node\":", i ? "," : "");
        dg_write_json(out, dg_text(one->node));
        text(out, "op", one->op);
        text(out, "why", one->why);
        dg_print(out, "}");
    }
    dg_print(out, "]");
}

/* With --isolate: what `nodes` lacks although the other program has it. */
static void not_fed_json(struct dg_writer *out, const struct dg_numeric_answer *results)
{
    const char *comma = "";

    dg_print(out, ",\n \"not_isolated\":[");
    for (int why = 0; why < DG_N_NOT_FED; why++) {
        if (!results->n_not_fed[why])
            continue;
        dg_print(out, "%s{\"nodes\":%zu", comma, results->n_not_fed[why]);
        text(out, "why", dg_not_fed_words[why]);
        dg_print(out, "}");
        comma = ",";
    }
    dg_print(out, "]");
}

static void candidates_json(struct dg_writer *out, const struct dg_run_answer *answer)
{
    const struct dg_numeric_answer *results = answer->answer;

    dg_print(out, ",\"suspects\":[");
    for (size_t i = 0; i < results->n_candidates && !results->confirmed; i++) {
        const struct dg_step *step =
            &answer->request->schedule->steps[results->candidates[i]];

        dg_print(out, "%s{\"node\":", i ? "," : "");
        dg_write_json(out, dg_text(step->name ? step->name : ""));
        text(out, "op", step->op);
        dg_print(out, "}");
    }
    dg_print(out, "]");
}

static void bisect_json(struct dg_writer *out, const struct dg_run_answer *answer)
{
    const struct dg_numeric_answer *results = answer->answer;
    const struct dg_numeric_result *culprit;

    if (results->culprit == SIZE_MAX) {
        dg_print(out, ",\n \"bisect\":{\"node\":null,\"values\":%zu", results->n_steps);
        candidates_json(out, answer);
        dg_print(out, "}");
        return;
    }
    culprit = &results->steps[results->culprit];
    dg_print(out, ",\n \"bisect\":{\"node\":");
    dg_write_json(out, dg_text(culprit->name));
    text(out, "op", culprit->op);
    text(out, "other", culprit->other);
    text(out, "module", answer->origin.module);
    text(out, "file", answer->origin.file);
    whole(out, "line", answer->origin.line, answer->origin.file);
    dg_print(out, ",\"values_before\":%zu", results->culprit);
    text(out, "why", culprit->judgement.why);
    dg_print(out, ",\"fails_alone\":%s", results->confirmed ? "true" : "false");
    text(out, "alone", results->confirmed ? results->alone.why : NULL);
    text(out, "not_alone",
         results->alone.verdict == DG_VERDICT_SKIP && *results->alone.why
             ? results->alone.why
             : NULL);
    candidates_json(out, answer);
    dg_print(out, "}");
}

static void reduced_json(struct dg_writer *out, const struct dg_run_reduced *reduced)
{
    dg_print(out, ",\n \"reduced\":{\"nodes\":[");
    for (size_t i = 0; i < reduced->n_steps; i++) {
        dg_print(out, "%s{\"node\":", i ? "," : "");
        dg_write_json(out, dg_text(reduced->steps[i]->name));
        text(out, "op", reduced->steps[i]->op);
        dg_print(out, "}");
    }
    dg_print(out, "],\"of\":%zu", reduced->n_whole);
    text(out, "why", reduced->why);
    text(out, "program", reduced->program);
    text(out, "inputs", reduced->inputs);
    text(out, "wrong", reduced->wrong);
    text(out, "store", reduced->store);
    text(out, "picture", reduced->picture);
    dg_print(out, "}");
}

/* What was not given is null. */
static double given_or_nan(double limit)
{
    return limit >= 0 ? limit : NAN;
}

static void limits_json(struct dg_writer *out, const struct dg_limits *given)
{
    if (!given)
        return;
    dg_print(out, ",\"given\":{\"elements\":%s",
             given->rtol >= 0 || given->atol >= 0 ? "true" : "false");
    real(out, "rtol", given_or_nan(given->rtol));
    real(out, "atol", given_or_nan(given->atol));
    real(out, "min_snr", given_or_nan(given->min_snr));
    dg_print(out, "}");
}

void dg_run_json(struct dg_writer *out, const struct dg_run_answer *answer)
{
    const struct dg_numeric_request *request = answer->request;
    const struct dg_numeric_answer *results = answer->answer;

    dg_print(out, "{\"schema_version\":1,\"method\":");
    dg_write_json(out, dg_text(answer->method));
    text(out, "device", request->device ? request->device->name : "cpu");
    text(out, "part", request->part);
    if (answer->n_calls && answer->calls->actual)
        text(out, "actual", answer->inputs);
    text(out, "inputs",
         answer->n_calls && answer->calls->actual ? NULL : answer->inputs);
    text(out, "against", request->against_path);
    text(out, "policy", dg_policy_version);
    if (results->used_lapack)
        text(out, "lapack", dg_lapack_version(&(struct dg_error){0}));
    limits_json(out, request->given);
    calls_json(out, results);
    if (answer->steps) {
        dg_print(out, ",\n \"nodes\":");
        results_json(out, results->steps, results->n_steps);
    }
    if (answer->steps && request->isolate)
        not_fed_json(out, results);
    not_compared_json(out, results);
    if (request->bisect)
        bisect_json(out, answer);
    if (answer->reduced)
        reduced_json(out, answer->reduced);
    if (request->n_repeats > 1)
        dg_print(out, ",\n \"repeats\":{\"runs\":%lld,\"equal\":%s}",
                 (long long)request->n_repeats,
                 results->repeats_equal ? "true" : "false");
    dg_print(out, ",\n \"summary\":{\"pass\":%lld,\"fail\":%lld,\"skip\":%lld}}\n",
             (long long)results->counts[0], (long long)results->counts[1],
             (long long)results->counts[2]);
}
