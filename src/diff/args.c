/* The arguments that differ, as people write them, and those that only seem to. */
#include "base/text.h"
#include "diff/told.h"

/* One of the objects of a JSON array that hold an argument each. */
static struct dg_text around(struct dg_text args, size_t differs)
{
    size_t begin = differs < args.size ? differs : args.size, end = begin;
    int depth = 0;

    while (
        begin &&
        !(args.data[begin] == '{' &&
          (begin < 2 || args.data[begin - 1] == '[' || args.data[begin - 1] == ',') &&
          dg_text_begins((struct dg_text){args.data + begin, args.size - begin},
                         "{\"name\":\"")))
        begin--;
    for (end = begin; end < args.size; end++) {
        depth += args.data[end] == '{';
        depth -= args.data[end] == '}';
        if (!depth)
            break;
    }
    return (struct dg_text){args.data + begin,
                            (end < args.size ? end + 1 : end) - begin};
}

/* {"name":"dim","int":1} as "dim=1" */
static struct dg_text readable(struct dg_text object, struct dg_arena *memory)
{
    static const char head[] = "{\"name\":\"";
    size_t name = sizeof(head) - 1, end, value;

    if (!dg_text_begins(object, head))
        return object;
    for (end = name; end < object.size && object.data[end] != '"';)
        end++;
    for (value = end + 1; value < object.size && object.data[value] != ':';)
        value++;
    if (value + 2 > object.size)
        return object;
    return dg_format(memory, "%.*s%s%.*s", (int)(end - name), object.data + name,
                     end > name ? "=" : "", (int)(object.size - value - 2),
                     object.data + value + 1);
}

/* The operand of an instruction that `differs` lies in: "#1=f32 [2]". */
static struct dg_text operand(struct dg_text args, size_t differs,
                              struct dg_arena *memory)
{
    size_t begin = 0, end, n = 0;

    for (size_t i = 0; i + 1 < args.size && i + 1 < differs; i++) {
        if (args.data[i] == ';' && args.data[i + 1] == ' ') {
            begin = i + 2;
            n++;
        }
    }
    for (end = begin; end + 1 < args.size; end++) {
        if (args.data[end] == ';' && args.data[end + 1] == ' ')
            break;
    }
    if (begin >= args.size)
        return dg_format(memory, "no #%zu", n);
    return dg_format(memory, "#%zu=%.*s", n, (int)(end - begin), args.data + begin);
}

void dg_diff_args(struct dg_text out[2], struct dg_text old, struct dg_text new,
                  struct dg_arena *memory)
{
    size_t differs = 0;

    while (differs < old.size &&
           differs < new.size &&old.data[differs] == new.data[differs])
        differs++;
    if (!dg_text_begins(old, "[{") || !dg_text_begins(new, "[{")) {
        out[0] = operand(old, differs, memory);
        out[1] = operand(new, differs, memory);
        return;
    }
    out[0] = readable(around(old, differs), memory);
    out[1] = readable(around(new, differs), memory);
}

/* The next operand, stepped over. */
static struct dg_text take(struct dg_text *rest)
{
    struct dg_text taken = {rest->data, 0};

    while (taken.size < rest->size &&
           !(rest->data[taken.size] == ';' && taken.size + 1 < rest->size &&
             rest->data[taken.size + 1] == ' '))
        taken.size++;
    rest->data += taken.size;
    rest->size -= taken.size;
    if (rest->size) {
        rest->data += 2;
        rest->size -= 2;
    }
    return taken;
}

static bool comes_from_somewhere(struct dg_text operand)
{
    return dg_text_begins(operand, "@") || dg_text_begins(operand, "input ") ||
           dg_text_begins(operand, "state");
}

bool dg_diff_args_match(struct dg_text old, struct dg_text new)
{
    while (old.size && new.size) {
        struct dg_text a = take(&old), b = take(&new);

        if (!dg_text_equal(a, b) &&
            !(comes_from_somewhere(a) && comes_from_somewhere(b)))
            return false;
    }
    return !old.size && !new.size;
}

static bool has_alone_maker(const struct dg_diffing *diffing, int side, uint32_t node)
{
    const struct dg_csr *makers = &diffing->sides[side].makers;

    for (uint32_t k = makers->begins[node]; k < makers->begins[node + 1]; k++) {
        if (diffing->alignment.others[side][makers->items[k]] == DG_DIFF_ALONE)
            return true;
    }
    return false;
}

bool dg_diff_told_by_makers(const struct dg_diffing *diffing, uint32_t old,
                            uint32_t new, struct dg_text old_args,
                            struct dg_text new_args)
{
    return diffing->sides[0].is_pte &&
           (has_alone_maker(diffing, 0, old) || has_alone_maker(diffing, 1, new)) &&
           dg_diff_args_match(old_args, new_args);
}
