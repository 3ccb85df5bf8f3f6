"""The Python package without torch: its documents, its errors, and what it leaves behind.

    check_package.py DATA PAGE
"""

import doctest
import os
import resource
import subprocess
import sys
import threading
import unittest
from array import array
from pathlib import Path

import delegraph
from delegraph import _library

DATA, PAGE = Path(sys.argv[1]), Path(sys.argv[2])


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def chain(n):
    """Node i reads node i - 1; all are supported calls."""
    inputs = array("I", range(n - 1))
    return (array("I", [0, *range(n)]), inputs, array("I", [*range(n), n - 1]),
            array("I", range(1, n)), bytearray([_library.SUPPORTED | _library.CALL] * n))


class Package(unittest.TestCase):
    def test_what_its_documents_show_is_what_it_says(self):
        os.chdir(DATA.parent.parent)
        for told in (doctest.testmod(delegraph),
                     doctest.testfile(str(PAGE), module_relative=False)):
            self.assertEqual(told.failed, 0)
            self.assertGreater(told.attempted, 0)

    def test_findings_have_their_place(self):
        found = delegraph.check(DATA / "on_cuda_planned_on_host.pte")
        worst = [finding for finding in found if finding.severity == "error"]
        self.assertIn("device/buffer-entry", [finding.rule for finding in worst])
        self.assertEqual({finding.method for finding in worst}, {"forward"})

    def test_a_file_that_is_not_there_is_an_input_error_with_its_name(self):
        with self.assertRaisesRegex(delegraph.InputError, "none.pte: cannot read"):
            delegraph.check(DATA / "none.pte")

    def test_a_file_that_is_no_program_is_an_input_error(self):
        with self.assertRaises(delegraph.InputError):
            delegraph.check(DATA / "README.md")

    def test_a_library_that_is_not_there_is_an_import_error_with_what_to_do(self):
        said = subprocess.run(
            [sys.executable, "-c", "import delegraph; delegraph.version()"],
            env={**os.environ, "DELEGRAPH_LIBRARY": "/none.so"}, capture_output=True, text=True)
        self.assertIn("name it in DELEGRAPH_LIBRARY", said.stderr)

    def test_a_library_without_a_function_is_an_import_error(self):
        said = subprocess.run(
            [sys.executable, "-c", "import delegraph; delegraph.version()"],
            env={**os.environ, "DELEGRAPH_LIBRARY": "libc.so.6"}, capture_output=True, text=True)
        self.assertIn("libc.so.6 is older than this package", said.stderr)

    def test_importing_it_imports_nothing_heavy(self):
        said = subprocess.run(
            [sys.executable, "-c", "import delegraph, sys;"
             "print(sorted({'torch', 'numpy', 'pandas', 'inspect'} & set(sys.modules)))"],
            capture_output=True, text=True)
        self.assertNotIn("torch", said.stdout)
        self.assertNotIn("numpy", said.stdout)

    def test_a_thousand_checks_leave_no_memory_behind(self):
        for _ in range(100):
            delegraph.check(DATA / "tiny.pte")
        before = peak()
        for _ in range(1000):
            delegraph.check(DATA / "tiny.pte")
        self.assertLess(peak() - before, 4096)  # kB

    def test_threads_check_at_once(self):
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(
            delegraph.check(DATA / "on_cuda_planned_on_host.pte"))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(answers, answers[:1] * 8)


class Partition(unittest.TestCase):
    def partition(self, arrays, kind=_library.CAPABILITY, single=True):
        return _library.partition(*arrays, kind, single)

    def test_a_chain_that_is_supported_is_one_partition(self):
        found, moved, endless = self.partition(chain(5))
        self.assertEqual([list(nodes) for _, nodes in found], [[0, 1, 2, 3, 4]])
        self.assertEqual((sum(moved), endless), (0, False))

    def test_no_nodes_have_no_partitions(self):
        empty = (array("I", [0]), array("I"), array("I", [0]), array("I"), bytearray())
        self.assertEqual(self.partition(empty)[0], [])

    def test_nodes_that_read_what_comes_later_are_refused(self):
        arrays = chain(4)
        arrays[1][0] = 2
        with self.assertRaisesRegex(_library.PartitionError, "node 1 reads node 2"):
            self.partition(arrays)

    def test_users_that_are_none_are_refused(self):
        arrays = chain(4)
        arrays[3][0] = 3
        with self.assertRaisesRegex(_library.PartitionError, "node 3 is no user of node 0"):
            self.partition(arrays)

    def test_users_that_lack_are_refused(self):
        arrays = chain(4)
        arrays[2][3] = arrays[2][4] = 2
        with self.assertRaisesRegex(_library.PartitionError, "node 2 has 1 users, 0 are listed"):
            self.partition(arrays)

    def test_begins_that_go_back_are_refused(self):
        for which, name in ((0, "input_of"), (2, "user_of")):
            arrays = chain(4)
            arrays[which][2] = 9
            with self.assertRaisesRegex(_library.PartitionError, f"{name}|reads node|user"):
                self.partition(arrays)

    def test_items_that_change_sides_for_ever_are_told(self):
        # x -> p, x -> q, g = p[q], and p alone is supported
        call, item = _library.CALL, _library.CALL | _library.GETITEM
        found = self.partition((
            array("I", [0, 0, 1, 2, 4]), array("I", [0, 0, 1, 2]),
            array("I", [0, 2, 3, 4, 4]), array("I", [1, 2, 3, 3]),
            bytearray([0, call | _library.SUPPORTED, call, item])))
        self.assertTrue(found[2])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
