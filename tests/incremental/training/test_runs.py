from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
import small_treebanks
from small_networks import SMALL
from small_treebanks import treebank

from treewhile.incremental.parsers.model_contents import COLDEST, HOTTEST
from treewhile.incremental.parsers.model_files import read_model, write_model
from treewhile.incremental.parsers.parsing import read_parser
from treewhile.incremental.training.runs import Run
from treewhile.incremental.training.segmentation import train_segmenter
from treewhile.incremental.training.settings import Settings

TRAIN, DEV = treebank(80, seed=1), treebank(20, seed=2)
SETTINGS = Settings(epochs=6, seed=4)

# The same run in a process that can be killed; it says when a checkpoint is there.
IN_ITS_OWN_PROCESS = f"""
import sys
sys.path.insert(0, {str(Path(small_treebanks.__file__).parent)!r})
import torch
from pathlib import Path
from small_treebanks import treebank
from treewhile.incremental.parsers.network_shapes import Shape
from treewhile.incremental.training.runs import Run
from treewhile.incremental.training.settings import Settings
torch.set_num_threads(1)
run = Run(treebank(80, seed=1), treebank(20, seed=2), {SETTINGS!r}, Path(sys.argv[1]), {SMALL!r})
run.resume()
while not run.trainer.is_done:
    print(run.epoch(lambda words: None).number, flush=True)
"""


def finished(checkpoint: Path) -> Run:
    """The run, resumed and gone to its end."""
    run = Run(TRAIN, DEV, SETTINGS, checkpoint, SMALL)
    run.resume()
    while not run.trainer.is_done:
        run.epoch(lambda words: None)
    return run


def killed(checkpoint: Path, after: int, pause: float) -> None:
    """Begins or resumes the run elsewhere, with another order of sets, and kills it after an epoch."""
    arguments = [sys.executable, "-c", IN_ITS_OWN_PROCESS, str(checkpoint)]
    env = {**os.environ, "PYTHONHASHSEED": f"{after}"}
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, env=env) as process:
        assert process.stdout
        for line in process.stdout:
            if int(line) >= after:
                break
        time.sleep(pause)
        process.send_signal(signal.SIGKILL)


@pytest.mark.slow
def test_a_run_that_is_killed_again_and_again_ends_with_the_same_model(tmp_path: Path) -> None:
    """Whatever the order of sets in each process."""
    for after, pause in ((1, 0.0), (2, 0.02), (4, 0.05)):
        killed(tmp_path / "killed", after, pause)
    whole, resumed = finished(tmp_path / "whole"), finished(tmp_path / "killed")
    assert resumed.trainer.epochs_done == whole.trainer.epochs_done == 6
    write_model(tmp_path / "a", resumed.trainer.model_file({}))
    write_model(tmp_path / "b", whole.trainer.model_file({}))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_run_without_a_checkpoint_begins_anew(tmp_path: Path) -> None:
    assert Run(TRAIN, DEV, SETTINGS, tmp_path / "none", SMALL).resume() == 0


@pytest.mark.slow
def test_the_model_tells_where_it_is_from_and_reads_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few_steps = partial(train_segmenter, least_steps=200)
    monkeypatch.setattr("treewhile.incremental.training.runs.train_segmenter", few_steps)
    run = Run(TRAIN, DEV, Settings(epochs=1), tmp_path / "checkpoint", SMALL)
    assert run.epoch(lambda words: None).number == 1
    assert run.trainer.is_done
    write_model(tmp_path / "model", run.model({"language": "xx"}))
    information = read_model(tmp_path / "model").information
    assert information["words"] == sum(len(sentence.words) for sentence in TRAIN)
    assert (information["language"], information["seed"], information["epochs"]) == ("xx", 1, 1)
    of_parser, of_steps = {"UPOS", "FEATS", "UAS", "LAS"}, {"UAS at delay 1", "UAS at delay 3", "awaiting"}
    assert set(information["scores"]) == of_parser | of_steps | {"Words", "Sentences"}
    assert COLDEST < information["temperature"] < HOTTEST
    segmenter = read_parser(tmp_path / "model").segmenter
    assert segmenter
    (first, second) = segmenter.segment("ta lom dovet. ta osk sunet.")
    assert [word.form for word in first.words] == ["ta", "lom", "dovet", "."]
    assert [word.form for word in second.words] == ["ta", "osk", "sunet", "."]
