/* A .pt2 put together entry by entry, and read. */
#ifndef DG_TESTS_PT2_CASE_H
#define DG_TESTS_PT2_CASE_H

#include "base/text.h"
#include "formats/reader.h"
#include "unit/suite.h"
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>

static struct dg_writer file, central;

static int n_entries;

static struct dg_program program;

static struct dg_error err;

static inline void put(struct dg_writer *out, uint64_t value, int size)
{
    for (int i = 0; i < size; i++) {
        char byte = i < 8 ? (char)(value >> 8 * i) : 0;

        dg_write(out, &byte, 1);
    }
}

static inline void put_header(struct dg_writer *out, uint32_t crc, size_t size,
                              size_t name)
{
    put(out, 0, 4);
    put(out, 0, 4);
    put(out, crc, 4);
    put(out, size, 4);
    put(out, size, 4);
    put(out, name, 2);
    put(out, 0, 2);
}

static inline void add_entry(const char *name, const char *content, uint32_t damage)
{
    size_t size = strlen(content), at = file.size;
    uint32_t crc = libdeflate_crc32(0, content, size) ^ damage;

    put(&file, 0x04034b50, 4);
    put(&file, 20, 2);
    put_header(&file, crc, size, strlen(name));
    dg_write_text(&file, dg_text(name));
    dg_write_text(&file, dg_text(content));
    put(&central, 0x02014b50, 4);
    put(&central, 20, 2);
    put(&central, 20, 2);
    put_header(&central, crc, size, strlen(name));
    put(&central, 0, 10);
    put(&central, at, 4);
    dg_write_text(&central, dg_text(name));
    n_entries++;
}

static inline enum dg_status read_archive(void)
{
    size_t at = file.size;

    dg_write(&file, central.data, central.size);
    put(&file, 0x06054b50, 4);
    put(&file, 0, 4);
    put(&file, (uint64_t)n_entries, 2);
    put(&file, (uint64_t)n_entries, 2);
    put(&file, central.size, 4);
    put(&file, at, 4);
    put(&file, 0, 2);
    err = (struct dg_error){0};
    return dg_reader_pt2.read((struct dg_bytes){(const uint8_t *)file.data, file.size},
                              false, &program, &err);
}

static inline void clear(void)
{
    dg_program_clear(&program);
    dg_writer_clear(&file);
    dg_writer_clear(&central);
    n_entries = 0;
}

#define TENSOR(name) "{\"as_tensor\":{\"name\":\"" name "\"}}"

#define META                                                                           \
    "{\"dtype\":7,\"sizes\":[{\"as_int\":2}],\"requires_grad\":false,\"device\":"      \
    "{\"type\":\"cpu\",\"index\":null},\"strides\":[{\"as_int\":1}],"                  \
    "\"storage_offset\":{\"as_int\":0},\"layout\":7}"

#define NODE(in, out)                                                                  \
    "{\"target\":\"torch.ops.aten.relu.default\",\"inputs\":[{\"name\":\"self\","      \
    "\"arg\":" TENSOR(in) ",\"kind\":1}],\"outputs\":[" TENSOR(                        \
        out) "],"                                                                      \
             "\"metadata\":{},\"name\":\"" out "\"}"

#define PROGRAM(nodes, result, values, version)                                        \
    "{\"graph_module\":{\"graph\":{\"inputs\":[" TENSOR("x") "],\"outputs\":[" TENSOR( \
        result) "],\"nodes\":[" nodes "],\"tensor_values\":{" values "},"              \
                "\"sym_int_values\":{},\"sym_bool_values\":{}},\"signature\":{"        \
                "\"input_specs\":"                                                     \
                "[{\"user_input\":{\"arg\":" TENSOR(                                   \
                    "x") "}}],\"output_specs\":"                                       \
                         "[{\"user_output\":{\"arg\":" TENSOR(                         \
                             result) "}}]},\"module_call_graph\":[]},"                 \
                                     "\"opset_version\":{\"aten\":10},\"range_"        \
                                     "constraints\":{},\"schema_version\":"            \
                                     "{\"major\":" version ",\"minor\":20}}"

static inline bool remarked(const char *rule)
{
    for (size_t i = 0; i < program.n_remarks; i++) {
        if (!strcmp(program.remarks[i].rule, rule))
            return true;
    }
    return false;
}

#endif
