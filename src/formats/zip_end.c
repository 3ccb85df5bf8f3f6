/* Where the central directory of a ZIP archive lies, by the records at its end. */
#include "formats/zip_parts.h"

enum {
    END_SIZE = 22,
    END64_SIZE = 56,
    LOCATOR_SIZE = 20,
    COMMENT_MAX = 0xffff,
};

static const uint32_t end_mark = 0x06054b50, end64_mark = 0x06064b50,
                      locator_mark = 0x07064b50;

/* The last end record whose comment ends with the file. */
static enum dg_status find_end(size_t *end, struct dg_bytes file, struct dg_error *err)
{
    size_t reach = END_SIZE;

    for (; reach <= file.size && reach <= END_SIZE + COMMENT_MAX; reach++) {
        const uint8_t *at = file.data + file.size - reach;

        if (dg_u32(at) == end_mark && dg_u16(at + 20) == reach - END_SIZE) {
            *end = file.size - reach;
            return DG_OK;
        }
    }
    return dg_fail(err, DG_ERR_FORMAT,
                   "the file has no end record of a ZIP archive in its last %zu bytes: "
                   "it is cut off or not an archive",
                   reach - 1);
}

static enum dg_status read_end64(struct dg_zip_directory *directory,
                                 struct dg_bytes file, size_t locator,
                                 struct dg_error *err)
{
    const uint8_t *at = file.data + locator;
    uint64_t offset = dg_u64(at + 8);

    if (dg_u32(at + 4) != 0 || dg_u32(at + 16) > 1)
        return dg_fail(err, DG_ERR_FORMAT,
                       "byte %zu: the archive spans several disks; expected one",
                       locator);
    if (!dg_inside(offset, END64_SIZE, locator) ||
        dg_u32(file.data + offset) != end64_mark)
        return dg_fail(err, DG_ERR_FORMAT,
                       "byte %zu: the ZIP64 locator points to byte %llu, where no "
                       "ZIP64 end record is",
                       locator, (unsigned long long)offset);
    at = file.data + offset;
    *directory = (struct dg_zip_directory){
        .disk = dg_u32(at + 16),
        .start_disk = dg_u32(at + 20),
        .here = dg_u64(at + 24),
        .count = dg_u64(at + 32),
        .size = dg_u64(at + 40),
        .offset = dg_u64(at + 48),
        .limit = offset,
    };
    return DG_OK;
}

static enum dg_status read_end(struct dg_zip_directory *directory, struct dg_bytes file,
                               struct dg_error *err)
{
    size_t end = 0;
    enum dg_status status = find_end(&end, file, err);
    const uint8_t *at;

    if (status)
        return status;
    if (end >= LOCATOR_SIZE && dg_u32(file.data + end - LOCATOR_SIZE) == locator_mark)
        return read_end64(directory, file, end - LOCATOR_SIZE, err);
    at = file.data + end;
    *directory = (struct dg_zip_directory){
        .disk = dg_u16(at + 4),
        .start_disk = dg_u16(at + 6),
        .here = dg_u16(at + 8),
        .count = dg_u16(at + 10),
        .size = dg_u32(at + 12),
        .offset = dg_u32(at + 16),
        .limit = end,
    };
    return DG_OK;
}

static enum dg_status check_directory(const struct dg_zip_directory *directory,
                                      struct dg_error *err)
{
    if (directory->disk || directory->start_disk || directory->here != directory->count)
        return dg_fail(err, DG_ERR_FORMAT,
                       "byte %llu: the archive spans several disks; expected one",
                       (unsigned long long)directory->limit);
    if (!dg_inside(directory->offset, directory->size, directory->limit))
        return dg_fail(err, DG_ERR_FORMAT,
                       "byte %llu: the central directory spans bytes %llu+%llu; "
                       "expected it before its end record",
                       (unsigned long long)directory->limit,
                       (unsigned long long)directory->offset,
                       (unsigned long long)directory->size);
    if (directory->count > directory->size / DG_ZIP_CENTRAL_SIZE)
        return dg_fail(err, DG_ERR_FORMAT,
                       "byte %llu: %llu entries are declared, but the central "
                       "directory of %llu bytes has no room for them",
                       (unsigned long long)directory->limit,
                       (unsigned long long)directory->count,
                       (unsigned long long)directory->size);
    return DG_OK;
}

enum dg_status dg_zip_find_directory(struct dg_zip_directory *directory,
                                     struct dg_bytes file, struct dg_error *err)
{
    enum dg_status status = read_end(directory, file, err);

    return status ? status : check_directory(directory, err);
}
