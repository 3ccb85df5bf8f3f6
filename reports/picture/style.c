/* Shapes and colours of a picture. */
#include "reports/picture/style.h"

enum { LEGEND_WIDTH = 28 }; /* of the name of a backend */

/* clang-format off */

/* Light and dark: tints of Okabe and Ito's colours, which colour-blind people can tell
 * apart, with lines of the same hue: text stands out from each by 4.5 to 1 or more. */
#define WHITE  {"#ffffff", "#444444"}, {"#22252a", "#b0b0b0"}
#define GREY   {"#e8e8e8", "#666666"}, {"#363a40", "#a8a8a8"}
#define SKY    {"#c9e6f7", "#1f6f9f"}, {"#163a50", "#56b4e9"}
#define BLUE   {"#b5cfe6", "#0072b2"}, {"#0d3a5c", "#4aa8e0"}
#define ORANGE {"#f9d78f", "#8f6300"}, {"#4d3600", "#e69f00"}
#define GREEN  {"#a6dcca", "#006b4e"}, {"#0a4233", "#2cc295"}
#define PINK   {"#ecc9dc", "#8f3f6a"}, {"#4e2a3f", "#cc79a7"}
#define YELLOW {"#f8f2a0", "#756b00"}, {"#474200", "#f0e442"}

/* Of frames: paler, or lines alone. */
#define PALE_GREY   {"#f4f4f4", "#888888"}, {"#2a2d32", "#8a8a8a"}
#define PALE_SKY    {"#edf7fd", "#1f6f9f"}, {"#14222b", "#56b4e9"}
#define PALE_ORANGE {"#fff6e0", "#8f6300"}, {"#292013", "#e69f00"}
#define PALE_GREEN  {"#e6f5f0", "#006b4e"}, {"#11251f", "#2cc295"}
#define PALE_PINK   {"#faeff5", "#8f3f6a"}, {"#2a1b24", "#cc79a7"}
#define LINE(light, dark) {"none", light}, {"none", dark}

/* clang-format on */

const struct dg_style dg_box_styles[DG_N_BOX_STYLES] = {
    [DG_BOX_CALL] = {"call", "box", "rounded,filled", DG_SHAPE_ROUNDED, WHITE, NULL,
                     "operator"},
    [DG_BOX_INPUT] = {"input", "ellipse", "filled", DG_SHAPE_OVAL, SKY, NULL, "input"},
    [DG_BOX_OUTPUT] = {"output", "doubleoctagon", "filled", DG_SHAPE_OCTAGON, SKY, NULL,
                       "output"},
    [DG_BOX_DELEGATE] = {"delegate", "component", "filled", DG_SHAPE_COMPONENT, ORANGE,
                         NULL, "runs on a backend"},
    [DG_BOX_BRANCH] = {"branch", "hexagon", "filled", DG_SHAPE_HEXAGON, YELLOW, NULL,
                       "runs other graphs"},
    [DG_BOX_JUMP] = {"jump", "diamond", "filled", DG_SHAPE_DIAMOND, YELLOW, NULL,
                     "jump"},
    [DG_BOX_MOVE] = {"move", "tab", "filled", DG_SHAPE_TAB, GREY, NULL, "move or free"},
    [DG_BOX_GROUP] = {"group", "folder", "filled", DG_SHAPE_FOLDER, GREY, NULL,
                      "folder: many boxes"},
    [DG_BOX_OFF_PAGE] = {"ghost", "note", "dashed", DG_SHAPE_NOTE, WHITE, "4 2",
                         "value made far away"},
    [DG_BOX_PART] = {"part", "component", "filled", DG_SHAPE_COMPONENT, ORANGE, NULL,
                     "partition"},
    [DG_BOX_HOST] = {"host", "box", "filled", DG_SHAPE_PLAIN, GREY, NULL,
                     "runs on the host"},
    [DG_BOX_COPY] = {"copy", "parallelogram", "bold,filled", DG_SHAPE_SLANTED, BLUE,
                     NULL, "copy between host and device"},
    [DG_BOX_BLOCK] = {"block", "folder", "bold,filled", DG_SHAPE_STACK, GREY, NULL,
                      "blocks that are the same"},
    [DG_BOX_VALUE] = {"value", "cylinder", "filled", DG_SHAPE_CYLINDER, GREEN, NULL,
                      "bytes"},
    [DG_BOX_ADDED] = {"added", "box", "rounded,bold,filled", DG_SHAPE_ROUNDED, GREEN,
                      NULL, "+ added"},
    [DG_BOX_REMOVED] = {"removed", "box", "dashed,filled", DG_SHAPE_PLAIN, PINK, "5 3",
                        "\xe2\x88\x92 removed"},
    [DG_BOX_CHANGED] = {"changed", "octagon", "filled", DG_SHAPE_OCTAGON, YELLOW, NULL,
                        "~ changed"},
};

