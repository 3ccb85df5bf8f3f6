/* Styles as Graphviz attributes, and the legend of those that a picture has. */
#include "reports/picture/dot_legend.h"

#include <stdio.h>

void dg_draw_style(Agnode_t *node, const struct dg_style *look,
                   const struct dg_colors *colors)
{
    dg_set_attribute(node, "shape", look->shape_name);
    dg_set_attribute(node, "style", look->style);
    dg_set_attribute(node, "fillcolor", colors->fill);
    dg_set_attribute(node, "color", colors->line);
}

void dg_draw_highlight(Agnode_t *node)
{
    dg_set_attribute(node, "shape", dg_highlight_style.shape_name);
    dg_set_attribute(node, "style", dg_highlight_style.style);
    dg_set_attribute(node, "color", dg_highlight_style.light.line);
    dg_set_attribute(node, "penwidth", "3");
    dg_set_attribute(node, "peripheries", "2");
}

static void draw_sample(Agraph_t *legend, size_t number, const struct dg_sample *sample)
{
    char name[40];
    Agnode_t *node;
    struct dg_writer label = {0};

    snprintf(name, sizeof(name), "legend_%zu", number);
    node = agnode(legend, name, 1);
    dg_draw_style(node, sample->shape, &sample->colors->light);
    if (sample->shape == &dg_highlight_style)
        dg_draw_highlight(node);
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

void dg_draw_legend(const struct dg_graphviz_graph *drawing)
{
    Agraph_t *legend = agsubg(drawing->graph, (char *)"cluster_legend", 1);
    struct dg_styles_seen seen;

    dg_styles_find(&seen, &drawing->visible);
    label_legend(legend, &seen);
    dg_set_attribute(legend, "style", "dashed");
    dg_set_attribute(legend, "color", "#888888");
    for (size_t i = 0; i < seen.n_samples; i++)
        draw_sample(legend, i, &seen.samples[i]);
    dg_styles_clear(&seen);
}
