/* ZIP archives, read in place. Only the central directory counts; local headers are
 * held to it. Refused: overlapping or out-of-range entries, duplicate names, several
 * disks, encryption, names with NUL; methods other than stored and deflate when they
 * are read. ZIP64 is read. */
#ifndef DG_FORMATS_ZIP_H
#define DG_FORMATS_ZIP_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"

struct dg_zip_entry {
    struct dg_text name;    /* in the file; UTF-8 or not: dg_is_utf8() */
    struct dg_bytes stored; /* its bytes in the archive, possibly compressed */
    uint64_t size;          /* uncompressed, as declared */
    uint32_t crc;           /* as declared */
    uint64_t header;        /* offset of its local header in the file */
    uint16_t method;        /* 0: stored, 8: deflate; others fail when read */
    bool deflated;
};

struct dg_zip {
    struct dg_bytes file;
    struct dg_zip_entry *entries; /* in central-directory order; owned by `memory` */
    size_t n_entries;
    struct dg_arena memory; /* and of what dg_zip_read() inflates */
    uint64_t inflated;      /* total so far: bounded by a ratio to the file and a cap */
    const struct dg_zip_entry **by_name;
};

bool dg_zip_recognises(struct dg_bytes file);

/* Index `file`. Clear *zip whether or not this succeeds. */
enum dg_status dg_zip_open(struct dg_zip *zip, struct dg_bytes file,
                           struct dg_error *err);
void dg_zip_clear(struct dg_zip *zip);

const struct dg_zip_entry *dg_zip_find(const struct dg_zip *zip, struct dg_text name);
/* The entry root + folder + name; root and folder end with "/" or are empty. */
const struct dg_zip_entry *dg_zip_find_below(const struct dg_zip *zip,
                                             struct dg_text root, const char *folder,
                                             struct dg_text name);

/* The entry's content: in place when stored, else inflated into `memory` (at most once
 * per call; callers keep it). All that is inflated from one archive may take 3 times
 * its size and 48 MB. The caller holds it to `entry->crc`. */
enum dg_status dg_zip_content(struct dg_zip *zip, const struct dg_zip_entry *entry,
                              struct dg_bytes *content, struct dg_error *err);

/* The same; *crc_matches tells the CRC-32 from a mismatch, which is no error here:
 * torch can write archives with CRC 0. */
enum dg_status dg_zip_read(struct dg_zip *zip, const struct dg_zip_entry *entry,
                           struct dg_bytes *content, bool *crc_matches,
                           struct dg_error *err);

/* Whether `size` bytes more may be made of the archive's content, under the same bound;
 * they are counted. */
bool dg_zip_spend(struct dg_zip *zip, uint64_t size);

#endif
