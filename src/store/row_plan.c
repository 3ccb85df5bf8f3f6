/* Ways to find rows, the best first. */
#include "store/row_plan.h"

#include <math.h>
#include <string.h>

static struct dg_any integer(sqlite3_value *value)
{
    return (struct dg_any){.type = DG_INTEGER, .integer = sqlite3_value_int64(value)};
}

/* Whole numbers up to here are reals that no other one equals. */
static const double MOST_EXACT = 9007199254740992.0;

/* What an integer equals: also a text or a real that is one. */
static bool take_integer(struct dg_any *cell, sqlite3_value *value)
{
    sqlite3_value *number = sqlite3_value_dup(value);
    double real;
    bool found = true;

    if (!number)
        return false;
    if (sqlite3_value_numeric_type(number) == SQLITE_INTEGER) {
        *cell = integer(number);
    } else {
        real = sqlite3_value_double(number);
        found = sqlite3_value_type(number) == SQLITE_FLOAT && real == floor(real) &&
                fabs(real) < MOST_EXACT;
        *cell =
            (struct dg_any){.type = DG_INTEGER, .integer = found ? (int64_t)real : 0};
    }
    sqlite3_value_free(number);
    return found;
}

bool dg_row_plan_cell(struct dg_any *cell, sqlite3_value *value, bool text)
{
    int type = sqlite3_value_type(value);

    if (type == SQLITE_NULL)
        *cell = (struct dg_any){0};
    else if (text && type == SQLITE_TEXT)
        *cell = (struct dg_any){.type = DG_TEXT,
                                .text = {(const char *)sqlite3_value_text(value),
                                         (size_t)sqlite3_value_bytes(value)}};
    else if (!text && type == SQLITE_INTEGER)
        *cell = integer(value);
    else
        return !text && take_integer(cell, value);
    return true;
}

struct choice {
    const sqlite3_index_info *info;
    const struct dg_program *program;
    struct dg_resident_table *table;
    int equal[DG_BULK_COLUMNS]; /* the condition on a column + 1 */
    uint32_t columns;           /* that have one */
    int least, most;            /* conditions on the first column of the key + 1 */
    int hopeless;               /* one that no row meets + 1 */
};

static bool is_id(const struct dg_resident_table *table, int column)
{
    return dg_table_has_id(table->rows.table) && column <= 0;
}

/* The first column of the key, by which rows are sorted. */
static bool is_key(const struct dg_resident_table *table, int column)
{
    return !column || is_id(table, column);
}

static bool has(struct dg_resident_table *table, int column, bool null)
{
    uint32_t bit = 1u << column;

    if (!(table->asked[null] & bit) && dg_table_has_cell(&table->rows, column, null))
        table->has[null] |= bit;
    table->asked[null] |= bit;
    return table->has[null] & bit;
}

/* Whether no NULL meets such a condition. Not <> and IS NOT NULL: of those SQLite
 * tells, too, where they say in the ON of an outer join which rows have partners. */
static bool needs_content(int comparison)
{
    static const int all[] = {SQLITE_INDEX_CONSTRAINT_EQ, SQLITE_INDEX_CONSTRAINT_LT,
                              SQLITE_INDEX_CONSTRAINT_LE, SQLITE_INDEX_CONSTRAINT_GT,
                              SQLITE_INDEX_CONSTRAINT_GE};

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        if (comparison == all[i])
            return true;
    }
    return false;
}

static bool is_binary(const sqlite3_index_info *info, int condition)
{
    return !strcmp(sqlite3_vtab_collation((sqlite3_index_info *)info, condition),
                   "BINARY");
}

static void note_condition(struct choice *choice, int i)
{
    int column = choice->info->aConstraint[i].iColumn;
    int *place = NULL;

    switch (choice->info->aConstraint[i].op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
        if (is_id(choice->table, column))
            place = &choice->equal[0];
        else if (column >= 0 && is_binary(choice->info, i) &&
                 dg_table_is_indexable(choice->table->rows.table, column))
            place = &choice->equal[column];
        if (place && !*place)
            choice->columns |= 1u << (column < 0 ? 0 : column);
        break;
    case SQLITE_INDEX_CONSTRAINT_GT:
    case SQLITE_INDEX_CONSTRAINT_GE:
        place = is_key(choice->table, column) ? &choice->least : NULL;
        break;
    case SQLITE_INDEX_CONSTRAINT_LT:
    case SQLITE_INDEX_CONSTRAINT_LE:
        place = is_key(choice->table, column) ? &choice->most : NULL;
        break;
    }
    if (place && !*place)
        *place = i + 1;
}

/* Whether no row meets it, by where a column is NULL. */
static bool is_hopeless(const struct choice *choice,
                        const struct sqlite3_index_constraint *condition)
{
    if (condition->iColumn < 0)
        return false;
    if (condition->op == SQLITE_INDEX_CONSTRAINT_ISNULL)
        return !has(choice->table, condition->iColumn, true);
    return needs_content(condition->op) &&
           !has(choice->table, condition->iColumn, false);
}

/* False: no row can meet them. */
static bool note_conditions(struct choice *choice)
{
    for (int i = 0; i < choice->info->nConstraint; i++) {
        const struct sqlite3_index_constraint *condition =
            &choice->info->aConstraint[i];

        if (!condition->usable)
            continue;
        if (is_hopeless(choice, condition)) {
            choice->hopeless = i + 1;
            return false;
        }
        note_condition(choice, i);
    }
    return true;
}

/* What a query compares with, if it is written there. */
static sqlite3_value *operand_of(const struct choice *choice, int column)
{
    sqlite3_value *value = NULL;
#if SQLITE_VERSION_NUMBER >= 3038000
    sqlite3_vtab_rhs_value((sqlite3_index_info *)choice->info,
                           choice->equal[column] - 1, &value);
#endif
    return value;
}

