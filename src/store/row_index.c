/* Rows by what stands in them. */
#include "store/row_index.h"

#include <stdlib.h>

#include "base/text.h"

static bool same_cell(const struct dg_any *a, const struct dg_any *b)
{
    if (a->type != b->type)
        return false;
    return a->type == DG_TEXT ? dg_text_equal(a->text, b->text)
                              : a->integer == b->integer;
}

static uint32_t add_cell(struct dg_cell_numbers *numbers, const struct dg_any *cell)
{
    switch (cell->type) {
    case DG_INTEGER:
        return dg_int_set_add(&numbers->integers, (uint64_t)cell->integer);
    case DG_TEXT:
        return dg_text_set_add(&numbers->texts, cell->text);
    default:
        return DG_NO_NUMBER;
    }
}

static uint32_t find_cell(const struct dg_cell_numbers *numbers,
                          const struct dg_any *cell)
{
    uint64_t row = cell->type == DG_INTEGER ? (uint64_t)cell->integer - 1 : UINT64_MAX;

    if (numbers->of_ids)
        return row < numbers->n ? (uint32_t)row : DG_NO_NUMBER;
    return cell->type == DG_TEXT
               ? dg_text_set_find(&numbers->texts, cell->text)
               : dg_int_set_find(&numbers->integers, (uint64_t)cell->integer);
}

/* Rows of a table need no table of what they are called. */
static void number_ids(struct dg_cell_numbers *numbers,
                       const struct dg_table_rows *rows, int column)
{
    for (size_t i = 0; i < rows->bulk.n_rows; i++) {
        int64_t row = dg_table_cell(rows, i, column).integer - 1; /* of NULL: -1 */

        numbers->of_row[i] = (uint32_t)row;
        if (row >= numbers->n)
            numbers->n = (uint32_t)row + 1;
    }
}

static void number_cells(struct dg_cell_numbers *numbers,
                         const struct dg_table_rows *rows, int column)
{
    struct dg_any cell, last = {0};
    uint32_t number = DG_NO_NUMBER;

    for (size_t i = 0; i < rows->bulk.n_rows; i++) {
        cell = dg_table_cell(rows, i, column);
        /* Many rows are like the one before. */
        if (!same_cell(&cell, &last))
            number = add_cell(numbers, &cell);
        numbers->of_row[i] = number;
        last = cell;
    }
    numbers->n = numbers->integers.n_values + numbers->texts.n_texts;
}

static struct dg_cell_numbers *make_numbers(const struct dg_table_rows *rows,
                                            int column)
{
    struct dg_cell_numbers *numbers = dg_zeroed(1, sizeof(*numbers));

    numbers->of_row = dg_zeroed(rows->bulk.n_rows, sizeof(*numbers->of_row));
    numbers->of_ids = dg_table_holds_ids(rows->table, column);
    if (numbers->of_ids)
        number_ids(numbers, rows, column);
    else
        number_cells(numbers, rows, column);
    return numbers;
}

/* The last one may take a little more than there is. */
static void take_room(struct dg_row_indexes *indexes, size_t bytes)
{
    *indexes->room -= bytes < *indexes->room ? bytes : *indexes->room;
}

/* Bytes for each key of a set: itself, and up to four slots. */
enum { BYTES_PER_KEY = sizeof(struct dg_text) + 4 * sizeof(struct dg_hash_slot) };

static const struct dg_cell_numbers *numbers_of(struct dg_row_indexes *indexes,
                                                int column)
{
    struct dg_cell_numbers **numbers = &indexes->numbers[column];

    if (!*numbers) {
        *numbers = make_numbers(indexes->rows, column);
        take_room(indexes,
                  indexes->rows->bulk.n_rows * sizeof(uint32_t) +
                      ((*numbers)->of_ids ? 0 : (*numbers)->n) * BYTES_PER_KEY);
    }
    return *numbers;
}

/* The first column from `from` on; DG_BULK_COLUMNS: there is none. */
static int next_column(uint32_t columns, int from)
{
    while (from < DG_BULK_COLUMNS && !(columns >> from & 1))
        from++;
    return from;
}

static uint64_t pair_of(uint32_t a, uint32_t b)
{
    return (uint64_t)a << 32 | b;
}

