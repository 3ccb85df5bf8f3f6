/* Which elements of two tensors are further apart than they may be, and how many. */
#include <math.h>

#include "exec/compare_parts.h"
#include "exec/compare_piece.h"
#include "exec/ulp.h"
#include "kernels/cpu/line.h"

struct beyond {
    struct dg_pair pair;
    const struct dg_nearness *bound;
    struct dg_beyond found;
};

static bool near(const struct beyond *beyond, double ref, double got)
{
    const struct dg_nearness *bound = beyond->bound;
    double error = dg_difference(ref, got);

    return ref == got || error <= bound->rel * fabs(ref) || error <= bound->absolute ||
           (!isnan(ref) && !isnan(got) &&
            dg_ulp_distance(beyond->pair.tested->type, ref, got) <= bound->ulp);
}

static bool went_two_ways(const struct beyond *beyond, double ref, double got,
                          const double ways[2])
{
    return !near(beyond, ways[0], ways[1]) &&
           ((near(beyond, ways[0], ref) && near(beyond, ways[1], got)) ||
            (near(beyond, ways[1], ref) && near(beyond, ways[0], got)));
}

static bool is_worse(const struct dg_beyond *found, double ref, double got)
{
    return !found->count ||
           dg_difference(ref, got) > dg_difference(found->worst_ref, found->worst_got);
}

static void join(struct dg_beyond *found, const struct dg_beyond *later)
{
    int64_t count = found->count + later->count;

    if (later->count && is_worse(found, later->worst_ref, later->worst_got))
        *found = *later;
    found->count = count;
}

static void add_beyond(struct beyond *beyond, double ref, double got, int64_t at)
{
    struct dg_beyond *found = &beyond->found;

    if (is_worse(found, ref, got)) {
        found->worst = at;
        found->worst_ref = ref;
        found->worst_got = got;
    }
    found->count++;
}

static void beyond_line(void *data, char *const *at, const int64_t *strides, int64_t n)
{
    struct beyond *beyond = data;
    const struct dg_tensor *const *ways = beyond->bound->ways;
    double by_way[2][DG_LINE_MOST];
    struct dg_pair_piece piece;
    struct dg_piece_sums of_piece;
    int64_t before = beyond->pair.seen;

    beyond->pair.seen += n;
    dg_pair_load(&piece, &beyond->pair, at, strides, n);
    if (dg_piece_measure(&of_piece, piece.ref, piece.got, n) &&
        of_piece.most <= beyond->bound->absolute)
        return;
    for (int k = 0; ways[0] && k < 2; k++)
        dg_load_f64(by_way[k], ways[k]->type, at[2 + k], strides[2 + k], n);
    for (int64_t i = 0; i < n; i++) {
        double ref = piece.ref[i], got = piece.got[i];

        if (isnan(ref) || isnan(got) || near(beyond, ref, got) ||
            (ways[0] &&
             went_two_ways(beyond, ref, got, (double[]){by_way[0][i], by_way[1][i]})))
            continue;
        add_beyond(beyond, ref, got, before + i);
    }
}

struct dg_beyond dg_find_beyond(const struct dg_tensor *reference,
                                const struct dg_tensor *tested,
                                const struct dg_nearness *bound)
{
    struct beyond parts[DG_PAIR_PARTS], *beyond = &parts[0];
    int n;

    *beyond = (struct beyond){dg_pair_of(reference, tested), bound, {0}};
    for (int k = 0; k < 2; k++)
        beyond->pair.beside[k] = bound->ways[k];
    n = dg_pair_walk(parts, sizeof(*parts), beyond_line);
    for (int i = 1; i < n; i++)
        join(&beyond->found, &parts[i].found);
    if (beyond->found.count)
        beyond->found.worst = dg_pair_index(&beyond->pair, beyond->found.worst);
    beyond->found.count *= beyond->pair.times;
    return beyond->found;
}

struct differing {
    struct dg_differences *count;
    enum dg_type types[4];
    int n;
};

static void differing_line(void *data, char *const *at, const int64_t *strides,
                           int64_t n)
{
    struct differing *differing = data;
    int64_t values[4][DG_LINE_MOST];

    for (int k = 0; k < differing->n; k++)
        dg_load_i64(values[k], differing->types[k], at[k], strides[k], n);
    for (int64_t i = 0; i < n; i++) {
        bool tested = values[1][i] != values[0][i], evaluations = false;

        for (int k = 2; k < differing->n; k++)
            evaluations = evaluations || values[k][i] != values[0][i];
        differing->count->tested += tested;
        differing->count->evaluations += evaluations;
        differing->count->both += tested && evaluations;
    }
}

void dg_count_differences(struct dg_differences *count,
                          const struct dg_tensor *reference,
                          const struct dg_tensor *tested,
                          const struct dg_tensor *const *evaluations)
{
    struct dg_tensor *tensors[4] = {(struct dg_tensor *)reference,
                                    (struct dg_tensor *)tested};
    struct differing differing = {count, {0}, 2};
    struct dg_walk walk;
    int64_t times;

    *count = (struct dg_differences){0, 0, 0};
    for (int k = 0; k < 2; k++) {
        if (evaluations[k])
            tensors[differing.n++] = (struct dg_tensor *)evaluations[k];
    }
    for (int k = 0; k < differing.n; k++)
        differing.types[k] = tensors[k]->type;
    dg_walk_begin(&walk, differing.n, tensors);
    times = dg_walk_once(&walk);
    dg_walk_lines(&walk, 1, differing_line, &differing);
    count->tested *= times;
    count->evaluations *= times;
    count->both *= times;
}
