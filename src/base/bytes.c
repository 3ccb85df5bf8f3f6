/* Whether bytes are UTF-8. */
#include "base/bytes.h"

/* Length of the well-formed sequence at `at`, or 0. */
static size_t sequence(const uint8_t *at, size_t left)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = *at < 0x80       ? 1
                    : *at >> 5 == 6  ? 2
                    : *at >> 4 == 14 ? 3
                    : *at >> 3 == 30 ? 4
                                     : 0;
    uint32_t code = length ? *at & (0xff >> (length + (length > 1))) : 0;

    if (!length || length > left)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if (at[i] >> 6 != 2)
            return 0;
        code = code << 6 | (at[i] & 0x3f);
    }
    if (length > 1 &&
        (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)))
        return 0;
    return length;
}

bool dg_is_utf8(struct dg_text text)
{
    const uint8_t *data = (const uint8_t *)text.data;
    size_t i = 0;

    while (i < text.size) {
        size_t length;
        uint64_t eight;

        if (text.size - i >= 8) {
            memcpy(&eight, data + i, 8);
            if (!(eight & 0x8080808080808080u)) {
                i += 8;
                continue;
            }
        }
        length = sequence(data + i, text.size - i);
        if (!length)
            return false;
        i += length;
    }
    return true;
}
