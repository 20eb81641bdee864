"""Parsing engine: text to words, treebanks, models, configurations, anytime search. No sockets, no clock.

Each exported name is imported when it is first used, so start-up does not wait for unused modules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewhile.oracles.late_names import late_names

if TYPE_CHECKING:
    from treewhile.incremental.building.warming import warm_up
    from treewhile.incremental.embedding.async_sessions import AsyncSession
    from treewhile.incremental.embedding.document_views import DocumentView
    from treewhile.incremental.embedding.threaded_sessions import ThreadedSession
    from treewhile.incremental.output_files import Output, open_output
    from treewhile.incremental.parsers.analysed_sentences import analysis_of_sentence, sentence_of_analysis
    from treewhile.incremental.parsers.analyses import Analysis, Decision, ExpectedWord
    from treewhile.incremental.parsers.arc_decoding import decode_prefix, decode_sentence
    from treewhile.incremental.parsers.growing_parse import GrowingParse
    from treewhile.incremental.parsers.nodes import LATER, Virtual
    from treewhile.incremental.parsers.parsed_treebank import parse_sentences, values_of
    from treewhile.incremental.parsers.parsing import Model
    from treewhile.incremental.parsers.shipped_models import installed_models, load_model
    from treewhile.incremental.scores.conll_scores import Score, conll_scores, crossing_score, label_scores
    from treewhile.incremental.scores.stream_scores import GoldWord, StreamCounts, count_stream
    from treewhile.incremental.sessions.messages import apply_delta
    from treewhile.incremental.sessions.session import Session
    from treewhile.incremental.texts.segmented_text import SegmentedText
    from treewhile.incremental.texts.segmenter import Segmenter
    from treewhile.incremental.transcripts.async_listeners import AsyncListener
    from treewhile.incremental.transcripts.hypotheses import Difference, HeardWord, Hypothesis
    from treewhile.incremental.transcripts.listener import Listener
    from treewhile.incremental.transcripts.threaded_listeners import ThreadedListener
    from treewhile.incremental.treebanks.prefix_trees import GoldTree, PrefixTree, prefix_tree, stock_of
    from treewhile.incremental.treebanks.projectivized_treebank import (
        Losses,
        Restored,
        complaints_placed,
        projectivize_sentence,
        restore_sentence,
    )
    from treewhile.incremental.treebanks.treebank import Sentence, Word, read_sentences
    from treewhile.oracles.constituents.phrase_trees import Constituent
    from treewhile.oracles.interrupts import Interrupt

_PLACES = {
    "Analysis": "parsers.analyses",
    "Decision": "parsers.analyses",
    "AsyncListener": "transcripts.async_listeners",
    "AsyncSession": "embedding.async_sessions",
    "Constituent": ".oracles.constituents.phrase_trees",
    "Difference": "transcripts.hypotheses",
    "DocumentView": "embedding.document_views",
    "ExpectedWord": "parsers.analyses",
    "GoldTree": "treebanks.prefix_trees",
    "GoldWord": "scores.stream_scores",
    "GrowingParse": "parsers.growing_parse",
    "HeardWord": "transcripts.hypotheses",
    "Hypothesis": "transcripts.hypotheses",
    "Interrupt": ".oracles.interrupts",
    "LATER": "parsers.nodes",
    "Listener": "transcripts.listener",
    "Losses": "treebanks.projectivized_treebank",
    "Model": "parsers.parsing",
    "Output": "output_files",
    "PrefixTree": "treebanks.prefix_trees",
    "Restored": "treebanks.projectivized_treebank",
    "Score": "scores.conll_scores",
    "SegmentedText": "texts.segmented_text",
    "Segmenter": "texts.segmenter",
    "Sentence": "treebanks.treebank",
    "Session": "sessions.session",
    "StreamCounts": "scores.stream_scores",
    "ThreadedListener": "transcripts.threaded_listeners",
    "ThreadedSession": "embedding.threaded_sessions",
    "Virtual": "parsers.nodes",
    "Word": "treebanks.treebank",
    "analysis_of_sentence": "parsers.analysed_sentences",
    "apply_delta": "sessions.messages",
    "complaints_placed": "treebanks.projectivized_treebank",
    "conll_scores": "scores.conll_scores",
    "count_stream": "scores.stream_scores",
    "crossing_score": "scores.conll_scores",
    "decode_prefix": "parsers.arc_decoding",
    "decode_sentence": "parsers.arc_decoding",
    "installed_models": "parsers.shipped_models",
    "label_scores": "scores.conll_scores",
    "load_model": "parsers.shipped_models",
    "open_output": "output_files",
    "parse_sentences": "parsers.parsed_treebank",
    "prefix_tree": "treebanks.prefix_trees",
    "projectivize_sentence": "treebanks.projectivized_treebank",
    "read_sentences": "treebanks.treebank",
    "restore_sentence": "treebanks.projectivized_treebank",
    "sentence_of_analysis": "parsers.analysed_sentences",
    "stock_of": "treebanks.prefix_trees",
    "values_of": "parsers.parsed_treebank",
    "warm_up": "building.warming",
}

__all__ = [
    "LATER",
    "Analysis",
    "AsyncListener",
    "AsyncSession",
    "Constituent",
    "Decision",
    "Difference",
    "DocumentView",
    "ExpectedWord",
    "GoldTree",
    "GoldWord",
    "GrowingParse",
    "HeardWord",
    "Hypothesis",
    "Interrupt",
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
]

__getattr__, __dir__ = late_names(__name__, _PLACES)
