"""Leaves in a session of cosmic-ray a sample of the mutants that wait, always the same: SESSION [SIZE]."""

from __future__ import annotations

import random
import sys

from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import WorkItem


def kind_and_place(item: WorkItem) -> tuple[str, str, int]:
    (mutation,) = item.mutations
    return str(mutation.module_path), mutation.operator_name, mutation.occurrence


def sample(session: str, size: int | None = None) -> None:
    with use_db(session, WorkDB.Mode.open) as database:
        waiting = sorted(database.pending_work_items, key=kind_and_place)
        random.Random(0).shuffle(waiting)
        database.clear()
        database.add_work_items(waiting[:size])


if __name__ == "__main__":
    sample(sys.argv[1], *map(int, sys.argv[2:]))
