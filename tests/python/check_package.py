"""The Python package without torch: its documents, its errors, and what it leaves behind.

    check_package.py DATA PAGE
"""

import copy
import doctest
import importlib.util
import json
import os
import pickle
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import unittest.mock
from array import array
from pathlib import Path

import delegraph
import delegraph.pytest
from delegraph import _library, _program

DATA, PAGE = Path(sys.argv[1]), Path(sys.argv[2])


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def chain(n):
    """Node i reads node i - 1; all are supported calls."""
    inputs = array("I", range(n - 1))
    return _library.Arrays(
        array("I", [0, *range(n)]), inputs, array("I", [*range(n), n - 1]),
        array("I", range(1, n)), bytearray([_library.SUPPORTED | _library.CALL] * n))


class Package(unittest.TestCase):
    def test_what_its_documents_show_is_what_it_says(self):
        os.chdir(DATA.parent.parent)
        for told in (doctest.testmod(delegraph), doctest.testmod(delegraph.pytest),
                     doctest.testfile(str(PAGE), module_relative=False)):
            self.assertEqual(told.failed, 0)
            self.assertGreater(told.attempted, 0)

    def test_what_the_readme_tells_of_a_lowering_is_what_its_notebook_printed(self):
        cells = json.loads((PAGE.parent / "lowering.ipynb").read_text())["cells"]
        printed = "".join(line for cell in cells for output in cell.get("outputs", ())
                          for line in output.get("text", ()))
        readme = (PAGE.parent.parent / "README.md").read_text()
        told = re.findall(r"^```text\n(.*?)^```", readme, re.M | re.S)
        self.assertTrue(told)
        for lines in told:
            self.assertIn(lines, printed)

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
        self.assertIn("libc.so.6 is no libdelegraph, or an older one", said.stderr)

    def test_importing_it_imports_nothing_heavy(self):
        said = subprocess.run(
            [sys.executable, "-c", "import delegraph, sys;"
             "print(sorted({'torch', 'numpy', 'pandas'} & set(sys.modules)))"],
            capture_output=True, text=True)
        self.assertEqual((said.returncode, said.stdout), (0, "[]\n"))

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


