from __future__ import annotations

import io

from treewhile.incremental import Sentence, read_sentences
from treewhile.incremental.texts.treebank_texts import treebank_text


def treebank(*sentences: str) -> list[Sentence]:
    """Sentences of lines: comments, and forms with what MISC tells after a slash."""
    return [*read_sentences(io.BytesIO("".join(map(conllu, sentences)).encode()))]


def conllu(sentence: str) -> str:
    rows, number = [], 0
    for line in sentence.split("\n"):
        if line.startswith("#"):
            rows.append(line)
            continue
        form, _, misc = line.partition("/")
        if "=" in form:  # a token and the words that it stands for
            form, _, words = form.partition("=")
            rows.append(
                f"{number + 1}-{number + len(words.split('+'))}\t{form}" + "\t_" * 7 + f"\t{misc or '_'}"
            )
            forms, misc = words.split("+"), ""
        else:
            forms = [form]
        for one in forms:
            number += 1
            rows.append(f"{number}\t{one}" + "\t_" * 7 + f"\t{misc or '_'}")
    return "\n".join([*rows, "", ""])


NO_SPACE = "/SpaceAfter=No"


def test_the_text_is_told_by_missing_spaces() -> None:
    sentences = treebank(f"I\ndon't=do+n't\ngo{NO_SPACE}\n.{NO_SPACE}", f"“{NO_SPACE}\nYes{NO_SPACE}\n”")
    text = treebank_text(sentences)
    assert text.text == "I don't go.“Yes” "
    assert text.tokens["don't", ("do", "n't")] == 1


def test_the_text_is_told_by_a_comment_where_it_fits() -> None:
    fits = "# sent_id = 1\n# text = Go  now!\nGo\nnow\n!"
    does_not = f"# text = Go then!\nGo\nnow{NO_SPACE}\n!"
    assert treebank_text(treebank(fits, does_not)).text == "Go  now! Go now! "


def test_white_space_after_a_token_can_be_told_in_full() -> None:
    assert treebank_text(treebank("Go/SpacesAfter=\\s\\n\\t\nnow")).text == "Go \n\tnow "


def test_paragraphs_and_documents_begin_after_a_blank_line() -> None:
    text = treebank_text(
        treebank(
            "# newdoc id = a\n# newpar\nOne",
            "two",
            "# newpar\nthree",
            f"#newdoc\nfour{NO_SPACE}",
            "# newpart\nfive",
        )
    )
    assert text.text == "One two\n\nthree\n\nfourfive "
    assert [text.text[at] for at in text.last_characters()] == ["e", "o", "e", "r", "e"]
