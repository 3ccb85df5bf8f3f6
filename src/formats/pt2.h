/* Parts of the .pt2 reader. It follows torch.export.load: the rows are the FX graph
 * that torch rebuilds, with the same nodes, names and order. */
#ifndef DG_FORMATS_PT2_H
#define DG_FORMATS_PT2_H

#include "base/dtype.h"
#include "base/hash_table.h"
#include "base/text.h"
#include "formats/json.h"
#include "formats/pickle.h"
#include "formats/zip.h"
#include "store/program.h"

/* A map from text. Start from {0}; end with dg_names_clear(). */
struct dg_name {
    struct dg_text text;
    int64_t node;   /* row that defines it; DG_NONE: none */
    int64_t value;  /* row; whatever else the map's owner wants to know */
    uint64_t count; /* last suffix that FX gave to this base */
    bool tuple;     /* names a call with several results */
    bool used;      /* taken in FX's namespace */
    uint8_t kinds; /* of values of this name: a bit for each kind that it has come as */
};

struct dg_names {
    struct dg_name *names; /* in order of first mention */
    size_t n_names;
    size_t last, before; /* that dg_names_at() gave, and another one before */
    struct dg_hash_table table;
    struct dg_arena *memory; /* for copies of the texts; NULL: they are not copied */
};

/* The entry for `text`, made if it is new. It lives until the next call. */
struct dg_name *dg_names_at(struct dg_names *names, struct dg_text text);
struct dg_name *dg_names_find(const struct dg_names *names, struct dg_text text);
void dg_names_clear(struct dg_names *names);

/* FX's way to a name that is free: torch.fx.graph._Namespace.create_name(). */
struct dg_text dg_fx_name(struct dg_names *names, struct dg_text candidate,
                          struct dg_arena *memory);
/* What FX calls a node without a given name: after its function. */
struct dg_text dg_fx_snake_case(struct dg_text function, struct dg_arena *memory);

enum { DG_PT2_RECENT = 32 };

/* The whole archive. */
struct dg_pt2 {
    struct dg_program *program;
    struct dg_bytes file;
    struct dg_zip zip;
    struct dg_text root; /* prefix of entry names, with its "/" */
    struct dg_text archive_version;
    bool exir;       /* written by ExecuTorch: schema 5, other names and dtypes */
    bool *crc_wrong; /* per entry */
    struct dg_names targets, traces, stacks, expressions, metas, unknown;
    const struct dg_value_type **types; /* of each entry of `metas` */
    size_t n_types;
    size_t recent[DG_PT2_RECENT], n_recent; /* in `metas`: looked up last */
    struct dg_pt2_target *target_list;
    size_t n_targets, n_unknown;
    struct dg_writer scratch, label;
    struct dg_arena names;      /* of nodes and values */
    bool old;                   /* the layout without a root */
    bool whole;                 /* with the weights of delegates */
    struct dg_pt2_taken *taken; /* those, in the order of the file */
    size_t n_taken;
    struct dg_text *expression_texts; /* of each entry of `expressions` */
    size_t n_expression_texts;
    int lowered_depth;
    int64_t n_constants; /* of the method being read */
    struct dg_pt2_lack { /* what is wrong with weights of that method */
        const char *rule, *what;
        struct dg_text first;
        size_t n;
    } lacks[8];
    size_t n_lacks;
    struct dg_error *err;
};

/* Weights that a delegate took along: what torch.save wrote of them. */
struct dg_pt2_taken {
    int64_t delegate;
    struct dg_bytes archive;
    bool weights; /* else constants */
};

struct dg_pt2_target {
    int64_t op;
    struct dg_text function; /* __name__ in Python */
    bool higher_order, symbolic, edge, delegate, unresolved;
};

/* One graph while it is read. */
struct dg_pt2_use { /* an argument that names a node */
    struct dg_text name;
    int64_t node;  /* known already: a get_attr; else DG_NONE */
    bool optional; /* may as well name what lies outside the graph */
};

struct dg_pt2_output {
    enum dg_pt2_result {
        DG_RESULT_NONE,
        DG_RESULT_NAMED, /* a tensor or a symbol */
        DG_RESULT_LIST,
        DG_RESULT_OTHER,
    } type;
    struct dg_text name;
    size_t n_items; /* of a list: so many of the next ones are its items */
    bool tensor;
};

struct dg_pt2_late { /* a use whose definition had not been met */
    struct dg_pt2_use use;
    int64_t node, pos;
};

struct dg_pt2_scope {
    int64_t method, graph;
    struct dg_text path;
    int depth;
    struct dg_names names;      /* of nodes, close together: many passes read them */
    struct dg_names attributes; /* sub-graphs already read */
    int64_t n_nodes, n_values, output;
    bool is_method;
    struct dg_pt2_use *uses; /* of the node being read */
    size_t n_uses;
    struct dg_pt2_output *outputs; /* likewise */
    size_t n_outputs;
    struct dg_writer args; /* likewise */
    struct dg_pt2_late *late;
    size_t n_late;
    struct dg_pt2_scope *main; /* of the model: holds the next two */
    struct dg_pt2_constant_input *constant_inputs;
    size_t n_constant_inputs;
    struct dg_pt2_called *called;
    size_t n_called;
};

