/* Mutants of archives: one entry is changed by its own format, and all written anew. */
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "formats/zip.h"
#include "fuzz/mutate.h"

enum { LOCAL_BYTES = 30, CENTRAL_BYTES = 46 };

static void put(struct dg_writer *out, uint64_t value, int size)
{
    for (int i = 0; i < size; i++) {
        char byte = i < 8 ? (char)(value >> 8 * i) : 0;

        dg_write(out, &byte, 1);
    }
}

struct archive {
    struct dg_writer local, central;
    size_t n;
};

static void add_entry(struct archive *archive, struct dg_text name, struct dg_text data)
{
    struct dg_writer common = {0};
    size_t offset = archive->local.size;

    put(&common, 20, 2);
    put(&common, 1 << 11, 2); /* names in UTF-8 */
    put(&common, 0, 2);       /* stored */
    put(&common, 0x210000, 4);
    put(&common, libdeflate_crc32(0, data.data, data.size), 4);
    put(&common, data.size, 4);
    put(&common, data.size, 4);
    put(&common, name.size, 2);
    put(&common, 0, 2);
    put(&archive->local, 0x04034b50, 4);
    dg_write_text(&archive->local, dg_written(&common));
    dg_write_text(&archive->local, name);
    dg_write_text(&archive->local, data);
    put(&archive->central, 0x02014b50, 4);
    put(&archive->central, 20, 2);
    dg_write_text(&archive->central, dg_written(&common));
    put(&archive->central, 0, 10);
    put(&archive->central, offset, 4);
    dg_write_text(&archive->central, name);
    archive->n++;
    dg_writer_clear(&common);
}

static void finish(struct archive *archive, struct dg_writer *file)
{
    size_t offset = archive->local.size;

    dg_write_text(&archive->local, dg_written(&archive->central));
    put(&archive->local, 0x06054b50, 4);
    put(&archive->local, 0, 4);
    put(&archive->local, archive->n, 2);
    put(&archive->local, archive->n, 2);
    put(&archive->local, archive->central.size, 4);
    put(&archive->local, offset, 4);
    put(&archive->local, 0, 2);
    dg_writer_clear(&archive->central);
    dg_writer_clear(file);
    *file = archive->local;
}

static bool ends(struct dg_text name, const char *ending)
{
    size_t size = strlen(ending);

    return name.size >= size && !memcmp(name.data + name.size - size, ending, size);
}

/* The entry to change: in three of four cases the graph. */
static size_t choose(struct mutation *m, const struct dg_zip *zip)
{
    size_t at = mutate_random(m, zip->n_entries);

    for (size_t i = 0; i < zip->n_entries && mutate_random(m, 4); i++) {
        if (ends(zip->entries[at].name, ".json"))
            break;
        at = (at + 1) % zip->n_entries;
    }
    return at;
}

static void change_entry(struct mutation *m, struct dg_text name,
                         struct dg_writer *data)
{
    if (ends(name, ".json"))
        mutate_json(m, data);
    else if (ends(name, ".npy") && data->size > 128 && mutate_random(m, 4)) {
        struct dg_writer header = {0}; /* after its magic and its length */

        dg_write(&header, data->data + 10, 118);
        mutate_json(m, &header);
        header.size = header.size > 118 ? 118 : header.size;
        memcpy(data->data + 10, header.data, header.size);
        dg_writer_clear(&header);
    } else
        mutate_bytes(m, data);
}

static void copy_entries(struct mutation *m, struct dg_zip *zip,
                         struct archive *archive)
{
    size_t changed = choose(m, zip);
    uint64_t how = mutate_random(m, 24); /* leave out, name anew, double or change */

    for (size_t i = 0; i < zip->n_entries; i++) {
        struct dg_text name = zip->entries[i].name;
        struct dg_writer data = {0};
        struct dg_bytes content = {0};
        struct dg_error err = {0};
        bool matches;

        if (!dg_zip_read(zip, &zip->entries[i], &content, &matches, &err))
            dg_write(&data, (const char *)content.data, content.size);
        if (i == changed && how == 0)
            name = dg_text(mutate_text(m));
        else if (i == changed && how == 1)
            add_entry(archive, dg_text("extra/doubled"), dg_written(&data));
        else if (i == changed && how > 2)
            change_entry(m, name, &data);
        if (i != changed || how != 2)
            add_entry(archive, name, dg_written(&data));
        dg_writer_clear(&data);
    }
}

bool mutate_zip(struct mutation *m, struct dg_writer *file)
{
    struct dg_zip zip = {0};
    struct dg_error err = {0};
    struct archive archive = {0};
    bool fine =
        !dg_zip_open(&zip, (struct dg_bytes){(const uint8_t *)file->data, file->size},
                     &err) &&
        zip.n_entries;

    if (fine) {
        copy_entries(m, &zip, &archive);
        finish(&archive, file);
    }
    dg_zip_clear(&zip);
    return fine;
}
