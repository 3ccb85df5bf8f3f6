/* Every report, in the order --help lists them. */
REPORT(info_text)
REPORT(info_json)
REPORT(list_text)
REPORT(list_json)
REPORT(list_jsonl)
REPORT(list_csv)
REPORT(list_plain)
REPORT(dot)
