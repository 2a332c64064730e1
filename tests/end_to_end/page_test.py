"""The page and reports as the program writes them: whole, with what they should carry, and refusals."""
import json
import re
import unittest

from program import Case

PLACE = re.compile(r'<script type="application/json" id="report">\n(.*?)\s*</script>', re.DOTALL)

CHECKED = {
    "ok": True, "model": "m", "budget_bytes": 5, "pairs": 3, "threads": 1, "trouble": [],
    "rows": [{"name": "plain", "peak_bytes": 9, "step_ns": 100, "extra_ns": 0, "differs": [], "remark": ""},
             {"name": "</script><script>alert(1)", "peak_bytes": 5, "step_ns": 131, "extra_ns": 31, "remark": ""}],
}


class Page(Case):
    def setUp(self):
        super().setUp()
        probe = self.run_program("page", "--out", "probe.html", code=None)
        if b"built without the page" in probe.stderr:
            self.skipTest("built without the page")
        self.assertEqual(probe.returncode, 0, probe.stderr)
        self.page = (self.folder / "probe.html").read_text()

    def run_program(self, *arguments, code=0, **more):
        if code is not None:
            return super().run_program(*arguments, code=code, **more)
        try:
            return super().run_program(*arguments, code=0, **more)
        except AssertionError:
            return super().run_program(*arguments, code=5, **more)

    def report(self, *arguments):
        self.text("report", *arguments, "--out", "report.html")
        text = (self.folder / "report.html").read_text()
        found = PLACE.findall(text)
        self.assertEqual(len(found), 1)
        self.assertEqual(text.count("</script>"), self.page.count("</script>"))  # nothing in it ends an element
        return json.loads(found[0])

    def test_a_page_is_one_file_that_asks_nobody(self):
        self.assertIn("default-src 'none'", self.page)
        self.assertNotRegex(self.page, r"""(?i)<(?:script|link|img)[^>]*\s(?:src|href)=["']?https?:""")
        self.assertEqual(PLACE.findall(self.page), [""])
        answer = self.answer("page", "--out", "again.html")
        self.assertEqual(answer["bytes"], len(self.page.encode()))
        self.assertEqual((self.folder / "again.html").read_text(), self.page)

    def test_a_report_has_the_plan(self):
        self.answer("plan", *self.request, "--host", "1GiB", "--budget", "64MiB", "--out", "plan.json")
        plan = (self.folder / "plan.json").read_text()
        report = self.report("plan.json")
        self.assertEqual([file["name"] for file in report["files"]], ["plan.json"])
        self.assertEqual(json.loads(report["files"][0]["text"]), json.loads(plan))
        report = self.report(*self.request, "--budget", "64MiB", "--time-limit", "1s")
        self.assertEqual(report["limits"], {"memory_bytes": 64 << 20, "time_ns": 10**9})

    def test_measurements_go_along_with_it(self):
        self.write("check.json", json.dumps(CHECKED))
        report = self.report(*self.request, "--as", "checkpoint(2)", "--measured", "check.json")
        self.assertEqual(json.loads(report["files"][1]["text"]), CHECKED)

    def test_what_is_not_a_measurement_is_refused(self):
        self.refusal("report", *self.request, "--measured", "tiny/config.json")
        self.refusal("report", *self.request, "--measured", "nowhere.json", code=5)
        self.refusal("report", *self.request, "--budget", "1MiB", code=3)
        self.assertFalse((self.folder / "report.html").exists())


if __name__ == "__main__":
    unittest.main()
