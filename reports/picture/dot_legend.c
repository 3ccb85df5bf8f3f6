/* Looks as Graphviz attributes, and the legend of those that a picture has. */
#include "reports/picture/dot_legend.h"

#include <stdio.h>

void dg_draw_look(Agnode_t *node, const struct dg_look *look,
                  const struct dg_colors *colors)
{
    dg_set_attribute(node, "shape", look->shape_name);
    dg_set_attribute(node, "style", look->style);
    dg_set_attribute(node, "fillcolor", colors->fill);
    dg_set_attribute(node, "color", colors->line);
}

void dg_draw_offence(Agnode_t *node)
{
    dg_set_attribute(node, "shape", dg_offence_look.shape_name);
    dg_set_attribute(node, "style", dg_offence_look.style);
    dg_set_attribute(node, "color", dg_offence_look.light.line);
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
    dg_draw_look(node, sample->shape, &sample->colors->light);
    if (sample->shape == &dg_offence_look)
        dg_draw_offence(node);
    dg_write_label(&label, sample->words);
    dg_set_attribute(node, "label", label.data);
    dg_writer_clear(&label);
}

static void label_legend(Agraph_t *legend, const struct dg_looks_seen *seen)
{
    struct dg_writer label = {0};
    const char *comma = " Arrows:";

    dg_print(&label, "Legend.");
    for (size_t i = 0; i < DG_N_LINK_LOOKS; i++) {
        const struct dg_link_look *look = &dg_link_looks[i];
        const char *style = i == DG_LOOK_CROSSES   ? "heavy"
                            : i == DG_LOOK_OFFENDS ? "double"
                                                   : look->style;

        if (!seen->links[i])
            continue;
        dg_print(&label, "%s %s %s", comma, style, look->legend);
        comma = ",";
    }
    dg_set_attribute(legend, "label", label.data);
    dg_writer_clear(&label);
}

void dg_draw_legend(const struct dg_skeleton *skeleton)
{
    Agraph_t *legend = agsubg(skeleton->graph, (char *)"cluster_legend", 1);
    struct dg_looks_seen seen;

    dg_look_around(&seen, &skeleton->scene);
    label_legend(legend, &seen);
    dg_set_attribute(legend, "style", "dashed");
    dg_set_attribute(legend, "color", "#888888");
    for (size_t i = 0; i < seen.n_samples; i++)
        draw_sample(legend, i, &seen.samples[i]);
    dg_looks_clear(&seen);
}
