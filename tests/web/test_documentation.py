"""The examples of web/README.md: programs in TypeScript have the types that they should."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WEB = ROOT / "web"
README = (WEB / "README.md").read_text()
PROGRAMS = re.findall(r"^```ts\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
SOURCES = {"treewhile/*": ["./web/source/*/index.ts"], "@codemirror/*": ["./web/node_modules/@codemirror/*"]}


def test_programs_in_typescript_have_the_right_types(tmp_path: Path) -> None:
    if shutil.which("npx") is None or not (WEB / "node_modules").exists():
        pytest.skip("Node.js is missing, or what the sources need: npm ci in web")
    assert len(PROGRAMS) == 2
    for number, program in enumerate(PROGRAMS):
        (tmp_path / f"program{number}.ts").write_text(program)
    paths = {name: [str(ROOT / path) for path in places] for name, places in SOURCES.items()}
    types = [str(WEB / "node_modules" / "@types")]
    options = {"paths": paths, "typeRoots": types, "noUnusedLocals": False}
    settings = {"extends": str(WEB / "tsconfig.json"), "compilerOptions": options, "include": ["*.ts"]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(settings))
    command = ["npx", "--no-install", "tsc", "-p", str(tmp_path)]
    done = subprocess.run(command, cwd=WEB, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout
