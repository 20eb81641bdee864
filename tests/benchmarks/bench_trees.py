"""How fast the best tree of each class is found, beside peers in the same run; one thread.

    python tests/benchmarks/bench_trees.py [--section NAME ...] [--json FILE] [--quick]

Scores are random, like those of a parser that is sure of most words. Peers that have to be installed come
with the extra `bench`, but for torch-struct, since torch is large.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Final

import crossing_figures
import gap_minding_figures
import numpy as np
import spanning_figures
from measuring import machine, table
from tree_problems import Bench, Sections

SEED: Final = 16

# A section for each subject, by the name under which it can be asked for; the functions stand in modules of
# their own subject.
SECTIONS: Final[dict[str, Sections]] = {
    "spanning": spanning_figures.spanning,
    "spanning-kept": spanning_figures.keeping,
    "projective": spanning_figures.projective,
    "siblings": spanning_figures.siblings,
    "marginals": spanning_figures.marginals,
    "mh4": crossing_figures.mh4,
    "mh4-prefixes": crossing_figures.mh4_prefixes,
    "1-endpoint-crossing": crossing_figures.one_endpoint_crossing,
    "gap-minding": gap_minding_figures.gap_minding,
    "grandparents": gap_minding_figures.grandparents,
    "gap-minding-siblings": gap_minding_figures.gap_minding_siblings,
    "1-inherit": gap_minding_figures.one_inherit,
    "interruptions": gap_minding_figures.interruptions,
}


def main() -> None:
    options = _options()
    on, found = machine(), []
    print(f"Trees, one thread; {', '.join(f'{name} {value}' for name, value in on.items())}; seed {SEED}")
    for name in options.section or SECTIONS:
        generator = np.random.default_rng(SEED)
        bench = Bench(3, 2, True, generator) if options.quick else Bench(15, 10, False, generator)
        section = SECTIONS[name](bench)
        print(f"\n\n{table(section)}", flush=True)
        found.append(section.as_json())
    if options.json:
        options.json.write_text(json.dumps({"machine": on, "seed": SEED, "sections": found}, indent=1) + "\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="How fast the best tree of each class is found.")
    parser.add_argument("--section", action="append", choices=SECTIONS, help="one or more of all")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    parser.add_argument("--quick", action="store_true", help="small sizes, only to see that all of it works")
    return parser.parse_args()


if __name__ == "__main__":
    main()
