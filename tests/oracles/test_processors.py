"""Kinds of processors that kernels are built for ahead of time, and which machines they suit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from treewhile.oracles import processors
from treewhile.oracles.processors import KINDS, Kind, instructions, kind

HASWELL = "fma movbe popcnt avx f16c abm bmi1 avx2 bmi2 rdrand"
SKYLAKE_X = f"{HASWELL} avx512f avx512dq avx512cd avx512bw avx512vl"
MACHINES = {
    "sse4_1 sse4_2 popcnt avx f16c": None,  # Ivy Bridge
    HASWELL: "x86-64-v3",
    f"{HASWELL} avx_vnni": "x86-64-v3-vnni",  # Alder Lake
    SKYLAKE_X: "x86-64-v4",
    f"{SKYLAKE_X} avx512_vnni": "x86-64-v4-vnni",  # Cascade Lake
    f"{SKYLAKE_X} avx_vnni avx512_vnni amx_int8": "x86-64-v4-vnni",  # Sapphire Rapids
    f"{HASWELL} avx512f avx512cd avx512er avx512pf": None,  # Knights Landing: wide registers, without v4
    "fp asimd evtstrm aes crc32 atomics fphp asimdhp asimddp": None,  # ARM
}


@pytest.fixture(autouse=True)
def asked_anew() -> Iterator[None]:
    """Have features found out in each test, and again after it."""
    processors.features.cache_clear()
    yield
    processors.features.cache_clear()


@pytest.mark.parametrize(("flags", "name"), MACHINES.items())
def test_machines_have_a_kind_by_the_flags_that_linux_tells(
    flags: str, name: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "cpuinfo"
    told.write_text(f"processor\t: 0\nflags\t\t: {flags}\n")
    monkeypatch.setattr(processors, "LINUX", told)
    monkeypatch.delenv(processors.FEATURES, raising=False)
    found = kind()
    assert (found and found.name) == name


@pytest.mark.parametrize("wanted", KINDS, ids=lambda kind: kind.name)
def test_a_process_with_the_settings_of_a_kind_makes_code_for_it(
    wanted: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in wanted.settings.items():
        monkeypatch.setenv(name, value)
    assert kind() == wanted


@pytest.mark.parametrize("settings", [{"NUMBA_CPU_NAME": "generic"}, {"NUMBA_CPU_FEATURES": ""}])
def test_settings_without_features_name_none(
    settings: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    assert not processors.features()


def test_kinds_differ_in_their_instructions() -> None:
    assert len({instructions(one.features) for one in KINDS}) == len(KINDS)
