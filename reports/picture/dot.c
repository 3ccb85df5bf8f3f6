/* A picture as Graphviz text. */
#include <stdio.h>
#include <stdlib.h>

#include "reports/picture/graphviz_graph.h"
#include "reports/picture/label.h"
#include "reports/picture/style.h"

/* Graphviz reads no string of more than 16384 bytes. */
enum { MOST_BYTES = 12000, MOST_OF_LINE = 400 };

/* Lines of a label, each with `end` behind it, or between them where `end` is "\\n". */
static void set_lines(void *object, const char *attribute, const struct dg_lines *lines,
                      const char *end)
{
    struct dg_writer out = {0};
    struct dg_arena memory = {0};

    for (size_t i = 0; i < lines->n_items && out.size < MOST_BYTES; i++) {
        if (i && end[1] == 'n')
            dg_print(&out, "%s", end);
        dg_write_label(&out, dg_elide(&memory, lines->items[i], MOST_OF_LINE));
        if (end[1] != 'n')
            dg_print(&out, "%s", end);
    }
    dg_set_attribute(object, attribute, out.data);
    dg_arena_clear(&memory);
    dg_writer_clear(&out);
}

static void set_text(void *object, const char *attribute, struct dg_text text)
{
    struct dg_lines lines = {&text, 1};

    set_lines(object, attribute, &lines, "\\n");
}

static void draw_frame(const struct dg_graphviz_graph *drawing, size_t index,
                       struct dg_arena *memory)
{
    const struct dg_visible *visible = &drawing->visible;
    const struct dg_frame *frame = &visible->picture->frames[index];
    const struct dg_style *look = &dg_frame_styles[frame->kind];
    const struct dg_colors *colors =
        frame->kind == DG_FRAME_PART
            ? &dg_backend_frames[frame->backend % DG_N_BACKEND_STYLES].light
            : &look->light;
    Agraph_t *cluster = drawing->clusters[index];

    set_text(
        cluster, "label",
        dg_frame_text(memory, frame, &visible->picture->frames[visible->outer[index]]));
    dg_set_attribute(cluster, "style", look->style);
    dg_set_attribute(cluster, "color", colors->line);
    if (colors->fill[0] == '#')
        dg_set_attribute(cluster, "fillcolor", colors->fill);
}

static void draw_style(Agnode_t *node, const struct dg_style *look,
                       const struct dg_colors *colors)
{
    dg_set_attribute(node, "shape", look->shape_name);
    dg_set_attribute(node, "style", look->style);
    dg_set_attribute(node, "fillcolor", colors->fill);
    dg_set_attribute(node, "color", colors->line);
}

static void draw_highlight(Agnode_t *node)
{
    dg_set_attribute(node, "shape", dg_highlight_style.shape_name);
    dg_set_attribute(node, "style", dg_highlight_style.style);
    dg_set_attribute(node, "color", dg_highlight_style.light.line);
    dg_set_attribute(node, "penwidth", "3");
    dg_set_attribute(node, "peripheries", "2");
}

static void look_at_box(const struct dg_graphviz_graph *drawing, size_t index)
{
    const struct dg_box *box = &drawing->visible.picture->boxes[index];
    const struct dg_colors *colors = dg_box_colors(&drawing->visible, index);
    Agnode_t *node = drawing->nodes[index];

    draw_style(node, &dg_box_styles[box->kind], colors);
    if (box->n_outside)
        dg_set_attribute(node, "style", "filled,dashed");
    if (box->marked)
        dg_set_attribute(node, "penwidth", "3");
    if (box->highlighted)
        draw_highlight(node);
}

static void draw_box(const struct dg_graphviz_graph *drawing, size_t index,
                     struct dg_arena *memory)
{
    const struct dg_picture *picture = drawing->visible.picture;
    const struct dg_box *box = &picture->boxes[index];
    struct dg_lines lines = {0};

    look_at_box(drawing, index);
    dg_box_lines(&lines, memory, picture, box);
    set_lines(drawing->nodes[index], "label", &lines, "\\n");
    lines.n_items = 0;
    dg_box_details(&lines, memory, picture, box);
    set_lines(drawing->nodes[index], "tooltip", &lines, "\\n");
    dg_lines_clear(&lines);
}