class Program(unittest.TestCase):
    def setUp(self):
        self.program = delegraph.load(DATA / "tiny.pte")

    def test_rows_have_their_names_and_types(self):
        row, = self.program.query("SELECT 1 AS i, 0.5 AS r, 'a\u00e4' AS t, x'00ff' AS b, NULL AS n")
        self.assertEqual((row.i, row.r, row.t, row.b, row.n), (1, 0.5, "a\u00e4", b"\0\xff", None))

    def test_names_that_are_no_attributes_make_plain_rows(self):
        for columns in ("1, 2", "1 AS a, 2 AS a", "1 AS 'class', 2 AS b", "1 AS _a, 2 AS b"):
            self.assertIs(type(self.program.query(f"SELECT {columns}")[0]), tuple)

    def test_rows_go_to_other_processes_as_they_are(self):
        for sql in ("SELECT 1 AS a, NULL AS b, x'00' AS c", "SELECT 1, 2"):
            row, = self.program.query(sql)
            for copied in (pickle.loads(pickle.dumps(row)), copy.deepcopy(row)):
                self.assertEqual((type(copied), copied), (type(row), row))

    def test_no_rows_are_an_empty_list(self):
        self.assertEqual(self.program.query("SELECT name FROM v_node WHERE false"), [])

    def test_what_sql_may_not_do_is_refused_and_does_no_harm(self):
        n, = self.program.query("SELECT count(*) AS n FROM node")
        for sql in ("SELEC", "", "SELECT 1; SELECT 2", "DELETE FROM node", "ATTACH 'x' AS x",
                    "SELECT load_extension('x')", "PRAGMA writable_schema = 1"):
            with self.assertRaises(delegraph.UsageError, msg=sql):
                self.program.query(sql)
        self.assertEqual(self.program.query("SELECT count(*) AS n FROM node"), [n])

    def test_a_query_that_does_not_end_is_stopped(self):
        with self.assertRaisesRegex(delegraph.StoppedError, "ran out of time"):
            self.program.query("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
                               " SELECT count(*) FROM n", seconds=0.2)
        self.assertEqual(self.program.query("SELECT 1 AS a")[0].a, 1)

    def test_rules_run_once_however_often_it_is_asked(self):
        with delegraph.load(DATA / "on_cuda_planned_on_host.pte") as program:
            self.assertEqual(program.check(), program.check())
            n, = program.query("SELECT count(*) AS n FROM v_finding")
            self.assertEqual(n.n, len(program.check()))

    def test_what_is_closed_says_so(self):
        self.program.close()
        self.program.close()
        with self.assertRaisesRegex(delegraph.UsageError, "tiny.pte is closed"):
            self.program.query("SELECT 1")
        for ask in (self.program.check, self.program.info, self.program.partition,
                    self.program.run, self.program.svg, lambda: self.program.report("none.md")):
            with self.assertRaisesRegex(delegraph.UsageError, "tiny.pte is closed"):
                ask()

    def test_an_exception_of_a_caller_comes_through(self):
        visit = delegraph._Visit(lambda: 1 / 0)
        self.assertTrue(visit(None))
        with self.assertRaises(ZeroDivisionError):
            visit.end(1)

    def test_an_interrupt_never_gives_a_part_of_the_rows(self):
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        sql = ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 60000)"
               " SELECT i FROM n")
        told = sys.unraisablehook
        sys.unraisablehook = lambda _: None  # Python tells of the signal by itself
        try:
            for moment in range(1, 40):
                signal.setitimer(signal.ITIMER_REAL, moment / 400)
                try:
                    self.assertEqual(len(self.program.query(sql)), 60000)
                except KeyboardInterrupt:
                    pass
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
        except KeyboardInterrupt:
            pass
        finally:
            sys.unraisablehook = told
            signal.signal(signal.SIGALRM, signal.SIG_DFL)

    def test_a_visit_that_a_signal_took_is_missed_even_where_it_was_the_first(self):
        class Taken(delegraph._Visit):
            def __call__(self, *arguments):
                return 1
        with self.assertRaises(KeyboardInterrupt):
            self.program._ask("delegraph_query", delegraph._library.ROW, Taken(print),
                              b"SELECT 1", 1.0)

    def test_a_handler_that_comes_in_between_cannot_close_it(self):
        refused = []
        def handler(*_):
            try:
                self.program.close()
            except delegraph.UsageError as problem:
                refused.append(str(problem))
        signal.signal(signal.SIGALRM, handler)
        sql = ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300000)"
               " SELECT i FROM n")
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        try:
            self.assertEqual(len(self.program.query(sql)), 300000)
        finally:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
        self.assertEqual(refused, [f"{self.program.path} is in use"])

    def test_a_visit_of_the_library_cannot_ask_its_own_program(self):
        answers = []
        nothing = _library.ROW(lambda *_: 0)

        def visit(_, n, names, cells):
            answers.append(_library.call("delegraph_query", self.program._handle, b"SELECT 1",
                                         0.0, nothing, None))
            return 0
        code, _ = _library.call("delegraph_query", self.program._handle, b"SELECT 1", 0.0,
                                _library.ROW(visit), None)
        self.assertEqual((code, answers), (0, [(2, "the program is in use")] * 2))

    def test_it_cannot_be_copied(self):
        for copied in (copy.copy, copy.deepcopy, pickle.dumps):
            with self.assertRaisesRegex(TypeError, "load it anew"):
                copied(self.program)
        self.assertEqual(self.program.query("SELECT 1 AS a")[0].a, 1)

    def test_what_is_no_path_and_no_sql_is_told(self):
        for wrong, kind in ((b"tiny.pte", TypeError), (3, TypeError), ("a\0b", delegraph.UsageError)):
            with self.assertRaises(kind):
                delegraph.load(wrong)
        for wrong, kind in ((None, TypeError), ("SELECT 1\0", delegraph.UsageError)):
            with self.assertRaises(kind):
                self.program.query(wrong)
        for seconds in (-1, float("nan")):
            with self.assertRaises(delegraph.UsageError):
                self.program.query("SELECT 1", seconds=seconds)

    def test_tables_that_are_filled_when_they_are_asked_for_are_filled(self):
        for table in ("cost", "lifetime", "occupancy"):
            n, = self.program.query(f"SELECT count(*) AS n FROM {table}")
            self.assertGreater(n.n, 0, table)

    def test_threads_that_share_a_program_take_turns(self):
        sums = []
        def work():
            for _ in range(50):
                sums.append(self.program.query("SELECT sum(id) AS s FROM node")[0].s)
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sums, sums[:1] * 200)

    def test_a_program_that_nobody_closes_is_closed_with_its_last_reference(self):
        for _ in range(100):
            delegraph.load(DATA / "tiny.pte")
        before = peak()
        for _ in range(1000):
            delegraph.load(DATA / "tiny.pte")
        self.assertLess(peak() - before, 4096)  # kB


