"""The counter of cases that reach what their test is about."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

SUPPORT = Path(__file__).parent / "support"
PARAMETRIZED = """
    import pytest

    @pytest.mark.reaches({share})
    @pytest.mark.parametrize("seed", range({cases}))
    def test_thirds(seed, reached):
        reached(seed % 3 == 0)
"""
LOOPED = """
    import pytest

    @pytest.mark.reaches(0.5)
    def test_thirds(reached):
        for seed in range(30):
            reached(seed % 3 == 0)
"""


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.setenv("PYTHONPATH", str(SUPPORT))
    pytester.makeconftest("pytest_plugins = ['reach']")
    pytester.makeini("[pytest]\nasyncio_default_fixture_loop_scope = function")
    return pytester


@pytest.mark.slow
@pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["alone", "workers"])
def test_too_few_cases_fail_a_run_whose_tests_all_pass(run: pytest.Pytester, workers: list[str]) -> None:
    run.makepyfile(PARAMETRIZED.format(share=0.5, cases=30))
    result = run.runpytest_subprocess(*workers)
    result.assert_outcomes(passed=30)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*TOO FEW*test_thirds - 10 of 30 cases*50% have to"])


@pytest.mark.slow
def test_enough_cases_pass(run: pytest.Pytester) -> None:
    run.makepyfile(PARAMETRIZED.format(share=0.3, cases=30))
    assert run.runpytest_subprocess().ret == pytest.ExitCode.OK


@pytest.mark.slow
def test_a_single_case_is_not_judged(run: pytest.Pytester) -> None:
    run.makepyfile(PARAMETRIZED.format(share=1, cases=3))
    assert run.runpytest_subprocess().ret == pytest.ExitCode.OK


@pytest.mark.slow
def test_cases_of_a_loop_are_counted_one_by_one(run: pytest.Pytester) -> None:
    run.makepyfile(LOOPED)
    result = run.runpytest_subprocess()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*10 of 30 cases*"])


@pytest.mark.slow
def test_a_test_that_notes_no_case_fails(run: pytest.Pytester) -> None:
    run.makepyfile(LOOPED.replace("range(30)", "range(0)"))
    result = run.runpytest_subprocess()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*0 of 0 cases*"])
