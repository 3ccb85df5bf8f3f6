/* Files of native code: which are read, and the child process that reads them. */
#include "formats/library.h"

#include <stdlib.h>

#include "base/child.h"
#include "formats/library_facts.h"

void dg_libraries_facts(const struct dg_libraries *libraries, size_t index,
                        struct dg_writer *facts)
{
    dg_fact_write(
        facts, &(struct dg_library_fact){DG_FACT_FILE, .numbers[0] = (int64_t)index});
    dg_library_facts(libraries->files[index].bytes, facts);
}

/* File by file: what ends it takes no facts of others with it. */
static int find_facts(const void *state, int to)
{
    const struct dg_libraries *libraries = state;
    int failed = 0;

    for (size_t i = 0; i < libraries->n_files && !failed; i++) {
        struct dg_writer facts = {0};

        dg_libraries_facts(libraries, i, &facts);
        failed = dg_child_answer(to, facts.data, facts.size);
        dg_writer_clear(&facts);
    }
    return failed;
}

/* Of the first file that has no facts. */
static void tell_failure(const struct dg_libraries *libraries, size_t first,
                         const struct dg_error *err)
{
    size_t last = libraries->n_files - 1;
    size_t index = first < last ? first : last;
    struct dg_error told = {0};

    dg_fail(&told, err->status, "%s%s", err->text,
            index < last ? ", and so are the libraries behind it" : "");
    dg_library_remark(libraries->program, &libraries->files[index], DG_FAULT_REFUSED,
                      dg_text(told.text));
}

/* GPU code alone has no row of its own: its images have. */
static const char *format_of(struct dg_bytes bytes)
{
    static const uint32_t macho[] = {0xfeedfacf, 0xfeedface, 0xbebafeca};

    if (dg_is_elf(bytes) && !dg_is_gpu_code(bytes))
        return "elf";
    for (size_t i = 0; bytes.size >= 32 && i < sizeof(macho) / sizeof(*macho); i++) {
        if (dg_u32(bytes.data) == macho[i])
            return "macho";
    }
    return bytes.size >= 64 && !memcmp(bytes.data, "MZ", 2) ? "pe" : NULL;
}

static bool spend(struct dg_libraries *libraries, uint64_t bytes)
{
    if (bytes <= libraries->effort) {
        libraries->effort -= bytes;
        return true;
    }
    if (!libraries->exhausted)
        dg_remark(libraries->program, "format/lists-repeated",
                  "libraries overlap so often that some were not read");
    libraries->exhausted = true;
    return false;
}

int64_t dg_libraries_add(struct dg_libraries *libraries, struct dg_text name,
                         struct dg_bytes bytes, int64_t file_offset)
{
    struct dg_library_file file = {name, bytes, file_offset, DG_NONE, DG_NONE, DG_NONE};
    const char *format = format_of(bytes);
    struct dg_library_row *row;

    if ((!format && !dg_is_gpu_code(bytes)) || !spend(libraries, bytes.size))
        return DG_NONE;
    if (format) {
        row = dg_add_library(libraries->program);
        file.row = (int64_t)libraries->program->n_libraries - 1;
        row->name = name;
        row->format = format;
        row->file_offset = file_offset;
        row->nbytes = (int64_t)bytes.size;
    }
    if (!format || dg_is_elf(bytes))
        *DG_APPEND(libraries->files, libraries->n_files) = file;
    return file.row;
}

enum dg_status dg_libraries_read(struct dg_libraries *libraries, struct dg_error *err)
{
    const struct dg_child_task task = {.work = find_facts,
                                       .state = libraries,
                                       .who = "libelf",
                                       .cannot = "read it",
                                       .instead = "it is left unread",
                                       .partial = true};
    struct dg_writer facts = {0};
    struct dg_error failure = {0};
    enum dg_status status = DG_OK;
    size_t n_read;

    if (!libraries->n_files)
        return DG_OK;
    status = dg_child_run(&facts, &task, NULL, &failure);
    n_read = dg_libraries_take(libraries, dg_written(&facts));
    if (status == DG_ERR_IO)
        *err = failure;
    else if (status)
        tell_failure(libraries, n_read, &failure);
    dg_writer_clear(&facts);
    free(libraries->files);
    libraries->files = NULL;
    libraries->n_files = 0;
    return status == DG_ERR_IO ? status : DG_OK;
}

enum dg_status dg_libraries_of_named_data(struct dg_program *program,
                                          struct dg_bytes file, struct dg_error *err)
{
    struct dg_libraries libraries = {program, .effort = (uint64_t)file.size * 4};

    for (size_t i = 0; i < program->n_named_data; i++) {
        const struct dg_named_data_row *named = &program->named_data[i];
        uint64_t index = (uint64_t)named->segment_idx;
        const struct dg_segment_row *segment;

        if (index >= program->n_segments)
            continue;
        segment = &program->segments[index];
        if (segment->file_offset != DG_NONE &&
            dg_inside((uint64_t)segment->file_offset, segment->size_bytes, file.size))
            dg_libraries_add(&libraries, named->key,
                             dg_slice(file, (size_t)segment->file_offset,
                                      (size_t)segment->size_bytes),
                             segment->file_offset);
    }
    return dg_libraries_read(&libraries, err);
}