static double rows_of_word(const struct choice *choice, int column)
{
    struct dg_row_indexes *indexes = &choice->table->indexes;
    sqlite3_value *value = operand_of(choice, column);
    const struct dg_row_index *index = NULL;
    struct dg_any word;
    uint32_t n = 0;

    if (value && dg_row_plan_cell(&word, value, true) && word.type == DG_TEXT)
        index = dg_row_index(indexes, 1u << column);
    if (!index)
        return dg_table_rows_like(choice->program, choice->table->rows.table, column);
    dg_row_index_find(indexes, index, &word, &n);
    return n;
}

static double rows_of_column(const struct choice *choice, int column)
{
    enum dg_table table = choice->table->rows.table;

    return dg_table_holds_words(table, column)
               ? rows_of_word(choice, column)
               : dg_table_rows_like(choice->program, table, column);
}

/* The column among `columns` whose condition the fewest rows meet, about. */
static int best_column(const struct choice *choice, uint32_t columns, double *rows)
{
    int best = -1;

    for (int i = 0; i < DG_BULK_COLUMNS; i++) {
        double of_column;

        if (!(columns >> i & 1))
            continue;
        of_column = rows_of_column(choice, i);
        if (best < 0 || of_column < *rows) {
            best = i;
            *rows = of_column;
        }
    }
    return best;
}

/* An index for each set of columns that somebody compares would be too many: one
 * column, or two where one leaves more than a few rows. SQLite looks at the other
 * conditions. */
static double narrow(struct choice *choice)
{
    enum { FEW = 4 };
    double rows = 0, second = 0;
    uint32_t columns = choice->columns;
    int best = best_column(choice, columns, &rows), other;

    choice->columns = 1u << best;
    other = best_column(choice, columns & ~choice->columns, &second);
    if (rows > FEW && other >= 0)
        choice->columns |= 1u << other;
    return rows;
}

/* Whether rows as they lie are in the order that is asked for, or in its reverse. What
 * all of them have in common is in any order. */
static bool is_in_order(const struct choice *choice, bool *reversed)
{
    const sqlite3_index_info *info = choice->info;
    int key = 0, n_key = dg_table_has_id(choice->table->rows.table) ? 1 : 2;

    for (int i = 0; i < info->nOrderBy; i++) {
        int wanted = info->aOrderBy[i].iColumn;

        wanted = is_id(choice->table, wanted) ? 0 : wanted;
        while (key < n_key && choice->columns >> key & 1)
            key++;
        if (key == n_key)
            break;
        if (wanted >= 0 && choice->columns >> wanted & 1)
            continue;
        if (wanted != key || (i && *reversed != info->aOrderBy[i].desc))
            return false;
        *reversed = info->aOrderBy[i].desc;
        key++;
    }
    return true;
}

static void pass(sqlite3_index_info *info, int condition, int *n)
{
    info->aConstraintUsage[condition - 1].argvIndex = ++*n;
}

static void choose_range(const struct choice *choice, union dg_row_plan *plan,
                         sqlite3_index_info *info)
{
    int n = 0;

    plan->as.way = DG_WAY_ALL;
    if (choice->least) {
        plan->as.least = 1;
        plan->as.above =
            info->aConstraint[choice->least - 1].op == SQLITE_INDEX_CONSTRAINT_GT;
        pass(info, choice->least, &n);
    }
    if (choice->most) {
        plan->as.most = 1;
        plan->as.below =
            info->aConstraint[choice->most - 1].op == SQLITE_INDEX_CONSTRAINT_LT;
        pass(info, choice->most, &n);
    }
    info->estimatedRows = (sqlite3_int64)choice->table->rows.bulk.n_rows >> 2 * n;
}

/* The condition is passed all the same: in the ON of an outer join it is about rows of
 * another table, which must have been read then. */
static void choose_none(const struct choice *choice, union dg_row_plan *plan,
                        sqlite3_index_info *info)
{
    int n = 0;

    plan->as.way = DG_WAY_NONE;
    pass(info, choice->hopeless, &n);
}

static void choose(struct choice *choice, union dg_row_plan *plan,
                   sqlite3_index_info *info)
{
    int n = 0;

    if (choice->columns & 1 && dg_table_has_id(choice->table->rows.table)) {
        plan->as.way = DG_WAY_ONE;
        pass(info, choice->equal[0], &n);
        info->estimatedRows = 1;
        info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
    } else if (choice->columns) {
        plan->as.way = DG_WAY_KEY;
        info->estimatedRows = (sqlite3_int64)narrow(choice);
        plan->as.columns = choice->columns;
        for (int i = 0; i < DG_BULK_COLUMNS; i++) {
            if (choice->columns >> i & 1)
                pass(info, choice->equal[i], &n);
        }
    } else {
        choose_range(choice, plan, info);
    }
}

void dg_row_plan_choose(sqlite3_index_info *info, struct dg_resident_table *table,
                        const struct dg_program *program)
{
    struct choice choice = {.info = info, .program = program, .table = table};
    union dg_row_plan plan = {0};
    bool reversed = false;

    info->estimatedRows = 0;
    if (note_conditions(&choice))
        choose(&choice, &plan, info);
    else
        choose_none(&choice, &plan, info);
    if (info->estimatedRows < 1)
        info->estimatedRows = 1;
    info->estimatedCost = 4 + (double)info->estimatedRows;
    info->orderByConsumed = is_in_order(&choice, &reversed);
    plan.as.reversed = info->orderByConsumed && reversed;
    info->idxNum = plan.number;
}
