/* Views of the program in the store of rules.h, as pictures. */
#include "unit/view_case.h"

#include <string.h>

struct dg_picture view_picture;

void draw_view_with(const struct dg_view *view, const struct dg_view_options *options)
{
    enum dg_status status;

    given("UPDATE signature SET value_id = (SELECT id FROM value"
          " WHERE value.name = signature.name)"
          " WHERE direction = 'input' AND value_id IS NULL");
    view_picture = (struct dg_picture){0};
    status = view->build(&view_picture, rules_store, options, &rules_err);
    ck_assert_msg(!status, "%s", rules_err.text);
}

void draw_view(const struct dg_view *view)
{
    draw_view_with(view, &(struct dg_view_options){0});
}

void refuse_view(const struct dg_view *view, const struct dg_view_options *options,
                 const char *why)
{
    view_picture = (struct dg_picture){0};
    ck_assert_int_eq(view->build(&view_picture, rules_store, options, &rules_err),
                     DG_ERR_USAGE);
    ck_assert_str_eq(rules_err.text, why);
    dg_picture_clear(&view_picture);
}

void erase_view(void)
{
    dg_picture_clear(&view_picture);
    rules_close();
}

size_t count_drawn(enum dg_box_kind kind)
{
    size_t n = 0;

    for (size_t i = 0; i < view_picture.n_boxes; i++)
        n += view_picture.boxes[i].drawn && view_picture.boxes[i].kind == kind;
    return n;
}

size_t box_called(const char *name)
{
    for (size_t i = 0; i < view_picture.n_boxes; i++)
        if (dg_text_is(view_picture.boxes[i].name, name) ||
            dg_text_is(view_picture.boxes[i].title, name))
            return i;
    ck_abort_msg("no box %s", name);
    return 0;
}

const struct dg_link *link_between(const char *from, const char *to)
{
    size_t a = box_called(from), b = box_called(to);

    for (size_t i = 0; i < view_picture.n_links; i++)
        if (view_picture.links[i].from == a && view_picture.links[i].to == b)
            return &view_picture.links[i];
    ck_abort_msg("no link from %s to %s", from, to);
    return NULL;
}

bool box_says(const char *box, const char *line)
{
    for (const struct dg_line *at = view_picture.boxes[box_called(box)].lines; at;
         at = at->next)
        if (strstr(at->text.data, line))
            return true;
    return false;
}

bool caption_says(const char *words)
{
    for (size_t i = 0; i < view_picture.n_hints; i++)
        if (strstr(view_picture.hints[i].data, words))
            return true;
    return false;
}
