/* Where ExecuTorch will put the tensors of a lowered program, and what it will copy
 * between host and devices: what PropagateDevicePass of executorch 1.5.1 does. */
#ifndef DG_GRAPH_DEVICES_H
#define DG_GRAPH_DEVICES_H

#include "graph/graph.h"

struct dg_device_options {
    bool skip_inputs;  /* skip_h2d_for_method_inputs */
    bool skip_outputs; /* skip_d2h_for_method_outputs */
    bool no_planning;  /* enable_non_cpu_memory_planning is off */
};

enum dg_device_role {
    DG_DEVICE_OTHER,
    DG_DEVICE_INPUT,
    DG_DEVICE_CALL, /* of a delegate that asks for a device */
    DG_DEVICE_ITEM, /* an output of such a call */
    DG_DEVICE_OUTPUT,
};

struct dg_device_node {
    struct dg_text name;
    enum dg_device_role role;
    int64_t value;   /* row of its result; 0: none */
    int64_t nbytes;  /* of a tensor; -1: not known */
    uint32_t device; /* number of a name in dg_devices */
    bool is_tensor;
    bool is_call;    /* of a delegate, whether or not it asks for a device */
    bool is_mutated; /* input: the method writes it back; item: it is written back */
    bool is_copied;  /* item: others get a copy in host memory */
};

struct dg_crossing {
    uint32_t source; /* the node whose tensor is copied */
    uint32_t call;   /* that it is copied for; of a copy to the host: source */
    uint32_t device;
    int64_t nbytes; /* -1: not known */
    bool to_device;
    bool elided; /* not there in the end: source and call are on one device */
};

struct dg_devices {
    struct dg_graph graph;
    struct dg_device_node *nodes;
    struct dg_text *names; /* of devices; 0 is cpu */
    size_t n_names;
    struct dg_crossing *crossings; /* in the order of nodes */
    size_t n_crossings;
    struct dg_text failure; /* what the pass stops at; data NULL: nothing */
    struct dg_arena memory;
};

/* Of graph `id`, the own one of a method that is still to be emitted. Clear *devices
 * whether or not this succeeds. O(nodes + edges). */
enum dg_status dg_devices_find(struct dg_devices *devices, struct dg_store *store,
                               int64_t id, const struct dg_device_options *options,
                               struct dg_error *err);
void dg_devices_clear(struct dg_devices *devices);

/* The device on which users of a node other than delegates see its result. */
uint32_t dg_device_seen(const struct dg_device_node *node);

struct dg_device_differences {
    struct dg_text *items;
    size_t n_items;
    struct dg_arena memory;
};

/* What graph `id` predicts against the method of that name in `emitted`, which holds a
 * .pte: copies, and devices of inputs and outputs. Clear *differences afterwards. */
enum dg_status dg_devices_compare(struct dg_device_differences *differences,
                                  const struct dg_devices *devices,
                                  struct dg_store *store, struct dg_store *emitted,
                                  struct dg_text method, struct dg_error *err);
void dg_device_differences_clear(struct dg_device_differences *differences);

#endif
