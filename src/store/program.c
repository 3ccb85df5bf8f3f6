/* Appending rows, and finding those that are shared: operators, modules, traces. */
#include "store/program.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const struct dg_value_type dg_no_type = {.nbytes = DG_NONE, .requires_grad = DG_NONE};

struct dg_any dg_any_real(double value)
{
    if (value != value)
        return (struct dg_any){.type = DG_TEXT, .text = dg_text("NaN")};
    return (struct dg_any){.type = DG_REAL, .real = value};
}

/* Fields that start as NULL; all others start as 0. */
#define START_segment row->file_offset = DG_NONE
#define START_method (void)row
#define START_graph (void)row
#define START_op (void)row
#define START_module (void)row
#define START_trace (void)row
#define START_frame row->line = DG_NONE
#define START_delegate                                                                 \
    row->blob_index = row->blob_offset = row->blob_bytes = row->graph = row->inside =  \
        DG_NONE
#define START_compile_spec (void)row
#define START_delegate_key row->nbytes = DG_NONE
#define START_delegate_graph (void)row
#define START_delegate_value                                                           \
    row->nbytes = row->external_id = row->constant_idx = row->node = DG_NONE
#define START_delegate_constant row->offset = row->file_offset = row->nbytes = DG_NONE
#define START_delegate_node row->debug_handle = DG_NONE
#define START_delegate_operand row->value = DG_NONE
#define START_library                                                                  \
    row->file_offset = row->constants_bytes = row->weights_bytes = row->has_symbols =  \
        DG_NONE
#define START_library_need (void)row
#define START_library_version (void)row
#define START_library_symbol (void)row
#define START_library_constant row->offset = row->nbytes = DG_NONE
#define START_gpu_code row->library = row->file_offset = DG_NONE
#define START_gpu_kernel row->registers = row->shared_bytes = row->stack_bytes = DG_NONE
#define START_value                                                                    \
    row->type = &dg_no_type;                                                           \
    row->mem_id = row->mem_offset = row->data_index = DG_NONE
#define START_node                                                                     \
    row->op = row->op_index = row->delegate = row->jump = row->value = row->module =   \
        row->trace = DG_NONE
#define START_edge row->value = DG_NONE
#define START_operand row->value = DG_NONE
#define START_dangling (void)row
#define START_signature                                                                \
    row->persistent = row->value = row->value_idx = row->planned = DG_NONE
#define START_range (void)row
#define START_arena (void)row
#define START_plan_operator row->op = DG_NONE
#define START_constant                                                                 \
    row->method = row->storage_offset = row->segment = row->file_offset =              \
        row->nbytes = DG_NONE
#define START_named_data row->size_bytes = row->layout_bytes = DG_NONE
#define START_sample_input                                                             \
    row->file_offset = row->storage_offset = row->nbytes = DG_NONE
#define START_instruction_handle (void)row
#define START_profile row->input = row->method = DG_NONE
#define START_profile_event                                                            \
    row->chain = row->instruction = row->begin = row->end = row->nbytes =        \
        row->node = DG_NONE
#define START_remark row->method = row->graph = row->node = row->value = DG_NONE

#define TABLE(field, name)                                                             \
    struct dg_##name##_row *dg_add_##name(struct dg_program *program)                  \
    {                                                                                  \
        struct dg_##name##_row *row = DG_APPEND(program->field, program->n_##field);   \
                                                                                       \
        START_##name;                                                                  \
        return row;                                                                    \
    }
DG_TABLES(TABLE)
#undef TABLE

int64_t dg_intern_op(struct dg_program *program, struct dg_text name)
{
    uint32_t row = dg_text_set_add(&program->op_names, name);

    if (row == program->n_ops)
        dg_add_op(program)->name = name;
    return row;
}

int64_t dg_intern_module(struct dg_program *program, struct dg_text fqn,
                         struct dg_text type)
{
    uint32_t row = dg_text_set_add(&program->module_names, fqn);

    if (row == program->n_modules)
        *dg_add_module(program) = (struct dg_module_row){fqn, type};
    return row;
}

/* The text up to `end`, which is stepped over with it; absent if `end` does not occur.
 */
static struct dg_text take_until(struct dg_text *text, const char *end)
{
    size_t length = strlen(end);

    for (size_t i = 0; i + length <= text->size; i++) {
        if (!memcmp(text->data + i, end, length)) {
            struct dg_text taken = {text->data, i};

            *text = (struct dg_text){text->data + i + length, text->size - i - length};
            return taken;
        }
    }
    return (struct dg_text){0};
}

static struct dg_text take_line(struct dg_text *text)
{
    const char *end = text->size ? memchr(text->data, '\n', text->size) : NULL;
    size_t size = end ? (size_t)(end - text->data) : text->size;
    struct dg_text line = {text->data, size};

    size += end ? 1 : 0;
    *text = (struct dg_text){text->data + size, text->size - size};
    while (line.size && *line.data == ' ') {
        line.data++;
        line.size--;
    }
    return line;
}

static int64_t decimal(struct dg_text text)
{
    int64_t number = 0;

    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9' || number > INT32_MAX)
            return DG_NONE;
        number = number * 10 + text.data[i] - '0';
    }
    return text.size ? number : DG_NONE;
}

/* A line `File "x", line N, in f`, followed by the line of code. */
static void add_frame(struct dg_program *program, int64_t trace, int64_t pos,
                      struct dg_text line, struct dg_text code)
{
    struct dg_frame_row *frame = dg_add_frame(program);
    struct dg_text rest = {line.data + 6, line.size - 6};

    frame->trace = trace;
    frame->pos = pos;
    frame->file = take_until(&rest, "\", line ");
    frame->line = decimal(take_until(&rest, ", in "));
    frame->function = rest;
    frame->code = code;
}

static bool is_frame(struct dg_text line)
{
    struct dg_text rest = line;

    return dg_text_begins(line, "File \"") && take_until(&rest, "\", line ").data &&
           take_until(&rest, ", in ").data;
}

static void add_frames(struct dg_program *program, int64_t trace)
{
    struct dg_text rest = program->traces[trace].text;
    struct dg_text line = take_line(&rest);
    int64_t pos = 0;

    while (line.size || rest.size) {
        struct dg_text next = take_line(&rest);

        if (is_frame(line))
            add_frame(program, trace, pos++, line,
                      is_frame(next) || !next.size ? (struct dg_text){0} : next);
        line = next;
    }
}

int64_t dg_intern_trace(struct dg_program *program, struct dg_text text)
{
    uint32_t row = dg_text_set_add(&program->trace_texts, text);

    if (row == program->n_traces) {
        dg_add_trace(program)->text = text;
        add_frames(program, row);
    }
    return row;
}

struct dg_remark_row *dg_remark(struct dg_program *program, const char *rule,
                                const char *fmt, ...)
{
    struct dg_remark_row *row = dg_add_remark(program);
    char text[512];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    row->rule = rule;
    row->text = dg_text(dg_copy(&program->memory, dg_text(text)));
    return row;
}

void dg_program_clear(struct dg_program *program)
{
#define TABLE(field, name) free(program->field);
    DG_TABLES(TABLE)
#undef TABLE
    dg_text_set_clear(&program->op_names);
    dg_text_set_clear(&program->module_names);
    dg_text_set_clear(&program->trace_texts);
    dg_arena_clear(&program->memory);
    *program = (struct dg_program){0};
}
