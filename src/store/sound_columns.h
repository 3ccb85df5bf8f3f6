/* What stands in the columns of a store that delegraph wrote. Private to store/. */
#ifndef DG_STORE_SOUND_COLUMNS_H
#define DG_STORE_SOUND_COLUMNS_H

#include <stdbool.h>

#include "base/text.h"

struct dg_sound_column {
    const char *columns; /* "idx pos", of any table; "node.args" */
    enum { DG_SOUND_NUMBER, DG_SOUND_WORD, DG_SOUND_JSON } type;
    int64_t least, most; /* of a number */
    const char *words;   /* those there may be; of JSON: how it begins, or "" */
};

/* What a column holds; NULL: anything of its type. */
const struct dg_sound_column *dg_sound_column(struct dg_text table,
                                              struct dg_text column);

/* Whether `word` is one of those in `list`, which has blanks between them. */
bool dg_sound_word(const char *list, struct dg_text word);

/* `text` ends with NUL. */
bool dg_is_json(struct dg_text text);

/* "expected ...", for people. */
void dg_sound_print(struct dg_writer *out, const struct dg_sound_column *sound);

#endif
