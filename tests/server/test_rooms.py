"""The plan of the house: modules import no circle, and the rooms of a package build on those beneath them."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]

# A room is a folder of a package, or a module beside the folders. Each builds on rooms of earlier rows only.
FLOORS = {
    "oracles": (),
    "incremental": (),
    "server": (),
}
