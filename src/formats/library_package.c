/* AOTInductor's files in a .pt2 package: shared objects and GPU code, with what stands
 * beside them of their devices and constants. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>

#include "formats/library.h"
#include "formats/library_facts.h"
#include "formats/library_package.h"

/* What entries inflate to is bounded by dg_zip_content(). */
enum { INFLATED_BYTES = 48 << 20 };

enum { ALIGNMENT = 64 }; /* of constants in memory of the host (codecache.py) */

static bool ends_in_one_of(struct dg_text name, const char *const *ends, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (dg_pt2_ends(name, ends[i]))
            return true;
    }
    return false;
}

static bool is_for_gpu(struct dg_text name)
{
    static const char *const ends[] = {".cubin", ".fatbin", ".ptx"};

    return ends_in_one_of(name, ends, sizeof(ends) / sizeof(*ends));
}

static bool is_code(struct dg_text name)
{
    static const char *const ends[] = {".so", ".hsaco", ".dylib", ".dll", ".pyd"};

    return is_for_gpu(name) || ends_in_one_of(name, ends, sizeof(ends) / sizeof(*ends));
}

const struct dg_zip_entry *dg_package_beside(struct dg_pt2 *pt2, struct dg_text name,
                                             const char *end)
{
    size_t size = name.size;

    while (size && name.data[size - 1] != '.' && name.data[size - 1] != '/')
        size--;
    size -= size && name.data[size - 1] == '.';
    return dg_pt2_find(pt2, "%.*s%s", (int)size, name.data, end);
}

static bool read_entry(struct dg_pt2 *pt2, const struct dg_zip_entry *entry,
                       struct dg_bytes *content)
{
    if (!dg_pt2_read(pt2, entry, content))
        return true;
    dg_remark(pt2->program, "library/format", "%s", pt2->err->text);
    *pt2->err = (struct dg_error){0};
    return false;
}

bool dg_package_read_text(struct dg_pt2 *pt2, const struct dg_zip_entry *entry,
                          struct dg_text *text)
{
    struct dg_bytes content;

    if (!entry || !read_entry(pt2, entry, &content))
        return false;
    *text = (struct dg_text){(const char *)content.data, content.size};
    return true;
}

/* What the compiler wrote of a library: its own name ends in .wrapper, and stays so
 * where the library was renamed to X.so. */
static const struct dg_zip_entry *find_about(struct dg_pt2 *pt2, struct dg_text library,
                                             const char *end)
{
    const struct dg_zip_entry *entry = dg_package_beside(pt2, library, end);
    char wrapped[32];

    snprintf(wrapped, sizeof(wrapped), ".wrapper%s", end);
    return entry ? entry : dg_package_beside(pt2, library, wrapped);
}

/* Whether it can be read is judged of each model. */
static void read_meta(struct dg_pt2 *pt2, struct dg_text library, int64_t row)
{
    const struct dg_zip_entry *entry = find_about(pt2, library, "_metadata.json");
    struct dg_metadata metadata;
    struct dg_bytes content;

    if (!entry)
        return;
    if (dg_pt2_read(pt2, entry, &content)) {
        *pt2->err = (struct dg_error){0};
        return;
    }
    dg_metadata_read(&metadata, pt2, entry,
                     (struct dg_text){(const char *)content.data, content.size});
    if (!metadata.failed)
        pt2->program->libraries[row].meta = metadata.strings;
}

/* The source that was compiled describes each constant in lines such as
 *     constants_info_[0].data_size = 128;
 * (torch/_inductor/codegen/cpp_wrapper_cpu.py). */
struct statement {
    int64_t index;
    struct dg_text field, value;
};

static struct dg_text drop(struct dg_text text, size_t size)
{
    return (struct dg_text){text.data + size, text.size - size};
}

static size_t until(struct dg_text text, const char *wanted)
{
    const char *found = memmem(text.data, text.size, wanted, strlen(wanted));

    return found ? (size_t)(found - text.data) : text.size;
}

static int64_t whole_number(struct dg_text text)
{
    int64_t number = 0;

    if (!text.size || text.size > 18)
        return DG_NONE;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return DG_NONE;
        number = number * 10 + (text.data[i] - '0');
    }
    return number;
}

