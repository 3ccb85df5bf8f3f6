/* What was found is held to who reads whom in both programs: alignments of numbers and
 * names may be off by one where something is gone. */
#include "base/csr.h"
#include "exec/ancestry.h"
#include "exec/match_parts.h"

struct check {
    const struct dg_schedule *program, *lowered;
    struct dg_ancestry *ancestry;
    uint32_t *makers;               /* by slot */
    const uint32_t *lowered_makers; /* by slot */
    const uint32_t *inputs;         /* as dg_user_inputs_of() has them */
    const uint64_t *weights, *lowered_weights;
    struct dg_csr pieces;  /* by step of the program: what came from it */
    struct dg_csr readers; /* of the program: steps by what they read first */
};

/* What the pieces of one step read from outside of them. */
struct look {
    const struct check *check;
    uint32_t wanted; /* step or input of `lowered` */
    bool found, unknown;
};

static void look_at(void *data, uint32_t slot)
{
    struct look *look = data;
    const uint32_t *came_from = look->check->ancestry->came_from;
    uint32_t n_steps = (uint32_t)look->check->lowered->n_steps;
    uint32_t maker = look->check->lowered_makers[slot];

    if (maker == DG_NO_STEP)
        return;
    if (maker == look->wanted)
        look->found = true;
    else if (maker >= n_steps || look->wanted >= n_steps)
        return;
    else if (came_from[maker] == DG_NO_STEP)
        look->unknown = true;
    else if (came_from[maker] == came_from[look->wanted])
        look->found = true;
}

/* Where the result of a step or input of the program lies in `lowered`. */
static uint32_t place_of(const struct check *check, uint32_t source)
{
    return source >= check->program->n_steps
               ? check->inputs[source - check->program->n_steps]
               : check->ancestry->became[source];
}

struct evidence {
    const struct check *check;
    uint32_t step, became, head;
    bool agrees, differs;
};

static void weigh(void *data, uint32_t slot)
{
    struct evidence *evidence = data;
    const struct check *check = evidence->check;
    uint32_t source = check->makers[slot];
    uint32_t begin = check->pieces.begins[evidence->head];
    uint32_t end = check->pieces.begins[evidence->head + 1];
    struct look look = {check, DG_NO_STEP};

    if (source == DG_NO_STEP)
        return;
    look.wanted = place_of(check, source);
    if (look.wanted == DG_NO_STEP)
        return;
    if (look.wanted == evidence->became) {
        evidence->agrees = true; /* it took that up */
        return;
    }
    if (end - begin > DG_READERS_MOST)
        return;
    for (uint32_t k = begin; k < end; k++)
        dg_step_reads(&check->lowered->steps[check->pieces.items[k]], look_at, &look);
    evidence->agrees |= look.found;
    evidence->differs |= !look.found && !look.unknown;
}

static bool has_its_weight(const struct check *check, uint32_t step, uint32_t became)
{
    return check->weights[step] &&
           check->weights[step] == check->lowered_weights[became];
}

/* Whether another step does the same to the same, and lives on nowhere: which of both
 * does, nobody knows. */
static bool has_twin(const struct check *check, uint32_t step)
{
    const struct dg_step *steps = check->program->steps;
    uint32_t source = dg_first_source(&steps[step], check->makers);
    const uint32_t *begins = check->readers.begins;

    if (source == DG_NO_STEP || dg_step_is_first_item(&steps[step]) ||
        begins[source + 1] - begins[source] > DG_READERS_MOST)
        return false;
    for (uint32_t k = begins[source]; k < begins[source + 1]; k++) {
        uint32_t other = check->readers.items[k];

        if (other != step && steps[other].kernel == steps[step].kernel &&
            check->ancestry->became[other] == DG_NO_STEP)
            return true;
    }
    return false;
}

/* Inside of delegates it takes a reason to believe an alignment. */
static bool is_believed(const struct check *check, uint32_t step)
{
    uint32_t became = check->ancestry->became[step];
    uint32_t head = check->ancestry->came_from[became];
    struct evidence evidence = {check, step, became, head, false, false};

    if (head == DG_NO_STEP)
        return false;
    dg_step_reads(&check->program->steps[step], weigh, &evidence);
    if (evidence.differs || !check->lowered->steps[became].xnnpack)
        return !evidence.differs;
    return has_its_weight(check, step, became) ||
           (evidence.agrees && !has_twin(check, step));
}

/* What came from a step that is not believed came from nowhere that is known. */
static void drop_pieces(struct dg_ancestry *ancestry, const struct check *check,
                        uint32_t step)
{
    for (uint32_t k = check->pieces.begins[step]; k < check->pieces.begins[step + 1];
         k++)
        ancestry->came_from[check->pieces.items[k]] = DG_NO_STEP;
    ancestry->became[step] = DG_NO_STEP;
}

/* Floats of codes that are not made any more are the codes that are read instead. */
static void look_through(const struct check *check)
{
    for (size_t i = 0; i < check->program->n_steps; i++) {
        const struct dg_step *step = &check->program->steps[i];

        if (check->ancestry->became[i] == DG_NO_STEP && dg_step_dequantizes(step))
            check->makers[step->results[0]] = dg_maker_of(check->makers, step, 0);
    }
}

void dg_ancestry_check(struct dg_ancestry *ancestry, const struct dg_schedule *program,
                       const struct dg_schedule *lowered, struct dg_arena *memory)
{
    struct check check = {program,
                          lowered,
                          ancestry,
                          dg_makers_of(program, memory),
                          dg_makers_of(lowered, memory),
                          dg_user_inputs_of(program, lowered, memory),
                          dg_weight_hashes(program, memory),
                          dg_weight_hashes(lowered, memory)};

    look_through(&check);
    check.readers = dg_readers_by_source(program, check.makers, memory);
    dg_csr_by_key(&check.pieces, ancestry->came_from, (uint32_t)lowered->n_steps,
                  (uint32_t)program->n_steps, memory);
    for (uint32_t i = 0; i < program->n_steps; i++) {
        if (ancestry->became[i] != DG_NO_STEP && !is_believed(&check, i))
            drop_pieces(ancestry, &check, i);
    }
    for (uint32_t i = 0; i < program->n_steps; i++) {
        uint32_t became = ancestry->became[i];

        if (became != DG_NO_STEP && ancestry->came_from[became] == DG_NO_STEP)
            ancestry->became[i] = DG_NO_STEP; /* its head is not believed */
    }
}