def has(module):
    return importlib.util.find_spec(module) is not None


class Frames(unittest.TestCase):
    def setUp(self):
        self.program = delegraph.load(DATA / "mlp.pt2")
        self.addCleanup(self.program.close)

    @unittest.skipUnless(has("pandas"), "pandas is not here")
    def test_a_frame_has_the_columns_and_rows_of_a_query(self):
        sql = "SELECT name, op, idx + 0.5 AS at FROM v_node"
        frame = self.program.frame(sql)
        self.assertEqual(list(frame.columns), ["name", "op", "at"])
        rows = [tuple(None if cell != cell else cell for cell in row)
                for row in frame.itertuples(index=False)]
        self.assertEqual(rows, [tuple(row) for row in self.program.query(sql)])
        none = self.program.frame("SELECT name AS a, op AS a FROM v_node WHERE 0")
        self.assertEqual((list(none.columns), len(none)), (["a", "a"], 0))

    @unittest.skipIf(has("pandas"), "pandas is here")
    def test_without_pandas_that_is_an_import_error(self):
        with self.assertRaises(ImportError):
            self.program.frame("SELECT 1")


class Answers(unittest.TestCase):
    """Of the program, as a process."""

    def setUp(self):
        self.program = delegraph.load(DATA / "mlp.pt2")
        self.addCleanup(self.program.close)

    def test_info_has_the_methods(self):
        info = self.program.info()
        self.assertEqual((info.kind, info.methods), ("pt2", ["forward"]))
        self.assertEqual(info.size_bytes, (DATA / "mlp.pt2").stat().st_size)
        self.assertEqual(info.json["schema_version"], 1)

    def test_a_plan_that_was_saved_is_the_one_that_check_takes(self):
        plan = self.program.partition(backend="xnnpack")
        part, = plan.partitions
        self.assertEqual(part.nodes, ["linear", "relu", "linear_1"])
        self.assertEqual((plan.cyclic, plan.exact), (False, False))
        self.assertIn("an ATen program", plan.notes)
        with tempfile.TemporaryDirectory() as folder:
            plan.save(Path(folder) / "x.plan.json")
            code, _, told = _program.run("check", str(DATA / "mlp.pt2"), "--plan",
                                         str(Path(folder) / "x.plan.json"))
        self.assertEqual(code, 0, told)

    def test_a_plan_that_is_mended_has_the_pieces(self):
        with delegraph.load(DATA / "crossed.pt2") as program:
            plan = program.partition(repair=DATA / "crossed_two_tags.plan.json")
        self.assertEqual([part.tag for part in plan.partitions], ["tag0", "tag1", "tag0_1"])
        self.assertFalse(plan.cyclic)

    def test_a_plan_for_several_backends_names_the_backend_of_each_partition(self):
        plan = self.program.partition(mode="multi", backend=["xnnpack", "vulkan"])
        self.assertEqual([part.backend for part in plan.partitions], ["XnnpackBackend"])

    def test_options_are_those_of_the_command_line(self):
        self.assertEqual(
            _program.words_of({"min_snr": 40, "tf32": True, "each": False, "seed": None,
                               "allow_single_node": False, "spec": ["a=1", "b=2"],
                               "inputs": Path("in.npz")}),
            ["--min-snr", "40", "--tf32", "--allow-single-node", "false", "--spec", "a=1",
             "--spec", "b=2", "--inputs", "in.npz"])
        many = self.program.partition(unsupported_ops=["aten::relu.default"])
        self.assertEqual(len(many.partitions), 2)
        none = self.program.partition(unsupported_ops=["aten::relu.default"],
                                      allow_single_node=False)
        self.assertEqual(none.partitions, [])

    def test_a_run_that_is_right_passes_and_one_that_is_not_says_why(self):
        self.assertTrue(self.program.run().passed)
        wrong = self.program.run(against=DATA / "mlp.pt2", min_snr=1000, seed=3)
        self.assertTrue(wrong.passed)  # equal bits pass any limit
        wrong = self.program.run(min_snr=1000)
        self.assertFalse(wrong.passed)
        self.assertEqual([output.verdict for output in wrong.outputs], ["fail"])

    def test_pictures_of_programs_and_plans_are_svg(self):
        for shown in (self.program, self.program.partition(backend="xnnpack")):
            self.assertTrue(shown._repr_svg_().startswith("<?xml"))
        self.assertIn("tag1", self.program.partition(backend="xnnpack")._repr_svg_())

    def test_a_report_is_written_whatever_it_says(self):
        with delegraph.load(DATA / "on_cuda_planned_on_host.pte") as program, \
                tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "page.html"
            self.assertTrue(program.report(page))
            self.assertIn("device/buffer-entry", page.read_text())
            self.assertFalse(program.report(page, fail_on="error"))
            with self.assertRaisesRegex(delegraph.UsageError, "none"):
                program.report(Path(folder) / "none" / "page.html")

    def test_what_the_program_refuses_is_an_exception_with_its_words(self):
        with self.assertRaisesRegex(delegraph.UsageError, "unknown option --nonsense"):
            self.program.run(nonsense=3)
        with self.assertRaisesRegex(delegraph.InputError, "none.npz: cannot read"):
            self.program.run(expected="none.npz")
        if not Path("/dev/nvidiactl").exists():
            with self.assertRaisesRegex(delegraph.CapabilityError, "GPU|CUDA"):
                self.program.run(device="cuda", require_gpu=True)

    def test_options_that_take_the_answer_elsewhere_are_refused(self):
        for ask, options in ((self.program.partition, ("output", "format", "help")),
                             (self.program.run, ("output", "format", "version")),
                             (self.program.svg, ("output", "T", "help"))):
            for option in options:
                with self.assertRaisesRegex(delegraph.UsageError, option):
                    ask(**{option: "x"})
        self.assertFalse(Path("x").exists())

    def test_without_the_program_it_says_what_to_install(self):
        with unittest.mock.patch.dict(os.environ, PATH=""):
            os.environ.pop("DELEGRAPH_PROGRAM")
            with self.assertRaisesRegex(delegraph.CapabilityError, "DELEGRAPH_PROGRAM"):
                self.program.info()

    def test_a_program_that_cannot_be_run_or_is_another_one_is_told(self):
        for name, kind, said in (
                ("/none", delegraph.CapabilityError, "/none: cannot run it: No such file"),
                (str(DATA / "README.md"), delegraph.CapabilityError, "Permission denied"),
                ("/bin/false", delegraph.InternalError, "/bin/false info: expected JSON")):
            with unittest.mock.patch.dict(os.environ, DELEGRAPH_PROGRAM=name), \
                    self.assertRaisesRegex(kind, said):
                self.program.info()

    def test_a_path_that_begins_with_a_dash_or_an_at_is_no_option_and_no_list(self):
        with tempfile.TemporaryDirectory() as folder:
            here = os.getcwd()
            os.chdir(folder)
            try:
                for name in ("-x.pt2", "@x.pt2"):
                    Path(name).write_bytes((DATA / "mlp.pt2").read_bytes())
                    self.assertEqual(delegraph.load(name).info().kind, "pt2")
                    delegraph.pytest.assert_sound(name)
            finally:
                os.chdir(here)


