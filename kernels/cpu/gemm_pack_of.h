/* Packing for one type of sum: gemm_pack.c includes this once for each.
 *
 * SCALAR is that type, OWN_TYPE its name, LOAD loads lines of it; LINES is where
 * scratch memory holds them, MADE where it holds those that a product's line function
 * makes. TURN_SINGLES, where there is one, turns lines of f32. OF() names functions. No
 * guard: this is meant to be read several times. */

static void OF(rows)(void *data, const struct dg_gemm_side *side, int64_t k,
                     union dg_gemm_scratch *scratch)
{
    bool along = side->across != 1 || side->depth == 1;
    SCALAR *to = data;

    for (int64_t i = 0; along && i < side->count; i++)
        LOAD(to + i * k, side->type, element(side, i, 0), side->depth, k);
    for (int64_t p = 0; !along && p < k; p += DG_GEMM_TURNED) {
        int64_t n = dg_gemm_least(k - p, DG_GEMM_TURNED);

        for (int64_t q = 0; q < n; q++)
            LOAD(scratch->LINES + q * side->count, side->type, element(side, 0, p + q),
                 1, side->count);
        OF(turn)(to + p, k, scratch->LINES, side->count, n, side->count);
    }
}

/* Elements `p` to p + n of lines along k, from where they are turned in the fewest
 * bytes. */
static void OF(piece)(SCALAR *to, const struct dg_gemm_side *side, int64_t p, int64_t n,
                      union dg_gemm_scratch *scratch)
{
    enum { WIDTH = DG_GEMM_PANEL / sizeof(SCALAR) };
    const void *from = element(side, 0, p);

    if (side->type == OWN_TYPE) {
        OF(turn)(to, WIDTH, from, side->across, side->count, n);
#ifdef TURN_SINGLES
    } else if (side->type == DG_TYPE_F32) {
        TURN_SINGLES(to, WIDTH, from, side->across, side->count, n);
#endif
    } else {
        for (int64_t i = 0; i < side->count; i++)
            LOAD(scratch->LINES + i * n, side->type, element(side, i, p), 1, n);
        OF(turn)(to, WIDTH, scratch->LINES, n, side->count, n);
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
        struct dg_gemm_side panel = part_of(side, j, WIDTH);

        for (int64_t p = 0; p < k; p += TURNED_DEPTH)
            OF(piece)
        (to + j * k + p * WIDTH, &panel, p, dg_gemm_least(k - p, TURNED_DEPTH), scratch);
    }
    for (int64_t p = 0; !along && p < k; p++) {
        LOAD(scratch->LINES, side->type, element(side, 0, p), side->across,
             side->count);
        OF(spread)(to + p * WIDTH, scratch->LINES, side->count, k);
    }
}

static void OF(row)(void *to, const union dg_gemm_scratch *line, int64_t i, int64_t k)
{
    for (int64_t p = 0; p < k; p++)
        ((SCALAR *)to)[i * k + p] = (SCALAR)line->MADE[p];
}

static void OF(line)(void *to, const union dg_gemm_scratch *line, bool own,
                     int64_t count, int64_t p, int64_t k)
{
    enum { WIDTH = DG_GEMM_PANEL / sizeof(SCALAR) };
    SCALAR converted[DG_GEMM_STRIP_PANELS * WIDTH];

    own |= sizeof(SCALAR) == sizeof(line->MADE[0]);
    for (int64_t i = 0; i < count && !own; i++)
        converted[i] = (SCALAR)line->MADE[i];
    OF(spread)
    ((SCALAR *)to + p * WIDTH, own ? line->LINES : converted, count, k);
}

const struct dg_gemm_packing OF(dg_gemm_packing) = {OF(rows), OF(columns), OF(row),
                                                       OF(line)};

#undef OF
#undef SCALAR
#undef OWN_TYPE
#undef LINES
#undef MADE
#undef LOAD
#undef TURN_SINGLES
