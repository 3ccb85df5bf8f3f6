# Files that people have at hand and that hold no program are named as what they are, with
# what to do instead; half a file is said to be cut off.
. "$top_srcdir/tests/robust/lib.sh"

# foreign FILE WORDS ADVICE: refused as such.
foreign() {
    expect 3 info "$1"
    says "$1: this is .*$2"
    says "$3"
    expect 3 check "$1"
    says "$2"
}

printf 'GGUF\003\000\000\000\000\000\000\000\000\000\000\000' >a.gguf
printf '\034\000\000\000TFL3\000\000\000\000' >a.tflite
printf '\010\000\000\000\000\000\000\000{"w":{}}' >a.safetensors
printf '\010\012\022\007pytorch\032\0052.13.0' >a.onnx
printf '\200\002\212\012l\374\234F\371 j\250P\031.' >old.pth
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0\n' >lfs.pte
printf '\037\213\010\000\000\000\000\000\000\003' >a.pte.gz
foreign a.gguf 'GGUF' 'torch\.export\.save'
foreign a.tflite 'TensorFlow Lite' 'torch\.export\.save'
foreign a.safetensors 'safetensors' 'load_state_dict'
foreign a.onnx 'ONNX' 'torch\.export\.save'
foreign old.pth 'checkpoint' 'load_state_dict'
foreign lfs.pte 'Git LFS' 'git lfs pull'
foreign a.pte.gz 'gzip' 'gunzip'

# archive FILE ENTRY...: what torch writes is a ZIP.
archive() {
    python3 -c 'import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as archive:
    for name in sys.argv[2:]:
        archive.writestr("a/" + name, "0")' "$@"
}

archive state.pt data.pkl version data/0
foreign state.pt 'checkpoint' 'load_state_dict'
archive script.pt data.pkl constants.pkl code/a.py
foreign script.pt 'TorchScript' 'torch\.export\.save'
archive a.ptl data.pkl constants.pkl bytecode.pkl
foreign a.ptl 'PyTorch Mobile' 'torch\.export\.save'

# Nothing of that holds for programs, by whatever name.
for program in xnnpack.pte mlp.pt2 external_tagged_weights.ptd; do
    cp "$data/$program" "$program.onnx"
    expect 0 info "$program.onnx"
    ! grep -q 'cut off' out || flunk "$program is called cut off"
done

# The header of a .pte and of a .ptd says where it should end.
head -c 3000 "$data/xnnpack.pte" >half.pte
expect 0 info half.pte
grep -q 'cut off: 2000 bytes are missing' out || flunk 'info does not say that half a .pte is cut off'
expect 0 info half.pte --format json
grep -q '"missing_bytes":2000' out || flunk 'JSON does not say that half a .pte is cut off'
expect 1 check half.pte
size=$(wc -c <"$data/external_tagged_weights.ptd")
head -c $((size - 20)) "$data/external_tagged_weights.ptd" >half.ptd
expect 0 info half.ptd
grep -q 'cut off: 20 bytes are missing' out || flunk 'info does not say that half a .ptd is cut off'
head -c 3000 "$data/mlp.pt2" >half.pt2
expect 3 info half.pt2
says 'cut off'
finish
