/* Bytes as UTF-8. */
#include "base/bytes.h"

size_t dg_character(struct dg_text text, uint32_t *point)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const uint8_t *at = (const uint8_t *)text.data;
    size_t length = !text.size       ? 0
                    : *at < 0x80     ? 1
                    : *at >> 5 == 6  ? 2
                    : *at >> 4 == 14 ? 3
                    : *at >> 3 == 30 ? 4
                                     : 0;

    if (!length || length > text.size)
        return 0;
    *point = *at & (0xffu >> (length + (length > 1)));
    for (size_t i = 1; i < length; i++) {
        if (at[i] >> 6 != 2)
            return 0;
        *point = *point << 6 | (at[i] & 0x3f);
    }
    if (length > 1 && (*point < least[length] || *point > 0x10ffff ||
                       (*point >= 0xd800 && *point < 0xe000)))
        return 0;
    return length;
}

bool dg_is_control(uint32_t point)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {
        {0x00, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},       {0x61c, 0x61c},
        {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e},   {0x2060, 0x206f},
        {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
    };

    for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges) && point >= ranges[i].first;
         i++) {
        if (point <= ranges[i].last)
            return true;
    }
    return false;
}

bool dg_is_utf8(struct dg_text text)
{
    size_t i = 0;

    while (i < text.size) {
        size_t length;
        uint32_t point;
        uint64_t eight;

        if (text.size - i >= 8) {
            memcpy(&eight, text.data + i, 8);
            if (!(eight & 0x8080808080808080u)) {
                i += 8;
                continue;
            }
        }
        length = dg_character((struct dg_text){text.data + i, text.size - i}, &point);
        if (!length)
            return false;
        i += length;
    }
    return true;
}
