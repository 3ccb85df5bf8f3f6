/* Rows of native code, from the facts that a child process found in it. */
#include <inttypes.h>

#include "formats/library.h"
#include "formats/library_facts.h"

/* A section of constants without any (torch/_inductor/codecache.py). */
enum { ONE_BYTE_FOR_NONE = 1, LEAST_EFFORT = 1 << 20 };

struct rows {
    struct dg_program *program;
    const struct dg_library_file *file; /* that facts are about */
    int64_t code;                       /* its newest row; DG_NONE: none so far */
    int64_t binary;                     /* row of the first image of a fat binary */
    uint64_t effort; /* bytes of names that may still be taken: entries share them */
    bool exhausted;  /* no, they may not */
    int64_t n_needs, n_versions, n_symbols, n_kernels;
};

static struct dg_text machine_name(struct dg_program *program, int64_t machine)
{
    static const struct {
        int16_t number;
        const char *name;
    } machines[] = {{3, "x86"},        {20, "ppc"},      {21, "ppc64"},
                    {22, "s390x"},     {40, "arm"},      {62, "x86_64"},
                    {164, "hexagon"},  {183, "aarch64"}, {243, "riscv"},
                    {258, "loongarch"}};

    for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
        if (machines[i].number == machine)
            return dg_text(machines[i].name);
    }
    return dg_format(&program->memory, "elf%" PRId64, machine);
}

void dg_library_remark(struct dg_program *program, const struct dg_library_file *file,
                       enum dg_fault fault, struct dg_text text)
{
    static const char *const rules[] = {
        [DG_FAULT_REFUSED] = "library/format", [DG_FAULT_UNREAD] = "library/unread"};

    dg_remark(program, rules[fault], "%.*s: %.*s",
              file->name.size < 200 ? (int)file->name.size : 200, file->name.data,
              (int)text.size, text.data);
}

static void remark(const struct rows *rows, enum dg_fault fault, struct dg_text text)
{
    dg_library_remark(rows->program, rows->file, fault, text);
}

static bool spend_name(struct rows *rows, uint64_t bytes)
{
    if (bytes <= rows->effort) {
        rows->effort -= bytes;
        return true;
    }
    if (!rows->exhausted)
        remark(rows, DG_FAULT_REFUSED,
               dg_text("its entries share names so often that some were not read"));
    rows->exhausted = true;
    return false;
}

/* The child answers for places: they are held to the bytes. */
static struct dg_text text_at(struct rows *rows, struct dg_library_place place)
{
    if (!place.size || !dg_inside(place.offset, place.size, rows->file->bytes.size) ||
        !spend_name(rows, place.size))
        return (struct dg_text){0};
    return (struct dg_text){(const char *)rows->file->bytes.data + place.offset,
                            place.size};
}

/* Names of what was linked may hold any bytes: what is not UTF-8 is escaped. */
static struct dg_text name_at(struct rows *rows, struct dg_library_place place)
{
    struct dg_text text = text_at(rows, place);
    struct dg_writer out = {0};

    if (!text.data || dg_is_utf8(text))
        return text;
    dg_write_plain(&out, text);
    return dg_keep(&rows->program->memory, &out);
}

/* Where there must be one. */
static struct dg_text some_name_at(struct rows *rows, struct dg_library_place place)
{
    struct dg_text name = name_at(rows, place);

    return name.data ? name : dg_text("");
}

static struct dg_text digits_at(struct rows *rows, struct dg_library_place place)
{
    struct dg_text text = text_at(rows, place);
    struct dg_writer out = {0};

    if (!text.data)
        return text;
    dg_write_hex(&out, (struct dg_text){text.data, text.size < 64 ? text.size : 64});
    return dg_keep(&rows->program->memory, &out);
}

static bool all_inside(const struct dg_library_file *file, int64_t nbytes,
                       int64_t number)
{
    return number < 0 || (file->listed == nbytes && number != file->listed &&
                          number != file->listed_aligned);
}

/* Eight or sixteen bytes in the place of constants are how many are elsewhere, unless
 * the constants themselves need no more. */
static void place_weights(struct rows *rows, struct dg_library_row *row,
                          const struct dg_library_fact *fact)
{
    bool appended = fact->flags & DG_OBJECT_WEIGHTS_APPENDED;
    bool two_numbers = fact->numbers[1] == 16;

    if (!appended && (all_inside(rows->file, fact->numbers[1], fact->numbers[2]) ||
                      (two_numbers && rows->file->listed < 0))) {
        row->weights = "inside";
        return;
    }
    row->weights = two_numbers ? "appended" : "beside";
    row->weights_bytes = fact->numbers[2];
    if (two_numbers && !appended)
        remark(rows, DG_FAULT_REFUSED,
               dg_text("the weights that it looks for at its end are not there, "
                       "or not whole"));
}

static void fill_library(struct rows *rows, const struct dg_library_fact *fact)
{
    struct dg_library_row *row = &rows->program->libraries[rows->file->row];

    row->machine = machine_name(rows->program, fact->numbers[0]);
    row->soname = name_at(rows, fact->texts[0]);
    row->build_id = digits_at(rows, fact->texts[1]);
    row->has_symbols = (fact->flags & DG_OBJECT_HAS_SYMBOLS) != 0;
    row->constants_bytes = fact->numbers[1] == ONE_BYTE_FOR_NONE ? 0 : fact->numbers[1];
    if (row->constants_bytes > 0)
        place_weights(rows, row, fact);
}

static void add_need(struct rows *rows, const struct dg_library_fact *fact)
{
    struct dg_library_need_row *row = dg_add_library_need(rows->program);

    row->library = rows->file->row;
    row->pos = rows->n_needs++;
    row->name = some_name_at(rows, fact->texts[0]);
}

