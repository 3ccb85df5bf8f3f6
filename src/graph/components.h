/* Strongly connected components of any graph in compressed rows. */
#ifndef DG_GRAPH_COMPONENTS_H
#define DG_GRAPH_COMPONENTS_H

#include <stdint.h>

/* Vertex v has edges to out[out_of[v]] .. out[out_of[v + 1] - 1]. Number the component
 * of each vertex, sinks first: no edge leads to a higher number. Returns how many there
 * are. O(vertices + edges). */
uint32_t dg_components(uint32_t *component_of, uint32_t n_vertices,
                       const uint32_t *out_of, const uint32_t *out);

#endif
