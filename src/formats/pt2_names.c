/* Names of nodes: a map, and how torch.fx chooses a name that is free. */
#include <stdio.h>
#include <stdlib.h>

#include "base/sorted.h"
#include "formats/pt2.h"

static bool same_name(const void *names, uint32_t number, struct dg_text key)
{
    return dg_text_equal(((const struct dg_name *)names)[number].text, key);
}

struct dg_name *dg_names_find(const struct dg_names *names, struct dg_text text)
{
    uint32_t number = dg_hash_table_find(&names->table, text, same_name, names->names);

    return number == DG_NO_NUMBER ? NULL : &names->names[number];
}

/* Most are asked for twice, in turns with another one, or in the order in which they
 * came: then no search is made. */
static bool is_near(struct dg_names *names, struct dg_text text)
{
    const size_t near[] = {names->last, names->last + 1, names->before};

    for (size_t i = 0; i < sizeof(near) / sizeof(*near); i++) {
        if (near[i] < names->n_names &&
            dg_text_equal(names->names[near[i]].text, text)) {
            if (i)
                names->before = names->last;
            names->last = near[i];
            return true;
        }
    }
    return false;
}

struct dg_name *dg_names_at(struct dg_names *names, struct dg_text text)
{
    struct dg_name *name;

    if (is_near(names, text))
        return &names->names[names->last];
    names->before = names->last;
    names->last = dg_hash_table_add(&names->table, text, same_name, names->names);
    if (names->last < names->n_names)
        return &names->names[names->last];
    name = DG_APPEND(names->names, names->n_names);
    name->text = names->memory ? dg_copy_text(names->memory, text) : text;
    name->node = name->value = DG_NONE;
    return name;
}

void dg_names_clear(struct dg_names *names)
{
    free(names->names);
    dg_hash_table_clear(&names->table);
    *names = (struct dg_names){0};
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_identifier(struct dg_text text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (!is_letter(text.data[i]) && !(i && is_digit(text.data[i])))
            return false;
    }
    return text.size > 0;
}

/* Runs of other characters become one "_"; a leading digit gets one. */
static struct dg_text identifier(struct dg_text text, struct dg_arena *memory)
{
    char *out, *at;

    if (is_identifier(text))
        return text;
    if (!text.size)
        return dg_text("_unnamed");
    at = out = dg_alloc(memory, text.size + 2, 1);
    if (is_digit(text.data[0]))
        *at++ = '_';
    for (size_t i = 0; i < text.size; i++) {
        bool fine = is_letter(text.data[i]) || is_digit(text.data[i]);
        bool run = i && !is_letter(text.data[i - 1]) && !is_digit(text.data[i - 1]);

        if (fine || !run)
            *at++ = fine ? text.data[i] : '_';
    }
    return (struct dg_text){out, (size_t)(at - out)};
}

/* Python's keywords and builtins, and what FX adds, in order. */
static const char *const illegal[] = {
    /* clang-format off */
    "ArithmeticError", "AssertionError", "AttributeError", "BaseException",
    "BaseExceptionGroup", "BlockingIOError", "BrokenPipeError", "BufferError",
    "BytesWarning", "ChildProcessError", "ConnectionAbortedError",
    "ConnectionError", "ConnectionRefusedError", "ConnectionResetError",
    "DeprecationWarning", "EOFError", "Ellipsis", "EncodingWarning",
    "EnvironmentError", "Exception", "ExceptionGroup", "False", "FileExistsError",
    "FileNotFoundError", "FloatingPointError", "FutureWarning", "GeneratorExit",
    "IOError", "ImportError", "ImportWarning", "IndentationError", "IndexError",
    "InterruptedError", "IsADirectoryError", "KeyError", "KeyboardInterrupt",
    "LookupError", "MemoryError", "ModuleNotFoundError", "NameError", "None",
    "NoneType", "NotADirectoryError", "NotImplemented", "NotImplementedError",
    "OSError", "OverflowError", "PendingDeprecationWarning", "PermissionError",
    "ProcessLookupError", "RecursionError", "ReferenceError", "ResourceWarning",
    "RuntimeError", "RuntimeWarning", "StopAsyncIteration", "StopIteration",
    "SyntaxError", "SyntaxWarning", "SystemError", "SystemExit", "TabError",
    "TimeoutError", "True", "TypeError", "UnboundLocalError", "UnicodeDecodeError",
    "UnicodeEncodeError", "UnicodeError", "UnicodeTranslateError", "UnicodeWarning",
    "UserWarning", "ValueError", "Warning", "ZeroDivisionError", "__build_class__",
    "__debug__", "__doc__", "__import__", "__loader__", "__name__", "__package__",
    "__spec__", "abs", "aiter", "all", "and", "anext", "any", "as", "ascii",
    "assert", "async", "await", "bin", "bool", "break", "breakpoint", "bytearray",
    "bytes", "callable", "chr", "class", "classmethod", "compile", "complex",
    "continue", "copyright", "credits", "def", "del", "delattr", "device", "dict",
    "dir", "divmod", "elif", "else", "enumerate", "eval", "except", "exec", "exit",
    "filter", "finally", "float", "for", "format", "from", "frozenset", "fx_pytree",
    "getattr", "global", "globals", "hasattr", "hash", "help", "hex", "id", "if",
    "import", "in", "inf", "input", "int", "is", "isinstance", "issubclass", "iter",
    "lambda", "len", "license", "list", "locals", "map", "max", "memoryview", "min",
    "nan", "next", "nonlocal", "not", "object", "oct", "open", "or", "ord", "pass",
    "pow", "print", "property", "pytree", "quit", "raise", "range", "repr",
    "return", "reversed", "round", "set", "setattr", "slice", "sorted",
    "staticmethod", "str", "sum", "super", "torch", "try", "tuple", "type", "vars",
    "while", "with", "yield", "zip",
    /* clang-format on */
};