static void add_version(struct rows *rows, const struct dg_library_fact *fact)
{
    struct dg_library_version_row *row = dg_add_library_version(rows->program);

    row->library = rows->file->row;
    row->pos = rows->n_versions++;
    row->name = some_name_at(rows, fact->texts[0]);
    row->file = some_name_at(rows, fact->texts[1]);
    row->weak = (fact->flags & DG_SYMBOL_WEAK) != 0;
}

static void add_symbol(struct rows *rows, const struct dg_library_fact *fact)
{
    struct dg_library_symbol_row *row = dg_add_library_symbol(rows->program);

    row->library = rows->file->row;
    row->pos = rows->n_symbols++;
    row->name = some_name_at(rows, fact->texts[0]);
    row->version = name_at(rows, fact->texts[1]);
    row->kind = !(fact->flags & DG_SYMBOL_UNDEFINED) ? "defined"
                : fact->flags & DG_SYMBOL_WEAK       ? "weak"
                                                     : "undefined";
}

static struct dg_text target_of(struct rows *rows, const struct dg_library_fact *fact)
{
    int letter = (int)(fact->flags >> 8 & 0xff);

    if (fact->numbers[0] < 0)
        return (struct dg_text){0};
    return dg_format(&rows->program->memory, "sm_%" PRId64 "%s", fact->numbers[0],
                     letter == 'a'   ? "a"
                     : letter == 'f' ? "f"
                                     : "");
}

static void add_code(struct rows *rows, const struct dg_library_fact *fact)
{
    static const char *const formats[DG_N_GPU_FORMATS] = {"cubin", "ptx", "amd"};
    uint32_t format = fact->flags & 0xff;
    struct dg_gpu_code_row *row = dg_add_gpu_code(rows->program);
    struct dg_text name = name_at(rows, fact->texts[0]);

    rows->code = (int64_t)rows->program->n_gpu_codes - 1;
    rows->n_kernels = 0;
    row->library = rows->file->row;
    row->binary = rows->binary;
    row->name = name.data ? name : rows->file->name;
    row->format = formats[format < DG_N_GPU_FORMATS ? format : DG_GPU_AMD];
    row->target = target_of(rows, fact);
    if (fact->numbers[3] >= 0)
        row->ptx = dg_format(&rows->program->memory, "%" PRId64 ".%" PRId64,
                             fact->numbers[3] >> 16, fact->numbers[3] & 0xffff);
    if (rows->file->file_offset != DG_NONE)
        row->file_offset = rows->file->file_offset + fact->numbers[1];
    row->nbytes = fact->numbers[2];
    row->compressed = (fact->flags & DG_CODE_COMPRESSED) != 0;
}

static void add_kernel(struct rows *rows, const struct dg_library_fact *fact)
{
    struct dg_gpu_kernel_row *row;

    if (rows->code == DG_NONE)
        return;
    row = dg_add_gpu_kernel(rows->program);
    row->code = rows->code;
    row->pos = rows->n_kernels++;
    row->name = some_name_at(rows, fact->texts[0]);
    row->registers = fact->numbers[0];
    row->shared_bytes = fact->numbers[1];
    row->stack_bytes = fact->numbers[2];
}

static void add_fact(struct rows *rows, const struct dg_library_fact *fact)
{
    switch (fact->kind) {
    case DG_FACT_OBJECT:
        fill_library(rows, fact);
        break;
    case DG_FACT_NEED:
        add_need(rows, fact);
        break;
    case DG_FACT_VERSION:
        add_version(rows, fact);
        break;
    case DG_FACT_SYMBOL:
        add_symbol(rows, fact);
        break;
    case DG_FACT_CODE:
        add_code(rows, fact);
        break;
    case DG_FACT_BINARY:
        rows->binary = (int64_t)rows->program->n_gpu_codes;
        break;
    case DG_FACT_KERNEL:
        add_kernel(rows, fact);
        break;
    }
}

/* Of the next file. */
static void begin_file(struct rows *rows, const struct dg_libraries *libraries,
                       int64_t index)
{
    if (index >= 0 && (uint64_t)index < libraries->n_files)
        *rows = (struct rows){
            .program = rows->program,
            .file = &libraries->files[index],
            .code = DG_NONE,
            .effort = 4 * (uint64_t)libraries->files[index].bytes.size + LEAST_EFFORT};
}

size_t dg_libraries_take(const struct dg_libraries *libraries, struct dg_text facts)
{
    struct rows rows = {.program = libraries->program, .file = libraries->files};
    struct dg_library_fact fact;
    size_t n_files = 0;

    while (facts.size >= sizeof(fact)) {
        memcpy(&fact, facts.data, sizeof(fact));
        facts = (struct dg_text){facts.data + sizeof(fact), facts.size - sizeof(fact)};
        if (fact.kind == DG_FACT_FILE) {
            begin_file(&rows, libraries, fact.numbers[0]);
            n_files++;
        } else if (fact.kind == DG_FACT_FAULT) {
            uint64_t size = (uint64_t)fact.numbers[0];
            size_t room = (size + sizeof(fact) - 1) / sizeof(fact) * sizeof(fact);

            if (size > facts.size || room > facts.size)
                break;
            remark(&rows,
                   fact.flags == DG_FAULT_UNREAD ? DG_FAULT_UNREAD : DG_FAULT_REFUSED,
                   (struct dg_text){facts.data, (size_t)size});
            facts = (struct dg_text){facts.data + room, facts.size - room};
        } else {
            add_fact(&rows, &fact);
        }
    }
    return n_files;
}