static bool read_statement(struct dg_text line, struct statement *statement)
{
    static const char begin[] = "constants_info_[";
    size_t end;

    while (line.size && line.data[0] == ' ')
        line = drop(line, 1);
    if (!dg_text_begins(line, begin))
        return false;
    line = drop(line, strlen(begin));
    end = until(line, "].");
    if (end == line.size)
        return false;
    statement->index = whole_number((struct dg_text){line.data, end});
    line = drop(line, end + 2);
    end = until(line, " = ");
    if (end == line.size || line.data[line.size - 1] != ';')
        return false;
    statement->field = (struct dg_text){line.data, end};
    line = drop(line, end + 3);
    statement->value = (struct dg_text){line.data, line.size - 1};
    return true;
}

static struct dg_text unquote(struct dg_text text)
{
    if (text.size < 2 || text.data[0] != '"' || text.data[text.size - 1] != '"')
        return (struct dg_text){0};
    return (struct dg_text){text.data + 1, text.size - 2};
}

/* "{8, 4}" becomes "[8,4]"; what is no list of numbers is none. */
static struct dg_text list_of(struct dg_program *program, struct dg_text text)
{
    struct dg_writer out = {0};
    bool is_list =
        text.size >= 2 && text.data[0] == '{' && text.data[text.size - 1] == '}';

    text = is_list ? (struct dg_text){text.data + 1, text.size - 2} : dg_text("");
    dg_print(&out, "[");
    while (text.size && is_list) {
        size_t end = until(text, ", ");
        int64_t number = whole_number((struct dg_text){text.data, end});

        is_list = number != DG_NONE;
        dg_print(&out, "%s%" PRId64, out.size > 1 ? "," : "", number);
        text = drop(text, end + 2 < text.size ? end + 2 : text.size);
    }
    dg_print(&out, "]");
    if (is_list)
        return dg_keep(&program->memory, &out);
    dg_writer_clear(&out);
    return (struct dg_text){0};
}

static const char *dtype_of(struct dg_text text)
{
    static const char prefix[] = "cached_torch_dtype_";
    const struct dg_dtype *dtype;

    if (!dg_text_begins(text, prefix))
        return NULL;
    dtype = dg_dtype_of_torch_name(drop(text, strlen(prefix)));
    return dtype ? dtype->name : NULL;
}

static void fill_constant(struct dg_program *program, const struct statement *statement)
{
    struct dg_library_constant_row *row =
        &program->library_constants[program->n_library_constants - 1];
    struct dg_text value = statement->value;

    if (dg_text_is(statement->field, "dtype"))
        row->dtype = dtype_of(value);
    else if (dg_text_is(statement->field, "offset"))
        row->offset = whole_number(value);
    else if (dg_text_is(statement->field, "data_size"))
        row->nbytes = whole_number(value);
    else if (dg_text_is(statement->field, "from_folded"))
        row->folded = dg_text_is(value, "true");
    else if (dg_text_is(statement->field, "shape"))
        row->shape = list_of(program, value);
    else if (dg_text_is(statement->field, "stride"))
        row->strides = list_of(program, value);
    else if (dg_text_is(statement->field, "original_fqn"))
        row->fqn = unquote(value);
}

static void read_constants(struct dg_pt2 *pt2, struct dg_text library, int64_t row)
{
    struct dg_program *program = pt2->program;
    struct dg_text text;
    int64_t n = 0;

    if (!dg_package_read_text(pt2, find_about(pt2, library, ".cpp"), &text) ||
        !dg_is_utf8(text))
        return;
    while (text.size) {
        size_t end = until(text, "\n");
        struct statement statement;
        bool found = read_statement((struct dg_text){text.data, end}, &statement);

        text = drop(text, end + (end < text.size));
        if (found && statement.index == n && dg_text_is(statement.field, "name")) {
            struct dg_library_constant_row *constant = dg_add_library_constant(program);

            constant->library = row;
            constant->idx = n++;
            constant->name = unquote(statement.value);
            constant->name = constant->name.data ? constant->name : dg_text("");
        } else if (found && statement.index == n - 1 && n) {
            fill_constant(program, &statement);
        }
    }
}

/* What the listed constants of the newest library need; what is computed when it is
 * loaded is stored nowhere. */
