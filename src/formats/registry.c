/* The readers, and which of them a file is for. */
#include "formats/foreign.h"
#include "formats/reader.h"

const struct dg_reader *const dg_readers[] = {
#define READER(name) &dg_reader_##name,
#include "formats/list.h"
#undef READER
    NULL,
};

static enum dg_status unknown(struct dg_bytes file, struct dg_error *err)
{
    static const char expected[] = "expected a .pte, .pt2 or .ptd program, or a store";

    if (!file.size)
        return dg_fail(err, DG_ERR_FORMAT, "the file is empty; %s", expected);
    if (file.size < 8)
        return dg_fail(err, DG_ERR_FORMAT, "the file has only %zu bytes; %s", file.size,
                       expected);
    if (dg_foreign_refuse(file, err))
        return err->status;
    if (file.data[0] == '{' || file.data[0] == '[')
        return dg_fail(err, DG_ERR_FORMAT,
                       "it looks like JSON; %s; plans, lists and groups are values of "
                       "options such as --plan",
                       expected);
    return dg_fail(
        err, DG_ERR_FORMAT,
        "unknown format: it begins with %02x %02x %02x %02x %02x %02x %02x %02x; %s",
        file.data[0], file.data[1], file.data[2], file.data[3], file.data[4],
        file.data[5], file.data[6], file.data[7], expected);
}

enum dg_status dg_reader_find(const struct dg_reader **reader, struct dg_bytes file,
                              struct dg_error *err)
{
    for (const struct dg_reader *const *r = dg_readers; *r; r++) {
        if ((*r)->recognises(file)) {
            *reader = *r;
            return DG_OK;
        }
    }
    return unknown(file, err);
}