class Assertions(unittest.TestCase):
    def test_a_program_that_is_not_sound_fails_with_the_messages_of_check(self):
        with self.assertRaisesRegex(AssertionError, r"error\[device/buffer-entry\]"):
            delegraph.pytest.assert_sound(DATA / "on_cuda_planned_on_host.pte")

    def test_budgets_are_limits(self):
        delegraph.pytest.assert_sound(DATA / "mlp.pt2", file_size="20KiB")
        with self.assertRaisesRegex(AssertionError, r"error\[budget/file-size\]"):
            delegraph.pytest.assert_sound(DATA / "mlp.pt2", file_size=10)
        with self.assertRaisesRegex(delegraph.UsageError, "file-sise"):
            delegraph.pytest.assert_sound(DATA / "mlp.pt2", file_sise=10)

    def test_other_numbers_fail_with_the_output(self):
        delegraph.pytest.assert_same_numbers(DATA / "mlp.pt2", DATA / "mlp.pt2")
        with tempfile.TemporaryDirectory() as folder:
            other = Path(folder) / "other.pt2"
            whole = bytearray((DATA / "bert.pt2").read_bytes())
            whole[31616:31620] = b"\0\0\x80\x3f"  # one weight, as in ./dev demo
            other.write_bytes(whole)
            with self.assertRaisesRegex(AssertionError, "fail"):
                delegraph.pytest.assert_same_numbers(DATA / "bert.pt2", other)

    def test_what_is_no_program_is_a_type_error(self):
        with self.assertRaisesRegex(TypeError, "not int"):
            delegraph.pytest.assert_sound(3)