static void measure_listed(const struct dg_pt2 *pt2, struct dg_library_file *file)
{
    const struct dg_program *program = pt2->program;
    size_t i = program->n_library_constants;
    uint64_t listed = 0, aligned = 0;

    for (; i && program->library_constants[i - 1].library == file->row; i--) {
        const struct dg_library_constant_row *constant =
            &program->library_constants[i - 1];
        uint64_t nbytes = constant->folded == 1 ? 0 : (uint64_t)constant->nbytes;

        if (nbytes > INT64_MAX / 4 || listed > INT64_MAX / 4)
            return;
        listed += nbytes;
        aligned += (nbytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    if (i == program->n_library_constants)
        return;
    file->listed = (int64_t)listed;
    file->listed_aligned = (int64_t)aligned;
}

/* ["weight_0", shape, strides, offset]; an empty text where the package has the file.
 */
static struct dg_text missing_file(struct dg_pt2 *pt2, struct dg_json *json)
{
    struct dg_text file = {0};

    dg_json_array(json);
    for (bool first = true; dg_json_item(json); first = false) {
        if (first)
            file = dg_json_string(json);
        else
            dg_json_skip(json);
    }
    return file.data &&
                   !dg_pt2_find(pt2, "data/weights/%.*s", (int)file.size, file.data)
               ? file
               : dg_text("");
}

/* Which file has each constant, of a package that keeps them in files of their own.
 * Torch looks there where it is asked for them (load_weights_from_disk). */
static void check_weights(struct dg_pt2 *pt2, const struct dg_zip_entry *config)
{
    struct dg_error err = {0};
    struct dg_json json;
    struct dg_text text, fqn, file, first = {0}, first_file = {0};
    size_t n_missing = 0;

    if (!dg_package_read_text(pt2, config, &text))
        return;
    dg_json_begin(&json, text, dg_pt2_label(pt2, config->name), &pt2->program->memory,
                  &err);
    dg_json_object(&json);
    while (dg_json_key(&json, &fqn)) {
        file = missing_file(pt2, &json);
        if (file.size && !n_missing++) {
            first = fqn;
            first_file = file;
        }
    }
    if (n_missing)
        dg_remark(pt2->program, "library/constants",
                  "constant %s is to be in data/weights/%s, which the package lacks%s",
                  dg_pt2_label(pt2, first), dg_pt2_label(pt2, first_file),
                  dg_pt2_more(pt2, n_missing - 1));
    if (dg_json_end(&json))
        dg_remark(pt2->program, "library/unread", "%s", err.text);
}

static void say_what_it_is_not(struct dg_pt2 *pt2, struct dg_text name,
                               struct dg_bytes content, const char *what)
{
    dg_remark(pt2->program, "library/format", "%s: it is no %s; it has %zu bytes",
              dg_pt2_label(pt2, name), what, content.size);
}

static void read_code(struct dg_pt2 *pt2, const struct dg_zip_entry *entry,
                      struct dg_libraries *libraries, const struct dg_wrapped *wrapped)
{
    struct dg_text name = dg_pt2_inner_name(pt2, entry);
    struct dg_bytes content;
    int64_t row;

    if (!read_entry(pt2, entry, &content))
        return;
    if (is_for_gpu(name) && !dg_is_gpu_code(content)) {
        say_what_it_is_not(pt2, name, content, "GPU code");
        return;
    }
    row = dg_libraries_add(libraries, dg_text(dg_pt2_label(pt2, entry->name)), content,
                           dg_pt2_offset(pt2, content));
    if (row != DG_NONE) {
        read_meta(pt2, name, row);
        read_constants(pt2, name, row);
        if (libraries->n_files && libraries->files[libraries->n_files - 1].row == row)
            measure_listed(pt2, &libraries->files[libraries->n_files - 1]);
    } else if (!libraries->exhausted && dg_wrapped_opens(wrapped, name)) {
        say_what_it_is_not(pt2, name, content, "shared object");
    }
}

enum dg_status dg_pt2_libraries(struct dg_pt2 *pt2)
{
    struct dg_libraries libraries = {
        pt2->program, .effort = (uint64_t)pt2->file.size * 4 + INFLATED_BYTES};
    struct dg_wrapped wrapped;

    dg_wrapped_list(&wrapped, pt2);
    for (size_t i = 0; i < pt2->zip.n_entries; i++) {
        const struct dg_zip_entry *entry = &pt2->zip.entries[i];
        struct dg_text name = dg_pt2_inner_name(pt2, entry);

        if (!dg_text_begins(name, "data/aotinductor/"))
            continue;
        if (is_code(name))
            read_code(pt2, entry, &libraries, &wrapped);
        else if (dg_pt2_ends(name, "/weights_config.json"))
            check_weights(pt2, entry);
    }
    dg_wrapped_clear(&wrapped);
    dg_package_check_models(pt2);
    return dg_libraries_read(&libraries, pt2->err);
}
