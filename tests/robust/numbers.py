"""Write programs whose numbers are at the ends of what their types hold; and hold inputs
that inflate to the bound of memory."""

import resource
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

MOST = 2**63 - 1


def with_arenas(data, size):
    """Each arena but the first, which is reserved, has that many bytes."""
    for n in range(3, 6):
        for at in range(0, len(data) - 8 * n - 4, 4):
            count, first, *sizes = struct.unpack_from(f"<I{n}Q", data, at)
            if count == n and first == 0 and all(0 < one < 10**6 for one in sizes):
                struct.pack_into(f"<{n - 1}Q", data, at + 12, *[size] * (n - 1))
                return data
    raise SystemExit("no list of arenas")


def bomb(path, megabytes):
    """Zeros in the other byte order, behind a header that leaves them unaligned."""
    header = f"{{'descr': '>f4', 'fortran_order': False, 'shape': ({megabytes << 18},)}} \n".encode()
    header += b" " * (len(header) % 2 == 0)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out, out.open("in0.npy", "w") as entry:
        entry.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header)
        for _ in range(megabytes):
            entry.write(bytes(1 << 20))


def hold_bombs(delegraph, program):
    """Peak memory is below 4 times the file and 64 MB, whatever becomes of it."""
    for megabytes in 44, 60, 500:
        path = Path(f"bomb-{megabytes}.npz")
        bomb(path, megabytes)
        run = subprocess.run([delegraph, "run", program, "--inputs", path], capture_output=True)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10
        if run.returncode != 3 or peak > 4 * path.stat().st_size + (64 << 20):
            sys.exit(f"{path}: exit {run.returncode}, {peak >> 20} MB")


def main(data, folder, *bombs):
    source = (Path(data) / "on_cuda.pte").read_bytes()
    for name, size in ("most", MOST), ("many", MOST // 2 + 1), ("negative", 2**63 + 5):
        path = Path(folder) / f"arenas-{name}.pte"
        path.write_bytes(with_arenas(bytearray(source), size))
        print(path.name)


    if bombs:
        hold_bombs(bombs[0], Path(data) / "mlp.pt2")


if __name__ == "__main__":
    main(*sys.argv[1:])