class Partition(unittest.TestCase):
    def partition(self, arrays, kind=_library.CAPABILITY, **groups):
        return _library.partition(arrays, kind, True, **groups)

    def lists(self, answer):
        return [list(nodes) for _, nodes in answer.partitions]

    def test_a_chain_that_is_supported_is_one_partition(self):
        answer = self.partition(chain(5))
        self.assertEqual(self.lists(answer), [[0, 1, 2, 3, 4]])
        self.assertEqual((sum(answer.moved), answer.endless, answer.cyclic), (0, False, False))

    def test_no_nodes_have_no_partitions(self):
        empty = _library.Arrays(
            array("I", [0]), array("I"), array("I", [0]), array("I"), bytearray())
        for kind in range(4):
            self.assertEqual(self.partition(empty, kind).partitions, [])

    def test_a_group_around_an_unsupported_node_is_dissolved_where_that_must_be(self):
        arrays = chain(3)
        arrays.marks[1] = _library.CALL
        groups = {"group_of": array("I", [0, _library.NO_GROUP, 0]), "n_groups": 1}
        exact = self.partition(arrays, _library.GROUP, **groups)
        self.assertEqual((self.lists(exact), exact.cyclic), ([[0, 2]], True))
        valid = self.partition(arrays, _library.VALID, **groups)
        self.assertEqual((sorted(self.lists(valid)), valid.cyclic), ([[0], [2]], False))

    def test_a_partitioner_that_is_none_is_refused(self):
        with self.assertRaisesRegex(_library.PartitionError, "there is no partitioner 4"):
            self.partition(chain(2), 4)

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
            arrays[which][3] = 0
            with self.assertRaisesRegex(_library.PartitionError, rf"{name}\[3\] is 0, less than"):
                self.partition(arrays)

    def test_more_groups_than_nodes_are_refused(self):
        with self.assertRaisesRegex(_library.PartitionError, "4294967295 groups of 3 nodes"):
            self.partition(chain(3), _library.GROUP, group_of=array("I", [0, 0, 0]),
                           n_groups=0xFFFFFFFF)

    def test_items_that_change_sides_for_ever_are_told(self):
        # x -> p, x -> q, g = p[q], and p alone is supported
        call, item = _library.CALL, _library.CALL | _library.GETITEM
        answer = self.partition(_library.Arrays(
            array("I", [0, 0, 1, 2, 4]), array("I", [0, 0, 1, 2]),
            array("I", [0, 2, 3, 4, 4]), array("I", [1, 2, 3, 3]),
            bytearray([0, call | _library.SUPPORTED, call, item])))
        self.assertTrue(answer.endless)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
