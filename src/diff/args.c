/* The arguments that differ, as people write them, and those that only seem to. */
#include "base/text.h"
#include "diff/told.h"

/* The next of the objects of a JSON array that hold an argument each, stepped over. */
static struct dg_text take_object(struct dg_text *rest)
{
    size_t begin = 0, end;
    int depth = 0;
    bool quoted = false;

    while (begin < rest->size && rest->data[begin] != '{')
        begin++;
    for (end = begin; end < rest->size; end++) {
        char c = rest->data[end];

        if (quoted && c == '\\')
            end++;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted)
            depth += (c == '{') - (c == '}');
        if (!depth)
            break;
    }
    end = end < rest->size ? end + 1 : rest->size;
    *rest = (struct dg_text){rest->data + end, rest->size - end};
    return (struct dg_text){rest->data - (end - begin), end - begin};
}

static const char object_head[] = "{\"name\":\"";

static struct dg_text name_of(struct dg_text object)
{
    size_t begin = sizeof(object_head) - 1, end = begin;

    if (!dg_text_begins(object, object_head))
        return (struct dg_text){"", 0};
    while (end < object.size && object.data[end] != '"')
        end++;
    return (struct dg_text){object.data + begin, end - begin};
}

/* {"name":"dim","int":1} as "dim=1" */
static void write_object(struct dg_writer *out, struct dg_text object)
{
    struct dg_text name = name_of(object);
    size_t value = sizeof(object_head) + name.size;

    while (value < object.size && object.data[value] != ':')
        value++;
    if (!dg_text_begins(object, object_head) || value + 2 > object.size) {
        dg_write(out, object.data, object.size);
        return;
    }
    dg_print(out, "%.*s%s%.*s", (int)name.size, name.data, name.size ? "=" : "",
             (int)(object.size - value - 2), object.data + value + 1);
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

static bool is_json(struct dg_text args)
{
    return dg_text_begins(args, "[{") || dg_text_is(args, "[]");
}

/* One side of argument `i` that differs: "dim=1", "#1=f32 [2]". */
static void write_side(struct dg_writer *out, struct dg_text arg, struct dg_text other,
                       size_t i, bool json)
{
    struct dg_text name = name_of(other);

    if (out->size)
        dg_print(out, ", ");
    if (!arg.size && json && name.size)
        dg_print(out, "no %.*s", (int)name.size, name.data);
    else if (!arg.size)
        dg_print(out, "no #%zu", i);
    else if (json)
        write_object(out, arg);
    else
        dg_print(out, "#%zu=%.*s", i, (int)arg.size, arg.data);
}

/* Whether an argument of that name stands among the next ones. */
static bool comes_later(struct dg_text args, struct dg_text name)
{
    enum { FAR = 64 };

    for (int i = 0; i < FAR && args.size; i++) {
        struct dg_text object = take_object(&args);

        if (object.size && dg_text_equal(name_of(object), name))
            return true;
    }
    return false;
}

/* The next argument of either side. Of one that came or went the other side has none,
 * and waits. */
static void take_both(struct dg_text pair[2], struct dg_text rest[2], bool json)
{
    struct dg_text before[2] = {rest[0], rest[1]};

    for (int side = 0; side < 2; side++)
        pair[side] = json ? take_object(&rest[side]) : take(&rest[side]);
    if (!json || !pair[0].size || !pair[1].size ||
        dg_text_equal(name_of(pair[0]), name_of(pair[1])))
        return;
    for (int side = 0; side < 2; side++) {
        if (!comes_later(rest[!side], name_of(pair[side])))
            continue;
        rest[side] = before[side];
        pair[side] = (struct dg_text){0};
        return;
    }
}

void dg_diff_args(struct dg_text out[2], struct dg_text old, struct dg_text new,
                  struct dg_arena *memory)
{
    enum { MOST = 4 };
    bool json = is_json(old) && is_json(new);
    struct dg_text rest[2] = {old, new};
    struct dg_writer sides[2] = {{0}, {0}};
    size_t n_different = 0;

    for (size_t i = 0; rest[0].size || rest[1].size; i++) {
        struct dg_text pair[2];

        take_both(pair, rest, json);
        if (dg_text_equal(pair[0], pair[1]) || n_different++ >= MOST)
            continue;
        write_side(&sides[0], pair[0], pair[1], i, json);
        write_side(&sides[1], pair[1], pair[0], i, json);
    }
    for (int side = 0; side < 2; side++) {
        if (n_different > MOST)
            dg_print(&sides[side], " and %zu more", n_different - MOST);
        out[side] = dg_keep(memory, &sides[side]);
    }
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