/* Numbers of what stands in two columns: of those of one, and of the other. */
static void fold(struct dg_int_set *pairs, uint32_t *key_of,
                 const struct dg_cell_numbers *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (key_of[i] != DG_NO_NUMBER)
            key_of[i] =
                numbers->of_row[i] == DG_NO_NUMBER
                    ? DG_NO_NUMBER
                    : dg_int_set_add(pairs, pair_of(key_of[i], numbers->of_row[i]));
    }
}

static void make(struct dg_row_indexes *indexes, struct dg_row_index *index)
{
    size_t n = indexes->rows->bulk.n_rows, n_pairs = 0;
    int column = next_column(index->columns, 0);
    const struct dg_cell_numbers *numbers = numbers_of(indexes, column);
    uint32_t *key_of = dg_zeroed(n, sizeof(*key_of));

    if (n)
        memcpy(key_of, numbers->of_row, n * sizeof(*key_of));
    index->n_keys = numbers->n;
    while ((column = next_column(index->columns, column + 1)) < DG_BULK_COLUMNS) {
        struct dg_int_set *pairs = DG_APPEND(index->pairs, n_pairs);

        fold(pairs, key_of, numbers_of(indexes, column), n);
        index->n_keys = pairs->n_values;
        take_room(indexes, index->n_keys * BYTES_PER_KEY);
    }
    dg_csr_by_key(&index->rows, key_of, (uint32_t)n, index->n_keys, &indexes->memory);
    free(key_of);
}

const struct dg_row_index *dg_row_index(struct dg_row_indexes *indexes,
                                        uint32_t columns)
{
    struct dg_row_index index = {.columns = columns};

    for (size_t i = 0; i < indexes->n_items; i++) {
        if (indexes->items[i].columns == columns)
            return &indexes->items[i];
    }
    if (!*indexes->room)
        return NULL;
    make(indexes, &index);
    take_room(indexes, (indexes->rows->bulk.n_rows + index.n_keys) * sizeof(uint32_t));
    *DG_APPEND(indexes->items, indexes->n_items) = index;
    return &indexes->items[indexes->n_items - 1];
}

static uint32_t find_key(const struct dg_row_indexes *indexes,
                         const struct dg_row_index *index, const struct dg_any *cells)
{
    int column = next_column(index->columns, 0);
    uint32_t key = find_cell(indexes->numbers[column], cells), number;

    for (int i = 1; key != DG_NO_NUMBER; i++) {
        column = next_column(index->columns, column + 1);
        if (column == DG_BULK_COLUMNS)
            break;
        number = find_cell(indexes->numbers[column], &cells[i]);
        key = number == DG_NO_NUMBER
                  ? number
                  : dg_int_set_find(&index->pairs[i - 1], pair_of(key, number));
    }
    return key;
}

const uint32_t *dg_row_index_find(const struct dg_row_indexes *indexes,
                                  const struct dg_row_index *index,
                                  const struct dg_any *cells, uint32_t *n)
{
    uint32_t key = find_key(indexes, index, cells);

    *n = 0;
    if (key == DG_NO_NUMBER)
        return NULL;
    *n = index->rows.begins[key + 1] - index->rows.begins[key];
    return index->rows.items + index->rows.begins[key];
}

static void free_numbers(struct dg_cell_numbers *numbers)
{
    if (!numbers)
        return;
    free(numbers->of_row);
    dg_text_set_clear(&numbers->texts);
    dg_int_set_clear(&numbers->integers);
    free(numbers);
}

static void free_pairs(struct dg_row_index *index)
{
    uint32_t columns = index->columns;

    for (size_t i = 0; (columns &= columns - 1); i++)
        dg_int_set_clear(&index->pairs[i]);
    free(index->pairs);
}

void dg_row_indexes_clear(struct dg_row_indexes *indexes)
{
    for (size_t i = 0; i < indexes->n_items; i++)
        free_pairs(&indexes->items[i]);
    free(indexes->items);
    for (int i = 0; i < DG_BULK_COLUMNS; i++)
        free_numbers(indexes->numbers[i]);
    dg_arena_clear(&indexes->memory);
    *indexes = (struct dg_row_indexes){0};
}
