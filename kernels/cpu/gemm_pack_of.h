/* Packing for one type of sum: gemm_pack.c includes this once for each.
 *
 * SCALAR is that type, OWN_TYPE its name, LOAD loads lines of it; LINES is where
 * scratch memory holds them, MADE where it holds those that a product's line function
 * makes. OF() names functions. No guard: it is meant to be read several times. */

/* to[q][j] = from[j][q] for j < n_lines, q < n. */
static void OF(turn)(SCALAR *restrict to, int64_t to_step, const SCALAR *restrict from,
                     int64_t from_step, int64_t n_lines, int64_t n)
{
    int64_t j = 0;

    /* Four lines at a time: a store for each, while their loads stay in the cache. */
    for (; j + 4 <= n_lines; j += 4) {
        for (int64_t q = 0; q < n; q++) {
            for (int64_t i = 0; i < 4; i++)
                to[q * to_step + j + i] = from[(j + i) * from_step + q];
        }
    }
    for (; j < n_lines; j++) {
        for (int64_t q = 0; q < n; q++)
            to[q * to_step + j] = from[j * from_step + q];
    }
}

static void OF(rows)(void *data, const struct dg_gemm_side *side, int64_t k,
                     union dg_gemm_scratch *scratch)
{
    bool along = side->across != 1 || side->depth == 1;
    SCALAR *to = data;

    for (int64_t i = 0; along && i < side->count; i++)
        LOAD(to + i * k, side->type, element(side, i, 0), side->depth, k);
    for (int64_t p = 0; !along && p < k; p += DG_GEMM_TURNED) {
        int64_t n = least(k - p, DG_GEMM_TURNED);

        for (int64_t q = 0; q < n; q++)
            LOAD(scratch->LINES + q * side->count, side->type, element(side, 0, p + q),
                 1, side->count);
        OF(turn)(to + p, k, scratch->LINES, side->count, n, side->count);
    }
}

/* A panel of columns that lie along k. */
static void OF(panel)(SCALAR *to, const struct dg_gemm_side *side, int64_t k,
                      union dg_gemm_scratch *scratch)
{
    enum { WIDTH = DG_GEMM_PANEL / sizeof(SCALAR) };

    for (int64_t p = 0; p < k; p += TURNED_DEPTH) {
        int64_t n = least(k - p, TURNED_DEPTH), step = TURNED_DEPTH;
        const SCALAR *lines = scratch->LINES;

        if (side->type == OWN_TYPE) {
            lines = (const SCALAR *)(const void *)element(side, 0, p);
            step = side->across;
        }
        for (int64_t i = 0; lines == scratch->LINES && i < side->count; i++)
            LOAD(scratch->LINES + i * step, side->type, element(side, i, p), 1, n);
        OF(turn)(to + p * WIDTH, WIDTH, lines, step, side->count, n);
    }
}

/* A line of columns goes to the same place of all panels. */
static void OF(spread)(SCALAR *to, const SCALAR *line, int64_t count, int64_t k)
{
    enum { WIDTH = DG_GEMM_PANEL / sizeof(SCALAR) };
    int64_t j = 0;

    for (; j + WIDTH <= count; j += WIDTH) {
        for (int64_t i = 0; i < WIDTH; i++)
            to[j * k + i] = line[j + i];
    }
    for (int64_t i = 0; j + i < count; i++)
        to[j * k + i] = line[j + i];
}

static void OF(columns)(void *data, const struct dg_gemm_side *side, int64_t k,
                        union dg_gemm_scratch *scratch)
{
    enum { WIDTH = DG_GEMM_PANEL / sizeof(SCALAR) };
    bool along = side->depth == 1 && side->across != 1;
    SCALAR *to = data;

    for (int64_t j = 0; along && j < side->count; j += WIDTH) {
        struct dg_gemm_side panel = *side;

        panel.data = element(side, j, 0);
        panel.count = least(side->count - j, WIDTH);
        OF(panel)(to + j * k, &panel, k, scratch);
    }
    for (int64_t p = 0; !along && p < k; p++) {
        LOAD(scratch->LINES, side->type, element(side, 0, p), side->across,
             side->count);
        OF(spread)(to + p * WIDTH, scratch->LINES, side->count, k);
    }
}

static void OF(line)(void *to, const union dg_gemm_scratch *line, int64_t count,
                     int64_t p, int64_t k)
{
    enum { WIDTH = DG_GEMM_PANEL / sizeof(SCALAR) };
    SCALAR converted[DG_GEMM_TILE_COLUMNS];

    for (int64_t i = 0; i < count; i++)
        converted[i] = (SCALAR)line->MADE[i];
    OF(spread)((SCALAR *)to + p * WIDTH, converted, count, k);
}

const struct dg_gemm_packing OF(dg_gemm_packing) = {OF(rows), OF(columns), OF(line)};

#undef OF
#undef SCALAR
#undef OWN_TYPE
#undef LINES
#undef MADE
#undef LOAD