/* Heavy across a border, double along the path of a finding. */
static void look_at_link(Agedge_t *edge, const struct dg_link *link)
{
    const struct dg_link_style *look = &dg_link_styles[dg_link_style(link)];

    if (link->kind == DG_LINK_ORDER)
        return;
    dg_set_attribute(edge, "style", look->style);
    if (link->kind == DG_LINK_WAS)
        dg_set_attribute(edge, "color", look->light);
    if (link->kind == DG_LINK_NEXT) {
        dg_set_attribute(edge, "color", look->light);
        dg_set_attribute(edge, "arrowhead", "open");
    }
    if (!link->crosses && !link->highlighted)
        return;
    dg_set_attribute(edge, "penwidth", "2.5");
    dg_set_attribute(edge, "fontcolor", look->light);
    if (link->highlighted) {
        char twice[32];

        snprintf(twice, sizeof(twice), "%s:#ffffff:%s", look->light, look->light);
        dg_set_attribute(edge, "color", twice);
    } else {
        dg_set_attribute(edge, "color", look->light);
    }
}

static void draw_link(const struct dg_graphviz_graph *drawing, size_t index,
                      struct dg_arena *memory)
{
    const struct dg_link *link = &drawing->visible.picture->links[index];
    struct dg_text text = dg_link_text(memory, link);
    Agedge_t *edge = drawing->edges[index];

    if (text.size) /* the space keeps it off its arrow */
        set_text(edge, "label", dg_format(memory, " %s", text.data));
    look_at_link(edge, link);
    if (link->value.data)
        set_text(edge, "tooltip", link->value);
}

static void draw_sample(Agraph_t *legend, size_t number, const struct dg_sample *sample)
{
    char name[40];
    Agnode_t *node;
    struct dg_writer label = {0};

    snprintf(name, sizeof(name), "legend_%zu", number);
    node = dg_graphviz.agnode(legend, name, 1);
    draw_style(node, sample->shape, &sample->colors->light);
    if (sample->shape == &dg_highlight_style)
        draw_highlight(node);
    dg_write_label(&label, sample->words);
    dg_set_attribute(node, "label", label.data);
    dg_writer_clear(&label);
}

static void label_legend(Agraph_t *legend, const struct dg_styles_seen *seen)
{
    struct dg_writer label = {0};
    const char *comma = " Arrows:";

    dg_print(&label, "Legend.");
    for (size_t i = 0; i < DG_N_LINK_STYLES; i++) {
        const struct dg_link_style *look = &dg_link_styles[i];
        const char *style = i == DG_STYLE_CROSSES     ? "heavy"
                            : i == DG_STYLE_HIGHLIGHT ? "double"
                                                      : look->style;

        if (!seen->links[i])
            continue;
        dg_print(&label, "%s %s %s", comma, style, look->legend);
        comma = ",";
    }
    dg_set_attribute(legend, "label", label.data);
    dg_writer_clear(&label);
}

static void draw_legend(const struct dg_graphviz_graph *drawing)
{
    Agraph_t *legend = dg_graphviz.agsubg(drawing->graph, (char *)"cluster_legend", 1);
    struct dg_styles_seen seen;

    dg_styles_find(&seen, &drawing->visible);
    label_legend(legend, &seen);
    dg_set_attribute(legend, "style", "dashed");
    dg_set_attribute(legend, "color", "#888888");
    for (size_t i = 0; i < seen.n_samples; i++)
        draw_sample(legend, i, &seen.samples[i]);
    dg_styles_clear(&seen);
}

static void draw(const struct dg_graphviz_graph *drawing, struct dg_arena *memory)
{
    const struct dg_picture *picture = drawing->visible.picture;
    struct dg_lines caption = {0};

    dg_caption_lines(&caption, memory, picture);
    set_lines(drawing->graph, "label", &caption, "\\l");
    dg_lines_clear(&caption);
    for (size_t i = 1; i < picture->n_frames; i++)
        if (drawing->clusters[i])
            draw_frame(drawing, i, memory);
    for (size_t i = 0; i < drawing->visible.n_boxes; i++)
        draw_box(drawing, drawing->visible.boxes[i], memory);
    for (size_t i = 0; i < picture->n_links; i++)
        if (drawing->edges[i])
            draw_link(drawing, i, memory);
    draw_legend(drawing);
}

static enum dg_status print_graph(struct dg_writer *out, Agraph_t *graph,
                                  struct dg_error *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    bool failed = !file || dg_graphviz.agwrite(graph, file) || ferror(file);

    if (file && fclose(file))
        failed = true;
    if (!failed)
        dg_write(out, text, size);
    free(text);
    return failed ? dg_fail(err, DG_ERR_IO, "cannot write the graph as text") : DG_OK;
}

enum dg_status dg_picture_write(struct dg_writer *out, const struct dg_picture *picture,
                                struct dg_error *err)
{
    struct dg_graphviz_graph drawing;
    struct dg_arena memory = {0};
    enum dg_status status = dg_graphviz_load(err);

    if (status)
        return status;
    dg_graphviz_graph_open(&drawing, picture);
    draw(&drawing, &memory);
    status = print_graph(out, drawing.graph, err);
    dg_graphviz_graph_close(&drawing);
    dg_arena_clear(&memory);
    return status;
}
