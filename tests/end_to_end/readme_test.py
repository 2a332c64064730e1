"""Every command in the README does what it says: blocks of code are run, in order, in one folder."""
import os
import pathlib
import re
import subprocess
import unittest

from program import PROGRAM, REPOSITORY, Case

README = (REPOSITORY / "README.md").read_text()


ENVIRONMENT = {**os.environ, "PATH": f"{pathlib.Path(PROGRAM).parent}:{os.environ['PATH']}"}


def words(text):
    """The first word of every line that begins with a letter."""
    return [line.split()[0] for line in text.splitlines() if line.strip(" *")[:1].isalpha()]


def blocks():
    """The lines of each block of code that begin with "$ "."""
    for block in re.findall(r"^```[a-z]*\n(.*?)^```", README, re.DOTALL | re.MULTILINE):
        text = block.replace("\\\n", " ")
        yield [line[2:] for line in text.splitlines() if line.startswith("$ ")]


class Readme(Case):
    def test_is_one_screen(self):
        self.assertLessEqual(len(README.splitlines()), 90)

    def test_its_commands_run(self):
        ran = 0
        for commands in blocks():
            for command in commands:
                if command.startswith("make "):  # this test is part of one; the other must be a target
                    targets = (REPOSITORY / "Makefile").read_text()
                    self.assertRegex(targets, rf"(?m)^{command.split()[1]}:")
                else:
                    done = subprocess.run(command, shell=True, cwd=self.folder, env=ENVIRONMENT, capture_output=True,
                                          timeout=300, check=False)
                    if b"built without the page" in done.stderr and command.startswith("worktop report"):
                        continue
                    self.assertEqual(done.returncode, 0, f"{command}\n{done.stderr.decode()}")
                ran += 1
        self.assertGreaterEqual(ran, 4)

    def test_shows_a_real_output(self):
        """What is shown has the lines of what is printed; its numbers may age a little."""
        block = re.search(r"^```[a-z]*\n\$ (worktop plan .*?)^```", README, re.DOTALL | re.MULTILINE).group(1)
        command, _, shown = block.replace("\\\n", " ").partition("\n")
        done = subprocess.run(command, shell=True, cwd=self.folder, env=ENVIRONMENT, capture_output=True, timeout=300,
                              check=False)
        self.assertEqual(words(done.stdout.decode()), words(shown))


if __name__ == "__main__":
    unittest.main()
