/* Journals beside a store: what is not yet in its file. Private to store/. */
#ifndef DG_STORE_JOURNAL_H
#define DG_STORE_JOURNAL_H

#include "store/store.h"

/* DG_ERR_FORMAT where a journal lies beside `path`, behind links: the file alone is not
 * what was written. */
enum dg_status dg_refuse_journal(const char *path, struct dg_error *err);

#endif
