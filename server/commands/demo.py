"""The command `treewhile demo`: a demonstration on a small sentence."""

from __future__ import annotations

import click
from rich.progress import MofNCompleteColumn

from treewhile.incremental import GrowingParse, load_model
from treewhile.oracles import count_projectivizations, projectivize
from treewhile.server.terminal.analysis_views import draw_analysis
from treewhile.server.terminal.drawings import draw_arcs
from treewhile.server.terminal.optimal_walks import show, walk
from treewhile.server.terminal.progress_bars import progress_bar

FORMS = ["A", "letter", "came", "yesterday", "that", "nobody", "opened"]
HEADS = [2, 3, 0, 3, 7, 7, 2]

TYPED = ["Peter", "drives", "a", "red", "car"]

TYPING = """\
Somebody types. After every word treewhile says how the sentence may go on: [NOUN]
is a word that must still come. "treewhile parse" does this for any text:
"""

CROSSING = """
Here is a sentence with its dependency tree. The tree is not projective: the
edge from "letter" to "opened" crosses another one.
"""

PROJECTIVE = """
Projective trees are easier to find. The best one here keeps {kept} of the {edges} edges.
There are {count} as good; this one has the shortest edges. "treewhile projectivize"
does this to a treebank, and takes it back:
"""

STEPS = """
A shift-reduce parser reads the words one by one, and makes edges with reduce.
Before every step, treewhile knows how many edges of the tree each of the three
steps can still attain (* marks the best). "treewhile steps" shows this for any
sentence of a treebank:
"""


@click.command()
def command() -> None:
    """Show what treewhile can do, on a small sentence.

    \b
    Example:
      treewhile demo
    """
    click.echo(TYPING)
    parse = GrowingParse(load_model())
    for word in TYPED:
        parse.append(word)
        click.echo(draw_analysis(parse.best()) + "\n")
    click.echo(CROSSING)
    click.echo(draw_arcs(FORMS, HEADS))
    with progress_bar("projectivizing", 2, MofNCompleteColumn()) as advance:
        projective = projectivize(HEADS)
        advance(1)
        count = count_projectivizations(HEADS, single_root=True)
    kept = sum(old == new for old, new in zip(HEADS, projective, strict=True))
    click.echo(PROJECTIVE.format(kept=kept, edges=len(HEADS), count=count))
    click.echo(draw_arcs(FORMS, projective))
    click.echo(STEPS)
    show(walk(FORMS, HEADS), " ".join(FORMS))
