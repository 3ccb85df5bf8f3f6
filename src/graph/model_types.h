/* What the files of the model's values share: reading kinds, dtypes and sizes. */
#ifndef DG_GRAPH_MODEL_TYPES_H
#define DG_GRAPH_MODEL_TYPES_H

#include "base/text_set.h"
#include "graph/model_values.h"

/* What makes a type, as the store says it; data NULL: nothing. */
enum { DG_TYPE_KIND, DG_TYPE_DTYPE, DG_TYPE_SIZES, DG_TYPE_TEXTS };

/* Numbers of such texts; 0: nothing. */
struct dg_type_key {
    uint32_t texts[DG_TYPE_TEXTS];
};

/* Start from {.values = values}. */
struct dg_type_reader {
    struct dg_model_values *values; /* gets the types */
    struct dg_text_set texts;
    struct dg_type_key *keys; /* of the types */
    struct dg_hash_table types;
    /* The likeliest to come again. */
    struct dg_text newest[DG_TYPE_TEXTS];
    uint32_t newest_type;
    struct dg_text newest_order;
    struct dg_numbers order;
};

/* The index of the type that these texts make; a new one is added. */
uint32_t dg_type_find(struct dg_type_reader *reader, const struct dg_text *texts);
/* The numbers of a dim order; neighbours that have the same one share them. */
struct dg_numbers dg_order_find(struct dg_type_reader *reader, struct dg_text json);
void dg_type_reader_clear(struct dg_type_reader *reader);

/* A JSON list; what is none has -1 numbers. */
struct dg_numbers dg_numbers_read(struct dg_model_values *values, struct dg_text json,
                                  enum dg_value_kind kind);

/* Which of n names; 0: none of them. `likely` is looked at first: 0, or what the row
 * before had, which mostly is the same. */
unsigned dg_find_name(struct dg_text name, const char *const *names, unsigned n,
                      unsigned likely);

#endif
