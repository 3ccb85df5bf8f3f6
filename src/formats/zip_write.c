/* Writing a ZIP archive of stored entries. */
#define _POSIX_C_SOURCE 200809L
#include "formats/zip_write.h"

#include <errno.h>
#include <libdeflate.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/output.h"
#include "base/text.h"

enum {
    LOCAL_SIGNATURE = 0x04034b50,
    CENTRAL_SIGNATURE = 0x02014b50,
    END_SIGNATURE = 0x06054b50,
    VERSION = 20,
    UTF8_NAMES = 1 << 11,
    JANUARY_1980 = 0x21,
    MOST_ENTRIES = UINT16_MAX
};

struct dg_zip_writer {
    FILE *file;
    struct dg_writer local, central; /* headers */
    uint64_t offset;
    size_t n_entries;
    struct dg_error *err;
};

static void put(struct dg_writer *out, uint64_t value, int size)
{
    for (int i = 0; i < size; i++) {
        char byte = i < 8 ? (char)(value >> 8 * i) : 0;

        dg_write(out, &byte, 1);
    }
}

/* What local and central headers share, from the version on. */
static void put_common(struct dg_writer *out, struct dg_text name, uint32_t crc,
                       uint64_t size)
{
    put(out, VERSION, 2);
    put(out, UTF8_NAMES, 2);
    put(out, 0, 4); /* stored; midnight */
    put(out, JANUARY_1980, 2);
    put(out, crc, 4);
    put(out, size, 4);
    put(out, size, 4);
    put(out, name.size, 2);
    put(out, 0, 2);
}

static void send(struct dg_zip_writer *zip, const void *data, size_t size)
{
    if (size)
        fwrite(data, 1, size, zip->file); /* ferror() tells, at the end */
    zip->offset += size;
}

enum dg_status dg_zip_add(struct dg_zip_writer *zip, struct dg_text name,
                          struct dg_bytes head, struct dg_bytes rest)
{
    uint64_t size = head.size + rest.size;
    uint32_t crc = 0;

    if (size + name.size + zip->offset > UINT32_MAX - (1 << 20) ||
        zip->n_entries == MOST_ENTRIES)
        return dg_fail(zip->err, DG_ERR_FORMAT,
                       "entry %.*s: an archive takes at most 4 GB and %d entries",
                       name.size < 100 ? (int)name.size : 100, name.data, MOST_ENTRIES);
    if (head.size)
        crc = libdeflate_crc32(crc, head.data, head.size);
    if (rest.size)
        crc = libdeflate_crc32(crc, rest.data, rest.size);
    put(&zip->central, CENTRAL_SIGNATURE, 4);
    put(&zip->central, VERSION, 2);
    put_common(&zip->central, name, crc, size);
    put(&zip->central, 0, 10); /* comment, disk, attributes */
    put(&zip->central, zip->offset, 4);
    dg_write_text(&zip->central, name);
    zip->local.size = 0;
    put(&zip->local, LOCAL_SIGNATURE, 4);
    put_common(&zip->local, name, crc, size);
    dg_write_text(&zip->local, name);
    send(zip, zip->local.data, zip->local.size);
    send(zip, head.data, head.size);
    send(zip, rest.data, rest.size);
    zip->n_entries++;
    return DG_OK;
}

static void put_end(struct dg_zip_writer *zip)
{
    struct dg_writer *out = &zip->central;
    size_t size = out->size;

    put(out, END_SIGNATURE, 4);
    put(out, 0, 4);
    put(out, zip->n_entries, 2);
    put(out, zip->n_entries, 2);
    put(out, size, 4);
    put(out, zip->offset, 4);
    put(out, 0, 2);
}

static enum dg_status write_archive(struct dg_zip_writer *zip, const char *path,
                                    dg_zip_fill_fn *fill, void *data)
{
    enum dg_status status = fill(zip, data, zip->err);
    bool failed;

    put_end(zip);
    send(zip, zip->central.data, zip->central.size);
    failed = ferror(zip->file) != 0;
    if ((fclose(zip->file) || failed) && !status)
        status =
            dg_fail(zip->err, DG_ERR_IO, "%s: cannot write: %s", path, strerror(errno));
    dg_writer_clear(&zip->local);
    dg_writer_clear(&zip->central);
    return status;
}

enum dg_status dg_zip_write(const char *path, dg_zip_fill_fn *fill, void *data,
                            struct dg_error *err)
{
    struct dg_zip_writer zip = {.err = err};
    struct dg_output output;
    enum dg_status status = dg_output_begin_forward(&output, path, err);
    int file;

    if (status)
        return status;
    file = dg_output_open(&output);
    zip.file = file >= 0 ? fdopen(file, "wb") : NULL;
    if (zip.file)
        status = write_archive(&zip, path, fill, data);
    else
        status = dg_fail(err, DG_ERR_IO, "%s: cannot write: %s", path, strerror(errno));
    return dg_output_finish(&output, status, err);
}

enum dg_status dg_zip_make(struct dg_bytes *archive, dg_zip_fill_fn *fill, void *data,
                           struct dg_error *err)
{
    struct dg_zip_writer zip = {.err = err};
    char *bytes = NULL;
    size_t size = 0;
    enum dg_status status;

    zip.file = open_memstream(&bytes, &size);
    if (!zip.file)
        dg_out_of_memory();
    status = write_archive(&zip, "an archive in memory", fill, data);
    *archive = (struct dg_bytes){(const uint8_t *)bytes, size};
    return status;
}