const struct dg_style dg_frame_styles[DG_N_FRAME_STYLES] = {
    [DG_FRAME_METHOD] = {"f-method", "", "bold", 0, LINE("#000000", "#dddddd")},
    [DG_FRAME_GRAPH] = {"f-graph", "", "dashed", 0, LINE("#756b00", "#f0e442"), "5 3"},
    [DG_FRAME_LOWERED] = {"f-lowered", "", "filled", 0, PALE_ORANGE},
    [DG_FRAME_PART] = {"f-part", "", "filled", 0, PALE_ORANGE},
    [DG_FRAME_MODULE] = {"f-module", "", "rounded", 0, LINE("#888888", "#8a8a8a")},
    [DG_FRAME_BLOCK] = {"f-block", "", "filled", 0, PALE_GREY},
    [DG_FRAME_LANE] = {"f-lane", "", "dashed,bold", 0, LINE("#0072b2", "#4aa8e0"),
                       "8 4"},
};

const struct dg_style dg_backend_styles[DG_N_BACKEND_STYLES] = {
    {"backend-0", "", "", 0, ORANGE},
    {"backend-1", "", "", 0, GREEN},
    {"backend-2", "", "", 0, PINK},
    {"backend-3", "", "", 0, SKY},
};

const struct dg_style dg_backend_frames[DG_N_BACKEND_STYLES] = {
    {"f-backend-0", "", "", 0, PALE_ORANGE},
    {"f-backend-1", "", "", 0, PALE_GREEN},
    {"f-backend-2", "", "", 0, PALE_PINK},
    {"f-backend-3", "", "", 0, PALE_SKY},
};

const struct dg_style dg_highlight_style = {"offends",
                                            "octagon",
                                            "filled",
                                            0,
                                            LINE("#b84a00", "#ff8a3d"),
                                            NULL,
                                            "\xe2\x9c\x97 a finding names it"};

const struct dg_style dg_heat_style = {.name = "heat",
                                       .light = {"#8f3f6a", "none"},
                                       .dark = {"#cc79a7", "none"},
                                       .legend = "time, against the slowest box"};

const struct dg_link_style dg_link_styles[DG_N_LINK_STYLES] = {
    [DG_STYLE_DATA] = {"l-data", "solid", "#444444", "#b0b0b0", NULL, 1, "a value"},
    [DG_STYLE_JUMP] = {"l-jump", "dashed", "#444444", "#b0b0b0", "5 3", 1, "a jump"},
    [DG_STYLE_GRAPH] = {"l-graph", "dotted", "#756b00", "#f0e442", "1.5 2.5", 1.5,
                        "the graph that is run"},
    [DG_STYLE_NEXT] = {"l-next", "solid", "#6b6b6b", "#a8a8a8", NULL, 1,
                       "what is next"},
    [DG_STYLE_WAS] = {"l-was", "dashed", "#8f3f6a", "#cc79a7", "5 3", 1,
                      "a value of the old program"},
    [DG_STYLE_CROSSES] = {"l-crosses", "solid", "#0072b2", "#56b4e9", NULL, 2.5,
                          "crosses a border"},
    [DG_STYLE_HIGHLIGHT] = {"l-offends", "solid", "#b84a00", "#ff8a3d", NULL, 5,
                            "a step that a finding names"},
};

