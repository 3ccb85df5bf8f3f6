#include "unit/infer_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int n_values;

static void int_value(long number)
{
    given_format("INSERT INTO value (id, graph_id, idx, kind, scalar)"
                 " VALUES (%d, 1, %d, 'int', %ld)",
                 n_values + 1, n_values, number);
    n_values++;
}

/* "f32[2,3]"; "f32[2,3]<" of sizes that may become less; "f32[1,2,3,4]c" channels last;
 * "bool:1"; "double:0.5"; "none" */
static void value(const char *text, size_t length)
{
    size_t at = strcspn(text, "[:");
    size_t end = strcspn(text, "]") + 1;

    given_format(
        "INSERT INTO value (id, graph_id, idx, kind) VALUES (%d, 1, %d, 'null')",
        n_values + 1, n_values);
    if (text[at] == '[' && at < length)
        given_format("UPDATE value SET kind = 'tensor', dtype = '%.*s', shape = '%.*s',"
                     " dynamism = '%s', dim_order = iif('%c' = 'c', '[0,2,3,1]', NULL)"
                     " WHERE id = %d",
                     (int)at, text, (int)(end - at), text + at,
                     text[end] == '<' ? "bounded" : "static",
                     end < length ? text[end] : ' ', n_values + 1);
    else if (text[at] == ':' && at < length)
        given_format("UPDATE value SET kind = '%.*s', scalar = %.*s WHERE id = %d",
                     (int)at, text, (int)(length - at - 1), text + at + 1,
                     n_values + 1);
    n_values++;
}

static void list(const char *kind, const char *items, size_t length)
{
    given_format("INSERT INTO value (id, graph_id, idx, kind, items)"
                 " VALUES (%d, 1, %d, '%s', '[%.*s]')",
                 n_values + 1, n_values, kind, (int)length, items);
    n_values++;
}

enum { FIRST_INT = 60, LAST_INT = 80 };

/* "{2,3}": value FIRST_INT + n is the int n. */
static void int_list(const char *at)
{
    char items[100] = "";

    while (*at != '}' && at[1] != '}') {
        long number = strtol(at + 1, (char **)&at, 10);

        sprintf(items + strlen(items), "%s%ld", *items ? "," : "", FIRST_INT + number);
    }
    list("int_list", items, strlen(items));
}

/* Words of a call: tensors, "3" an int, "bool:0", "none", "{2,3}" a list of ints,
 * "t{0,1}" a list of the values of these numbers, "d{0.5}" a list of doubles. */
static void operands(const char *words, char *reads)
{
    const char *at = words;

    *reads = '\0';
    for (int i = 0; *at; i++) {
        size_t length = strcspn(at, " ");

        if (*at == '{')
            int_list(at);
        else if (*at == 't' && at[1] == '{')
            list("tensor_list", at + 2, length - 3);
        else if (*at == 'd' && at[1] == '{')
            list("double_list", at + 2, length - 3);
        else if (strchr("-0123456789", *at))
            int_value(atol(at));
        else
            value(at, length);
        sprintf(reads + strlen(reads), "%s%d", i ? " " : "", i);
        at += length + (at[length] == ' ');
    }
    while (n_values < LAST_INT)
        int_value(n_values - FIRST_INT);
}

void hold(const char *rule, const struct sample *sample)
{
    char reads[100], *last;

    rules_open_pte();
    n_values = 0;
    operands(sample->operands, reads);
    last = strrchr(reads, ' ') + 1;
    if (sample->first_is_moved)
        move(FIRST_INT, 0);
    call_op(sample->op, reads, "", last);
    expect(rule, sample->want);
    rules_close();
}
