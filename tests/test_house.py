"""The house rules that a machine can check: where imports may go, and what each package gives out."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# A package may import from those before it.
ORDER = ["oracles", "incremental", "server"]

PUBLIC = {
    "oracles": {
        "BestTree",
        "best_sibling_tree",
        "best_tree",
        "best_gap_minding_sibling_tree",
        "best_tree_with_grandparents",
        "edge_marginals",
        "pruned",
        "rearranged_sibling_tree",
        "Computations",
        "Configuration",
        "EagerConfiguration",
        "EagerSteps",
        "InputError",
        "Openings",
        "OptimalStepBatch",
        "OptimalStepTracker",
        "OptimalSteps",
        "count_projectivizations",
        "is_projective",
        "lift",
        "optimal_computations",
        "optimal_steps",
        "projectivize",
        "scores_along",
        "TreeClasses",
        "tree_classes",
    },
    "incremental": {
        "Analysis",
        "Decision",
        "AsyncListener",
        "AsyncSession",
        "Constituent",
        "Difference",
        "DocumentView",
        "ExpectedWord",
        "GoldTree",
        "GoldWord",
        "GrowingParse",
        "HeardWord",
        "Hypothesis",
        "Interrupt",
        "LATER",
        "Listener",
        "Losses",
        "Model",
        "Output",
        "PrefixTree",
        "Restored",
        "Score",
        "SegmentedText",
        "Segmenter",
        "Sentence",
        "Session",
        "StreamCounts",
        "ThreadedListener",
        "ThreadedSession",
        "Virtual",
        "Word",
        "analysis_of_sentence",
        "apply_delta",
        "complaints_placed",
        "conll_scores",
        "count_stream",
        "crossing_score",
        "decode_prefix",
        "decode_sentence",
        "installed_models",
        "label_scores",
        "load_model",
        "open_output",
        "parse_sentences",
        "prefix_tree",
        "projectivize_sentence",
        "read_sentences",
        "restore_sentence",
        "sentence_of_analysis",
        "stock_of",
        "values_of",
        "warm_up",
    },
    "server": set(),
}


def imported_modules(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def modules() -> list[Path]:
    return [path for package in ORDER for path in sorted((ROOT / package).rglob("*.py"))]


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_run_one_way(path: Path) -> None:
    package = path.relative_to(ROOT).parts[0]
    later = ORDER[ORDER.index(package) + 1 :]
    for name in imported_modules(path):
        assert name.split(".")[:2] not in [["treewhile", other] for other in later]
        assert name.split(".")[0] not in ORDER, f"{name} is imported from the folder, not from treewhile"


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_numba_is_imported_by_kernels_alone(path: Path) -> None:
    names = {name.split(".")[0] for name in imported_modules(path)}
    assert "numba" not in names or path.name in ("compilation.py", "kernels.py") or "kernels" in path.parts


def test_training_alone_imports_torch() -> None:
    using = {path for path in modules() if "torch" in {name.split(".")[0] for name in imported_modules(path)}}
    assert using
    assert {path.parent.relative_to(ROOT) for path in using} == {Path("incremental/training")}


def test_nothing_that_is_needed_every_day_imports_the_training() -> None:
    for path in modules():
        if path.parent.name != "training" and path.name not in ("train.py", "tables.py"):
            assert not [
                name for name in imported_modules(path) if name.startswith("treewhile.incremental.training")
            ]


@pytest.mark.parametrize("package", ORDER)
def test_a_package_exports_exactly_its_public_names(package: str) -> None:
    module = importlib.import_module(f"treewhile.{package}")
    assert set(getattr(module, "__all__", [])) == PUBLIC[package]
    assert all(hasattr(module, name) for name in PUBLIC[package])


@pytest.mark.parametrize("package", ORDER)
def test_no_module_takes_the_place_of_a_public_name(package: str) -> None:
    """An imported module becomes an attribute of its package, and would hide what has its name."""
    here = {path.stem for path in modules() if path.parent == ROOT / package}
    assert not here & PUBLIC[package]


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_module_says_what_it_holds(path: Path) -> None:
    assert (ast.get_docstring(ast.parse(path.read_text())) or "").strip()


def test_every_package_is_installed_with_its_types() -> None:
    for package in ORDER:
        assert (ROOT / package / "py.typed").exists()