static int compare(const void *key, const void *item)
{
    const struct dg_text *text = key;
    const char *word = *(const char *const *)item;
    size_t length = strlen(word);
    int order = memcmp(text->data, word, text->size < length ? text->size : length);

    return order ? order : (text->size > length) - (text->size < length);
}

static bool is_illegal(struct dg_text text)
{
    return dg_search(&text, illegal, sizeof(illegal) / sizeof(*illegal),
                     sizeof(*illegal), compare);
}

/* Where the number of "base_<number>" begins, or 0. Longer numbers than any counter
 * reaches are part of the base. */
static size_t number_at(struct dg_text text, uint64_t *number)
{
    size_t at = text.size;

    *number = 0;
    while (at && is_digit(text.data[at - 1]))
        at--;
    if (at < 2 || at == text.size || text.size - at > 15 || text.data[at - 1] != '_')
        return 0;
    for (size_t i = at; i < text.size; i++)
        *number = *number * 10 + (uint64_t)(text.data[i] - '0');
    return at;
}

static struct dg_text numbered(struct dg_text base, uint64_t number,
                               struct dg_arena *memory)
{
    return dg_format(memory, "%.*s_%llu", (int)base.size, base.data,
                     (unsigned long long)number);
}

static bool is_used(const struct dg_names *names, struct dg_text text)
{
    const struct dg_name *name = dg_names_find(names, text);

    return name && name->used;
}

/* The first of base_<number + 1>, ... that is free. */
static struct dg_text next_free(const struct dg_names *names, struct dg_text base,
                                uint64_t *number, struct dg_arena *memory)
{
    enum { ROOM = 24 };
    char *trial = dg_alloc(memory, base.size + ROOM, 1);
    struct dg_text name = {trial, 0};

    memcpy(trial, base.data, base.size);
    do {
        int size =
            snprintf(trial + base.size, ROOM, "_%llu", (unsigned long long)++*number);

        name.size = base.size + (size_t)size;
    } while (is_used(names, name));
    return name;
}

struct dg_text dg_fx_name(struct dg_names *names, struct dg_text candidate,
                          struct dg_arena *memory)
{
    struct dg_text name = identifier(candidate, memory), base = name;
    struct dg_name *own;
    uint64_t number;
    size_t at = number_at(name, &number);
    bool used = dg_names_at(names, name)->used;

    if (at)
        base.size = at - 1;
    if (!at || used) {
        number = dg_names_at(names, base)->count;
        if (is_illegal(name)) {
            name = numbered(base, ++number, memory);
            used = is_used(names, name);
        }
    }
    if (used)
        name = next_free(names, base, &number, memory);
    own = dg_names_at(names, name);
    own->used = true;
    name = own->text;
    dg_names_at(names, base)->count = number;
    return name;
}

struct dg_text dg_fx_snake_case(struct dg_text function, struct dg_arena *memory)
{
    char *out = dg_alloc(memory, 2 * function.size + 1, 1), *at = out;

    for (size_t i = 0; i < function.size; i++) {
        char c = function.data[i];
        bool upper = c >= 'A' && c <= 'Z';

        if (upper && i && function.data[i - 1] >= 'a' && function.data[i - 1] <= 'z')
            *at++ = '_';
        *at++ = (char)(upper ? c - 'A' + 'a' : c);
    }
    return (struct dg_text){out, (size_t)(at - out)};
}