/* What goes into or comes out of a module whose signature the program preserves. */
struct dg_pt2_called {
    struct dg_text module, name;
    const char *direction; /* "input", "output" */
};

/* A placeholder without a name of its own: the signature knows it. */
struct dg_pt2_constant_input {
    int64_t node, position;
};

/* pt2_model.c */
enum dg_status dg_pt2_read_model(struct dg_pt2 *pt2, const struct dg_zip_entry *entry,
                                 struct dg_text name);
/* A program of an archive without a root, and what lies beside it; NULL: it is not there.
 */
struct dg_pt2_parts {
    const struct dg_zip_entry *model, *weights, *constants, *samples;
};
enum dg_status dg_pt2_read_parts(struct dg_pt2 *pt2, const struct dg_pt2_parts *parts,
                                 struct dg_text name);

/* etrecord.c */
/* The edge programs of an ETRecord are its methods. */
enum dg_status dg_pt2_read_etrecord(struct dg_pt2 *pt2);

struct dg_pt2_versions {
    int64_t major, minor;
    struct dg_text torch, opset; /* opset: JSON */
    bool edge, graph;            /* has edge operators; has a graph module */
};
void dg_pt2_exported_program(struct dg_pt2 *pt2, struct dg_json *json,
                             struct dg_pt2_scope *scope,
                             struct dg_pt2_versions *versions);
void dg_pt2_scope_clear(struct dg_pt2_scope *scope);
/* A field or variant that this reader does not know: stepped over, counted. */
void dg_pt2_unknown(struct dg_pt2 *pt2, struct dg_json *json, struct dg_text word);

/* pt2_graph.c */
void dg_pt2_graph(struct dg_pt2 *pt2, struct dg_json *json, struct dg_pt2_scope *scope);
int64_t dg_pt2_add_node(struct dg_pt2 *pt2, struct dg_pt2_scope *scope,
                        const char *kind, struct dg_text candidate);
struct dg_text dg_pt2_define(struct dg_pt2 *pt2, struct dg_pt2_scope *scope,
                             struct dg_text name, int64_t node);
/* Uses become edges, or wait in `late`. */
void dg_pt2_connect(struct dg_pt2 *pt2, struct dg_pt2_scope *scope, int64_t node);
/* A graph below `scope` that the attribute `name` holds. */
struct dg_pt2_scope dg_pt2_child(struct dg_pt2 *pt2, struct dg_pt2_scope *scope,
                                 struct dg_text name, const char *kind);

/* pt2_node.c */
void dg_pt2_node(struct dg_pt2 *pt2, struct dg_json *json, struct dg_pt2_scope *scope);

/* pt2_target.c */
struct dg_pt2_target dg_pt2_target(struct dg_pt2 *pt2, struct dg_text target);

/* pt2_args.c */
/* An Argument, appended as `"tensor":"x"`; what it names is added to scope->uses. */
void dg_pt2_argument(struct dg_pt2 *pt2, struct dg_json *json,
                     struct dg_pt2_scope *scope, struct dg_writer *out);
/* pt2_words.c: an Argument in a signature, or among the inputs of a graph */
struct dg_pt2_word {
    const char *kind; /* tensor sym_int int ... */
    struct dg_text name;
    struct dg_any literal;
};
struct dg_pt2_word dg_pt2_word(struct dg_pt2 *pt2, struct dg_json *json);
/* The name in {"name": "x"}, with more members where it is a custom object. */
struct dg_text dg_pt2_named(struct dg_json *json);
/* Any JSON value, with non-finite numbers as strings; the same, kept. */
void dg_pt2_copy_json(struct dg_json *json, struct dg_writer *out);
struct dg_text dg_pt2_json(struct dg_pt2 *pt2, struct dg_json *json);
/* Enter a union and read its variant; "as_" is taken off. Call until it is false. */
bool dg_pt2_variant(struct dg_json *json, struct dg_text *variant);
struct dg_text dg_pt2_keep(struct dg_pt2 *pt2, struct dg_writer *out);

/* pt2_meta.c */
struct dg_pt2_meta {
    int64_t trace, module;
    struct dg_text custom, debug_handle, other;
};
void dg_pt2_metadata(struct dg_pt2 *pt2, struct dg_json *json,
                     struct dg_pt2_meta *meta);

/* pt2_value.c */
void dg_pt2_values(struct dg_pt2 *pt2, struct dg_json *json, struct dg_pt2_scope *scope,
                   const char *kind);
struct dg_pt2_tensor {
    const struct dg_dtype *dtype;
    struct dg_text shape, strides, device;
    struct dg_any storage_offset;
    const char *layout;
    int64_t requires_grad, nbytes;
    int64_t elements, span; /* -1: not known; span: elements from first to last */
};
struct dg_pt2_tensor dg_pt2_tensor_meta(struct dg_pt2 *pt2, struct dg_json *json);

