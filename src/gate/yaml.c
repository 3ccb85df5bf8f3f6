/* A YAML file of the user as a tree, by libyaml's events. */
#include "gate/yaml.h"

#include <string.h>
#include <yaml.h>

#include "base/text_set.h"

enum { DEEPEST = 8, LARGEST = 1 << 20 };

/* A list or map that is open. */
struct level {
    struct dg_yaml *node, *last;
    struct dg_text_set keys;
    bool has_key; /* the next node is the value of this key */
    struct dg_text key;
    int key_line, key_column;
};

struct reader {
    yaml_parser_t parser;
    struct level levels[DEEPEST];
    int n_levels;
    struct dg_yaml *root;
    const char *path;
    struct dg_arena *memory;
    struct dg_error *err;
};

static enum dg_status refuse(const struct reader *reader, yaml_mark_t mark,
                             const char *what)
{
    return dg_fail(reader->err, DG_ERR_USAGE, "%.160s:%zu:%zu: %s", reader->path,
                   mark.line + 1, mark.column + 1, what);
}

/* What libyaml says of a file that is no YAML. */
static enum dg_status refuse_parse(const struct reader *reader)
{
    const yaml_parser_t *parser = &reader->parser;
    const char *what = parser->problem ? parser->problem : "no YAML";

    if (parser->error == YAML_MEMORY_ERROR)
        dg_out_of_memory();
    if (parser->error == YAML_READER_ERROR)
        return dg_fail(reader->err, DG_ERR_USAGE, "%.160s: byte %zu: %s", reader->path,
                       parser->problem_offset, what);
    return refuse(reader, parser->problem_mark, what);
}

static enum dg_status add_key(struct reader *reader, struct level *level,
                              struct dg_text text, yaml_mark_t mark)
{
    uint32_t n = level->keys.n_texts;

    if (dg_text_set_add(&level->keys, text) < n)
        return dg_fail(reader->err, DG_ERR_USAGE,
                       "%.160s:%zu:%zu: \"%.80s\" stands here twice", reader->path,
                       mark.line + 1, mark.column + 1, text.data);
    level->key = text;
    level->key_line = (int)mark.line + 1;
    level->key_column = (int)mark.column + 1;
    level->has_key = true;
    return DG_OK;
}

static struct dg_yaml *add_node(struct reader *reader, enum dg_yaml_kind kind,
                                yaml_mark_t mark)
{
    struct dg_yaml *node = dg_alloc(reader->memory, 1, sizeof(*node));
    struct level *level =
        reader->n_levels ? &reader->levels[reader->n_levels - 1] : NULL;

    *node = (struct dg_yaml){
        .kind = kind, .line = (int)mark.line + 1, .column = (int)mark.column + 1};
    if (!level) {
        reader->root = node;
        return node;
    }
    if (level->has_key) {
        node->key = level->key;
        node->key_line = level->key_line;
        node->key_column = level->key_column;
        level->has_key = false;
    }
    if (level->last)
        level->last->next = node;
    else
        level->node->first = node;
    level->last = node;
    return node;
}

/* Whether the next node is a key of the map that is open. */
static bool wants_key(const struct reader *reader)
{
    const struct level *level =
        reader->n_levels ? &reader->levels[reader->n_levels - 1] : NULL;

    return level && level->node->kind == DG_YAML_MAP && !level->has_key;
}

static enum dg_status open_level(struct reader *reader, enum dg_yaml_kind kind,
                                 const yaml_event_t *event, const yaml_char_t *anchor,
                                 const yaml_char_t *tag)
{
    if (anchor)
        return refuse(reader, event->start_mark, "an anchor; write it out");
    if (tag)
        return refuse(reader, event->start_mark, "a tag; settings have none");
    if (wants_key(reader))
        return refuse(reader, event->start_mark, "expected a word as key");
    if (reader->n_levels == DEEPEST)
        return refuse(reader, event->start_mark, "nested too deep for settings");
    reader->levels[reader->n_levels] =
        (struct level){.node = add_node(reader, kind, event->start_mark)};
    reader->n_levels++;
    return DG_OK;
}

static enum dg_status take_word(struct reader *reader, const yaml_event_t *event)
{
    struct dg_text text = {(const char *)event->data.scalar.value,
                           event->data.scalar.length};
    struct dg_yaml *node;

    if (event->data.scalar.anchor)
        return refuse(reader, event->start_mark, "an anchor; write it out");
    if (event->data.scalar.tag)
        return refuse(reader, event->start_mark, "a tag; settings have none");
    if (text.size && memchr(text.data, 0, text.size))
        return refuse(reader, event->start_mark, "a NUL, expected text");
    text = (struct dg_text){dg_copy(reader->memory, text), text.size};
    if (wants_key(reader))
        return add_key(reader, &reader->levels[reader->n_levels - 1], text,
                       event->start_mark);
    node = add_node(reader, DG_YAML_WORD, event->start_mark);
    node->text = text;
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    return DG_OK;
}

static enum dg_status take(struct reader *reader, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_ALIAS_EVENT:
        return refuse(reader, event->start_mark, "an alias; write it out");
    case YAML_SCALAR_EVENT:
        return take_word(reader, event);
    case YAML_SEQUENCE_START_EVENT:
        return open_level(reader, DG_YAML_LIST, event,
                          event->data.sequence_start.anchor,
                          event->data.sequence_start.tag);
    case YAML_MAPPING_START_EVENT:
        return open_level(reader, DG_YAML_MAP, event, event->data.mapping_start.anchor,
                          event->data.mapping_start.tag);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        dg_text_set_clear(&reader->levels[--reader->n_levels].keys);
        return DG_OK;
    case YAML_DOCUMENT_START_EVENT:
        return reader->root ? refuse(reader, event->start_mark,
                                     "a second document, expected one")
                            : DG_OK;
    default:
        return DG_OK;
    }
}

static enum dg_status read_events(struct reader *reader)
{
    enum dg_status status = DG_OK;
    bool ended = false;

    while (!status && !ended) {
        yaml_event_t event;

        if (!yaml_parser_parse(&reader->parser, &event))
            return refuse_parse(reader);
        ended = event.type == YAML_STREAM_END_EVENT;
        status = take(reader, &event);
        yaml_event_delete(&event);
    }
    return status;
}

enum dg_status dg_yaml_read(const struct dg_yaml **root, struct dg_text text,
                            const char *path, struct dg_arena *memory,
                            struct dg_error *err)
{
    struct reader reader = {.path = path, .memory = memory, .err = err};
    enum dg_status status;

    *root = NULL;
    if (text.size > LARGEST)
        return dg_fail(err, DG_ERR_USAGE, "%.160s: %zu bytes, expected at most %d",
                       path, text.size, LARGEST);
    if (!yaml_parser_initialize(&reader.parser))
        dg_out_of_memory();
    yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)text.data,
                                 text.size);
    status = read_events(&reader);
    while (reader.n_levels)
        dg_text_set_clear(&reader.levels[--reader.n_levels].keys);
    yaml_parser_delete(&reader.parser);
    *root = reader.root;
    return status;
}
