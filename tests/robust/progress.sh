# How far many files are is shown on a terminal, and nowhere else, and is gone afterwards.
. "$top_srcdir/tests/robust/lib.sh"
command -v python3 >/dev/null || exit 77
DELEGRAPH=$DELEGRAPH DATA=$data python3 - <<'END' || failures=1
import os
import pty
import subprocess
import sys

delegraph = os.environ["DELEGRAPH"]
tiny = os.environ["DATA"] + "/tiny.pte"
faults = 0


def hold(what, good):
    global faults
    if not good:
        print("FAILED:", what)
        faults += 1


def on_terminal(*words, **environment):
    """What stands on a terminal of its own as standard error."""
    ours, theirs = pty.openpty()
    command = [delegraph, "check", "@list", "-j", "1", "--baseline", "none.json", *words]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs, env={**os.environ, "TERM": "xterm", **environment})
    os.close(theirs)
    shown = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    child.wait()
    os.close(ours)
    return shown


with open("none.json", "w", encoding="utf-8") as out:
    out.write('{"findings":[]}')
os.mkdir("many")
n, made, took = 50, 0, 0
while took < 2 and n < 100000:  # as many as take this machine two seconds
    if took:
        n = int(n * max(1.2, min(8, 2.5 / took)))
    for made in range(made, n):
        os.symlink(tiny, f"many/{made}.pte")
    made = n
    with open("list", "w", encoding="utf-8") as out:
        out.writelines(f"many/{i}.pte\n" for i in range(n))
    took = os.times().elapsed
    done = subprocess.run([delegraph, "check", "@list", "-j", "1"], capture_output=True, check=False)
    took = os.times().elapsed - took
hold("something is shown where no terminal is", not done.stderr)
shown = on_terminal()
hold(f"nothing is shown on a terminal: {shown[-200:]}", f" of {n} programs".encode() in shown)
hold(f"it stays: {shown[-200:]}", shown.endswith(b"\r\x1b[K"))
hold("it is shown with --quiet", b" of " not in on_terminal("--quiet"))
hold("it is shown on a terminal that cannot go back", b" of " not in on_terminal(TERM="dumb"))
sys.exit(faults > 0)
END
finish