/* pt2_expr.c */
/* SymPy's str() of an expression in srepr() form; other text stays as it is. */
struct dg_text dg_pt2_expression(struct dg_text text, struct dg_arena *memory);

/* pt2_signature.c */
void dg_pt2_signature(struct dg_pt2 *pt2, struct dg_json *json,
                      struct dg_pt2_scope *scope);
/* After graph and signature: names meet values. `from`: first row of this signature. */
void dg_pt2_settle(struct dg_pt2 *pt2, struct dg_pt2_scope *scope, size_t from);

/* pt2_lowered.c */
/* A LoweredBackendModule as text in a string; returns the row of its get_attr node. */
int64_t dg_pt2_lowered(struct dg_pt2 *pt2, struct dg_json *json, struct dg_text name,
                       struct dg_pt2_scope *scope, int64_t *delegate);

/* pt2_saved.c: what torch.save wrote */
struct dg_pt2_saved {
    struct dg_zip zip;
    struct dg_text root;
    struct dg_pickle_value *value;
};
/* Close *saved whether or not this succeeds. */
enum dg_status dg_pt2_saved_open(struct dg_pt2 *pt2, struct dg_pt2_saved *saved,
                                 struct dg_bytes archive, const char *source);
void dg_pt2_saved_close(struct dg_pt2 *pt2, struct dg_pt2_saved *saved);
/* Bytes of the storage `key`, absent where they are compressed; false: no entry. */
bool dg_pt2_saved_storage(const struct dg_pt2_saved *saved, struct dg_text key,
                          struct dg_bytes *bytes);
struct dg_text dg_pt2_int_list(struct dg_pt2 *pt2, const int64_t *items, size_t count);
/* Where `bytes` begin in the file; DG_NONE if they lie elsewhere. */
int64_t dg_pt2_offset(const struct dg_pt2 *pt2, struct dg_bytes bytes);

/* pt2_weights.c */
enum dg_status dg_pt2_payloads(struct dg_pt2 *pt2, const struct dg_zip_entry *entry,
                               int64_t method, bool weights);
/* A dict of tensors in an archive of torch.save. */
enum dg_status dg_pt2_state_dict(struct dg_pt2 *pt2, const struct dg_zip_entry *entry,
                                 int64_t method, bool weights);
/* Weights of the delegates of `method`, after its own. Several may have one of the same
 * name: with other bytes it is "lowered_module_1/name". What cannot be read is left. */
void dg_pt2_taken_weights(struct dg_pt2 *pt2, int64_t method);
/* Constants from row `from` on that the signature of `graph` calls buffers. */
void dg_pt2_name_buffers(struct dg_pt2 *pt2, int64_t graph, size_t from);

/* pt2_samples.c */
enum dg_status dg_pt2_samples(struct dg_pt2 *pt2, const struct dg_zip_entry *entry,
                              int64_t method);

/* pt2_order.c */
/* Nodes and values grouped by graph; edges by the node that they lead to. */
void dg_pt2_order(struct dg_program *program);

/* library_package.c */
/* What AOTInductor compiled into the archive. */
enum dg_status dg_pt2_libraries(struct dg_pt2 *pt2);

/* pt2_entries.c */
/* An entry's bytes; says so when its CRC is wrong. */
enum dg_status dg_pt2_read(struct dg_pt2 *pt2, const struct dg_zip_entry *entry,
                           struct dg_bytes *content);
/* Walk an entry's JSON, and say so when its CRC is wrong: that is counted on the way.
 * The end must be called where the beginning succeeded. */
enum dg_status dg_pt2_begin_json(struct dg_pt2 *pt2, const struct dg_zip_entry *entry,
                                 struct dg_json *json);
enum dg_status dg_pt2_end_json(struct dg_pt2 *pt2, const struct dg_zip_entry *entry,
                               struct dg_json *json);
/* The entry of that name below the root. */
const struct dg_zip_entry *dg_pt2_find(struct dg_pt2 *pt2, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
int64_t dg_pt2_segment(const struct dg_pt2 *pt2, const struct dg_zip_entry *entry);
/* The text of `name` with what is not printable UTF-8 escaped, ending with NUL. */
const char *dg_pt2_label(struct dg_pt2 *pt2, struct dg_text name);
/* ", and 3 more"; "" of none. */
const char *dg_pt2_more(struct dg_pt2 *pt2, size_t n);

/* The entry's name without the root. */
struct dg_text dg_pt2_inner_name(const struct dg_pt2 *pt2,
                                 const struct dg_zip_entry *entry);
bool dg_pt2_ends(struct dg_text text, const char *suffix);
void dg_pt2_add_segments(struct dg_pt2 *pt2);
/* Hold every entry to its CRC-32. */
enum dg_status dg_pt2_verify(struct dg_pt2 *pt2);
void dg_pt2_remark_on_crc(struct dg_pt2 *pt2);

#endif
