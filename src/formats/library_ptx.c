/* PTX: text, of which the head and the names of kernels are read. */
#include "formats/library_facts.h"

static int64_t take_digits(struct dg_text *text)
{
    int64_t number = 0;

    while (text->size && text->data[0] >= '0' && text->data[0] <= '9' &&
           number < 100000) {
        number = number * 10 + (text->data[0] - '0');
        *text = (struct dg_text){text->data + 1, text->size - 1};
    }
    return number;
}

/* "sm_90a, debug": 90 and 'a'. */
static void read_target(struct dg_text text, struct dg_library_fact *fact)
{
    if (!dg_text_begins(text, "sm_"))
        return;
    text = (struct dg_text){text.data + 3, text.size - 3};
    fact->numbers[0] = take_digits(&text);
    if (text.size && (text.data[0] == 'a' || text.data[0] == 'f'))
        fact->flags |= (uint32_t)text.data[0] << 8;
}

/* "8.4" */
static void read_version(struct dg_text text, struct dg_library_fact *fact)
{
    int64_t major;

    if (!text.size)
        return;
    major = take_digits(&text);
    text.size -= text.size > 0;
    text.data += 1;
    fact->numbers[3] = major << 16 | take_digits(&text);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* What stands behind a directive in its line, such as ".version 8.4". */
static struct dg_text directive(struct dg_text line, const char *name)
{
    size_t size = strlen(name);

    if (!dg_text_begins(line, name) || line.size <= size || !is_blank(line.data[size]))
        return (struct dg_text){0};
    while (size < line.size && is_blank(line.data[size]))
        size++;
    return (struct dg_text){line.data + size, line.size - size};
}

static size_t word_size(struct dg_text text)
{
    size_t size = 0;

    while (size < text.size &&
           (text.data[size] > ' ' && text.data[size] != '(' && text.data[size] != ','))
        size++;
    return size;
}

static struct dg_library_place place_of(struct dg_bytes file, struct dg_text text)
{
    return (struct dg_library_place){(uint64_t)((const uint8_t *)text.data - file.data),
                                     text.size};
}

static void write_ptx_kernel(struct dg_bytes file, struct dg_text line,
                             struct dg_writer *facts)
{
    static const char *const linkages[] = {".visible", ".weak", ".extern"};
    struct dg_text name;

    for (size_t i = 0; i < sizeof(linkages) / sizeof(*linkages); i++) {
        struct dg_text rest = directive(line, linkages[i]);

        line = rest.data ? rest : line;
    }
    name = directive(line, ".entry");
    name.size = word_size(name);
    if (name.size)
        dg_fact_write(facts,
                      &(struct dg_library_fact){
                          DG_FACT_KERNEL, 0, {-1, -1, -1}, {place_of(file, name)}});
}

/* The head of PTX stands before its first kernel. */
void dg_ptx_facts(struct dg_bytes file, struct dg_library_place place,
                  struct dg_library_place name, struct dg_writer *facts)
{
    struct dg_text rest = {(const char *)file.data + place.offset, place.size};
    struct dg_library_fact fact = {DG_FACT_CODE,
                                   DG_GPU_PTX,
                                   {-1, (int64_t)place.offset, (int64_t)place.size, -1},
                                   {name}};
    bool written = false;

    while (rest.size) {
        const char *end = memchr(rest.data, '\n', rest.size);
        struct dg_text line = {rest.data, end ? (size_t)(end - rest.data) : rest.size};
        size_t taken = line.size + (end != NULL);

        read_version(directive(line, ".version"), &fact);
        read_target(directive(line, ".target"), &fact);
        if (dg_text_begins(line, ".address_size") && !written) {
            dg_fact_write(facts, &fact);
            written = true;
        }
        if (written)
            write_ptx_kernel(file, line, facts);
        rest = (struct dg_text){rest.data + taken, rest.size - taken};
    }
    if (!written)
        dg_fact_write(facts, &fact);
}

/* Comments stand before the version. */
bool dg_is_ptx(struct dg_bytes code)
{
    struct dg_text text = {(const char *)code.data,
                           code.size < 4096 ? code.size : 4096};
    static const char wanted[] = ".version ";

    if (!dg_text_begins(text, "//") && !dg_text_begins(text, wanted))
        return false;
    for (size_t i = 0; i + sizeof(wanted) <= text.size; i++) {
        if (!memcmp(text.data + i, wanted, sizeof(wanted) - 1))
            return true;
    }
    return false;
}
