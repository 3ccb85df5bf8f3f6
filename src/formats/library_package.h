/* What the readers of AOTInductor's files in a package share. */
#ifndef DG_FORMATS_LIBRARY_PACKAGE_H
#define DG_FORMATS_LIBRARY_PACKAGE_H

#include "formats/pt2.h"

/* The entry beside `name` that is named as it is but for the end; NULL: none is. */
const struct dg_zip_entry *dg_package_beside(struct dg_pt2 *pt2, struct dg_text name,
                                             const char *end);

/* What cannot be read is said, and takes nothing else with it. */
bool dg_package_read_text(struct dg_pt2 *pt2, const struct dg_zip_entry *entry,
                          struct dg_text *text);

struct dg_metadata {
    struct dg_text strings;   /* JSON of those that it has */
    struct dg_text device;    /* data NULL: it names none */
    struct dg_text no_string; /* of what it says another thing than a string */
    bool failed;              /* to read it; err says why */
    struct dg_error err;
};

/* `text` is that of `entry`. */
void dg_metadata_read(struct dg_metadata *metadata, struct dg_pt2 *pt2,
                      const struct dg_zip_entry *entry, struct dg_text text);

/* What torch opens of a model: its wrapper (*.wrapper.so), and each shared object of one
 * that has none. What lies beside a wrapper may be anything. */
struct dg_wrapped {
    struct dg_text *models; /* that have a wrapper, sorted */
    size_t n_models;
};
void dg_wrapped_list(struct dg_wrapped *wrapped, const struct dg_pt2 *pt2);
bool dg_wrapped_opens(const struct dg_wrapped *wrapped, struct dg_text name);
void dg_wrapped_clear(struct dg_wrapped *wrapped);

/* Whether torch can open each model, as far as that does not hang on the code. */
void dg_package_check_models(struct dg_pt2 *pt2);

#endif
