/* Reading a list of supported operators from JSON. Private to support_parse.c and
 * support_rules.c. After a failure every function goes on in vain, as those of
 * formats/json.h do. */
#ifndef DG_PARTITION_SUPPORT_READER_H
#define DG_PARTITION_SUPPORT_READER_H

#include "formats/json.h"
#include "partition/support_parts.h"

struct dg_support_reader {
    struct dg_json json;
    struct dg_support *support;
    int nesting;
    unsigned n_taken; /* conditions on what is taken so far */
    unsigned n_kept;  /* "keep"s so far... */
    bool in_groups;   /* ...for which there is a place */
};

/* A field of an object, and what reads it into the object's structure. */
struct dg_support_field {
    const char *name;
    void (*read)(struct dg_support_reader *reader, void *target);
};

void dg_support_read_object(struct dg_support_reader *reader,
                            const struct dg_support_field *fields, size_t n,
                            void *target);

#define DG_READ_OBJECT(reader, fields, target)                                         \
    dg_support_read_object(reader, fields, sizeof(fields) / sizeof(*(fields)), target)

/* Fields of struct dg_support_tensor. */
#define DG_SUPPORT_TENSOR_FIELDS                                                       \
    {"dtypes", dg_support_read_dtypes}, {"rank", dg_support_read_rank},                \
        {"shape", dg_support_read_shape}, {"empty", dg_support_read_empty},            \
        {"elements", dg_support_read_elements}, {"image", dg_support_read_image},      \
        {"constant", dg_support_read_constant},                                        \
    {                                                                                  \
        "sizes", dg_support_read_sizes                                                 \
    }

void dg_support_read_dtypes(struct dg_support_reader *reader, void *tensor);
void dg_support_read_rank(struct dg_support_reader *reader, void *tensor);
void dg_support_read_shape(struct dg_support_reader *reader, void *tensor);
void dg_support_read_empty(struct dg_support_reader *reader, void *tensor);
void dg_support_read_constant(struct dg_support_reader *reader, void *tensor);
void dg_support_read_sizes(struct dg_support_reader *reader, void *tensor);
void dg_support_read_elements(struct dg_support_reader *reader, void *tensor);
void dg_support_read_image(struct dg_support_reader *reader, void *tensor);
void dg_support_read_only(struct dg_support_reader *reader, void *tensor);
void dg_support_read_alike(struct dg_support_reader *reader, void *tensor);

/* One of some words; `what` says in messages what they are. */
int dg_support_read_word(struct dg_support_reader *reader, const char *what,
                         const char *const *words, size_t n);
void dg_support_read_ops(struct dg_support_reader *reader, void *match);
void dg_support_read_items(struct dg_support_reader *reader,
                           struct dg_support_items *out);
void dg_support_read_range(struct dg_support_reader *reader,
                           struct dg_support_range *range);

int dg_support_line(const struct dg_support_reader *reader);
void dg_support_unknown(struct dg_support_reader *reader, const char *what,
                        struct dg_text wrong, const char *near);

/* Lists grow with malloc; this moves one to the list's memory. */
void *dg_support_keep(struct dg_support_reader *reader, void *items, size_t n,
                      size_t size);

#define DG_KEEP(reader, items, n)                                                      \
    ((items) = dg_support_keep(reader, items, n, sizeof(*(items))))

#endif
