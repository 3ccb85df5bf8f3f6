/* Releases of ExecuTorch, and what came with which. */
#ifndef DG_BASE_RELEASES_H
#define DG_BASE_RELEASES_H

#include <stdbool.h>
#include <stddef.h>

/* What a runtime must know: the operator, the kind of node or the datatype inside of an
 * XNNPACK graph, the field of a file, or the backend of a delegate. */
enum dg_since_kind {
    DG_SINCE_OPERATOR,
    DG_SINCE_NODE,
    DG_SINCE_DATATYPE,
    DG_SINCE_FIELD,
    DG_SINCE_BACKEND
};

struct dg_release {
    int major, minor;
};

struct dg_since {
    enum dg_since_kind kind;
    const char *name;
    struct dg_release release; /* the first that knows it */
};

/* All that came after the first release that is known, 0.2, and the backends of that
 * one. */
extern const struct dg_since dg_since[];
extern const size_t dg_n_since;

/* "operator", "node", "datatype", "field", "backend" */
const char *dg_since_kind_name(enum dg_since_kind kind);

/* "1.3" or "1.3.1"; false: it is none of 0.2 to 1.5. */
bool dg_release_parse(struct dg_release *release, const char *text);

bool dg_release_precedes(struct dg_release a, struct dg_release b);

#endif