size_t dg_link_style(const struct dg_link *link)
{
    if (link->highlighted)
        return DG_STYLE_HIGHLIGHT;
    if (link->crosses)
        return DG_STYLE_CROSSES;
    return link->kind == DG_LINK_JUMP    ? DG_STYLE_JUMP
           : link->kind == DG_LINK_GRAPH ? DG_STYLE_GRAPH
           : link->kind == DG_LINK_NEXT  ? DG_STYLE_NEXT
           : link->kind == DG_LINK_WAS   ? DG_STYLE_WAS
                                         : DG_STYLE_DATA;
}

bool dg_box_has_backend(const struct dg_box *box)
{
    return box->kind == DG_BOX_DELEGATE || box->kind == DG_BOX_PART;
}

const struct dg_colors *dg_box_colors(const struct dg_visible *visible, size_t box)
{
    const struct dg_box *boxes = visible->picture->boxes;

    if (dg_box_has_backend(&boxes[box]))
        return &dg_backend_styles[visible->backends[box] % DG_N_BACKEND_STYLES].light;
    return &dg_box_styles[boxes[box].kind].light;
}

static void add_sample(struct dg_styles_seen *seen, const struct dg_style *shape,
                       const struct dg_style *colors, struct dg_text words)
{
    seen->samples[seen->n_samples++] = (struct dg_sample){shape, colors, words};
}

/* Colours come round again: one sample names the first of the backends that share one.
 */
static void add_backends(struct dg_styles_seen *seen, const struct dg_visible *visible,
                         enum dg_box_kind kind)
{
    struct dg_text names[DG_N_BACKEND_STYLES] = {{0}};
    const char *what = kind == DG_BOX_PART ? "partition for" : "runs on";
    bool any = false;

    for (size_t i = visible->n_boxes; i-- > 0;) {
        const struct dg_box *box = &visible->picture->boxes[visible->boxes[i]];

        if (box->kind == kind && box->backend.size)
            names[visible->backends[visible->boxes[i]] % DG_N_BACKEND_STYLES] =
                box->backend;
    }
    for (size_t i = 0; i < DG_N_BACKEND_STYLES; i++) {
        if (!names[i].size)
            continue;
        names[i] = dg_elide(&seen->memory, names[i], LEGEND_WIDTH);
        add_sample(seen, &dg_box_styles[kind], &dg_backend_styles[i],
                   dg_format(&seen->memory, "%s %.*s", what, (int)names[i].size,
                             names[i].data));
        any = true;
    }
    if (!any)
        add_sample(seen, &dg_box_styles[kind], &dg_backend_styles[0],
                   dg_text(dg_box_styles[kind].legend));
}

void dg_styles_find(struct dg_styles_seen *seen, const struct dg_visible *visible)
{
    const struct dg_picture *picture = visible->picture;
    bool kinds[DG_N_BOX_STYLES] = {false}, highlighted = false;

    *seen = (struct dg_styles_seen){.n_samples = 0};
    for (size_t i = 0; i < visible->n_boxes; i++) {
        kinds[picture->boxes[visible->boxes[i]].kind] = true;
        highlighted |= picture->boxes[visible->boxes[i]].highlighted;
    }
    for (size_t i = 0; i < DG_N_BOX_STYLES; i++)
        if (kinds[i] && (i == DG_BOX_DELEGATE || i == DG_BOX_PART))
            add_backends(seen, visible, (enum dg_box_kind)i);
        else if (kinds[i])
            add_sample(seen, &dg_box_styles[i], &dg_box_styles[i],
                       dg_text(dg_box_styles[i].legend));
    if (highlighted)
        add_sample(seen, &dg_highlight_style, &dg_highlight_style,
                   dg_text(dg_highlight_style.legend));
    seen->heat = visible->most_took > 0;
    for (size_t i = 0; i < picture->n_links; i++)
        if (picture->links[i].kind != DG_LINK_ORDER &&
            dg_visible_head(visible, &picture->links[i]) != SIZE_MAX)
            seen->links[dg_link_style(&picture->links[i])] = true;
}

void dg_styles_clear(struct dg_styles_seen *seen)
{
    dg_arena_clear(&seen->memory);
}
