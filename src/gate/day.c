/* Days, as people write until when something waits. */
#include "gate/day.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bool dg_is_day(struct dg_text text)
{
    static const char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year, month, day, last;

    if (text.size != 10 || text.data[4] != '-' || text.data[7] != '-')
        return false;
    for (size_t i = 0; i < 10; i++) {
        if (i != 4 && i != 7 && !isdigit((unsigned char)text.data[i]))
            return false;
    }
    year = atoi((char[]){text.data[0], text.data[1], text.data[2], text.data[3], 0});
    month = (text.data[5] - '0') * 10 + text.data[6] - '0';
    day = (text.data[8] - '0') * 10 + text.data[9] - '0';
    if (month < 1 || month > 12)
        return false;
    last = days[month - 1] +
           (month == 2 && (year % 4 == 0) && (year % 100 != 0 || year % 400 == 0));
    return day >= 1 && day <= last;
}

void dg_today(char day[DG_DAY_SIZE])
{
    time_t now = time(NULL);
    struct tm parts;

    gmtime_r(&now, &parts);
    strftime(day, DG_DAY_SIZE, "%Y-%m-%d", &parts);
}

bool dg_has_passed(struct dg_text day, const char *today)
{
    return day.data && strcmp(day.data, today) < 0;
}
