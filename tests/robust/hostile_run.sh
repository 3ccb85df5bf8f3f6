# Programs that say of themselves what is not so: `run` says what is wrong, and ends.
. "$top_srcdir/tests/robust/lib.sh"

# changed PROGRAM OFFSET BYTES: the same with other bytes there, as hostile.pte
changed() {
    cp "$data/$1" hostile.pte && chmod u+w hostile.pte
    printf "$3" | dd of=hostile.pte bs=1 seek="$2" conv=notrunc 2>dd.err
}

# The method has 64 inputs where it had one: the second one is number 2 of 2 values, and
# the slots behind those are values inside of the delegate.
changed xnnpack_channels.pte 1384 '\100'
expect 3 run hostile.pte
says 'value/input-index: input 1 is value 2; the method has 2 values'

# An instruction of no kind has no operator either.
changed shared_blob.pte 703 '\000'
expect 0 run hostile.pte --coverage
grep -q '^  no operator  *1  no   no    op_1  *an instruction of a kind that is not known' out ||
    flunk 'an instruction of no kind is not listed'

finish
