from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

WITHOUT_RAY = """
import sys
sys.modules["ray"] = None
from treewhile.server.commands import main
main()
"""


@pytest.mark.slow
def test_without_ray_it_is_told_how_to_install_it(tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_text("1\tx" + "\t_" * 4 + "\t0\tdep\t_\t_\n\n")
    command = [sys.executable, "-c", WITHOUT_RAY, "projectivize", str(tmp_path / "a.conllu")]
    done = subprocess.run(
        [*command, "--out", str(tmp_path / "out"), "--on", "ray"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert (
        done.stderr == "treewhile: --on ray takes a package that is missing: pip install 'treewhile[ray]'\n"
    )
