#!/bin/sh
# The PNGs in doc/pictures: make_pictures.sh MODELS, a folder that tests/oracle/make_models.py filled.
# Needs delegraph, rsvg-convert, pngquant and chromium on PATH.
set -eu
models=$1
pictures=$(cd "$(dirname "$0")/pictures" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

picture() {
    name=$1 width=$2
    shift 2
    (cd "$models" && delegraph dot "$@" -T svg -o "$work/$name.svg")
    rsvg-convert -w "$width" "$work/$name.svg" -o "$pictures/$name.png"
}

picture llama32_modules 900 llama32.pt2 --view modules
picture llama32_xnnpack_partitions 900 llama32_xnnpack.pte --view partitions
picture bert_broken_plan 760 bert_xnnpack.pt2 --plan bert_xnnpack_one_tag.plan.json --finding 1

(cd "$models" && delegraph report llama32_xnnpack.pte -o "$work/report.html")
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1000,1000 \
    --screenshot="$pictures/report.png" "file://$work/report.html"
pngquant --force --ext .png 32 "$pictures"/*.png
