/* The files of data_files.h. */
#include "unit/data_files.h"

void given_ptd(void)
{
    given_pte();
    given(
        "INSERT INTO artifact (id, path, kind, size_bytes, version, companion_of,"
        "  role) VALUES (2, 'dir/b.ptd', 'ptd', 400, '{\"flat_tensor\":0,"
        "\"header_bytes\":40,\"segment_base_offset\":256,\"segment_data_size\":144}',"
        "  1, 'data');"
        "INSERT INTO segment (id, artifact_id, idx, kind, offset, file_offset,"
        "  size_bytes, stored_bytes, xxh3) VALUES"
        " (1, 1, 0, 'named_data', 0, 1024, 64, 64, 'aa'),"
        " (2, 2, 0, 'named_data', 0, 256, 128, 128, 'bb');"
        "INSERT INTO named_data VALUES (1, 0, 'a', 0, 64, NULL, NULL, NULL, NULL),"
        " (2, 0, 'w', 0, 128, 'f32', '[8,4]', '[0,1]', 128);"
        "INSERT INTO value (id, graph_id, idx, name, kind, storage, data_index, dtype,"
        "  shape, dim_order, nbytes) VALUES"
        " (1, 1, 0, 'w', 'tensor', 'external', 0, 'f32', '[8,4]', '[0,1]', 128)");
}

void given_key_reader(void)
{
    given("INSERT INTO delegate (id, method_id, idx, backend, blob_bytes) VALUES"
          " (1, 1, 0, 'XnnpackBackend', 8);"
          "INSERT INTO delegate_key VALUES (1, 1, 'a', 'weights', 64)");
}

void without_ptd(void)
{
    given("DELETE FROM named_data WHERE artifact_id = 2;"
          "DELETE FROM segment WHERE artifact_id = 2;"
          "DELETE FROM artifact WHERE id = 2");
}
