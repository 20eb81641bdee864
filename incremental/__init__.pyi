"""Public names of the package, each imported when it is first used: see `late_names`."""

from treewhile.incremental.building.warming import warm_up as warm_up
from treewhile.incremental.embedding.async_sessions import AsyncSession as AsyncSession
from treewhile.incremental.embedding.document_views import DocumentView as DocumentView
from treewhile.incremental.embedding.threaded_sessions import ThreadedSession as ThreadedSession
from treewhile.incremental.output_files import Output as Output
from treewhile.incremental.output_files import open_output as open_output
from treewhile.incremental.parsers.analyses import Analysis as Analysis
from treewhile.incremental.parsers.analyses import Decision as Decision
from treewhile.incremental.parsers.analyses import ExpectedWord as ExpectedWord
from treewhile.incremental.parsers.analyses import analysis_of_sentence as analysis_of_sentence
from treewhile.incremental.parsers.analyses import sentence_of_analysis as sentence_of_analysis
from treewhile.incremental.parsers.arc_decoding import decode_prefix as decode_prefix
from treewhile.incremental.parsers.arc_decoding import decode_sentence as decode_sentence
from treewhile.incremental.parsers.growing_parse import GrowingParse as GrowingParse
from treewhile.incremental.parsers.nodes import LATER as LATER
from treewhile.incremental.parsers.nodes import Virtual as Virtual
from treewhile.incremental.parsers.parsed_treebank import parse_sentences as parse_sentences
from treewhile.incremental.parsers.parsed_treebank import values_of as values_of
from treewhile.incremental.parsers.parsing import Model as Model
from treewhile.incremental.parsers.shipped_models import installed_models as installed_models
from treewhile.incremental.parsers.shipped_models import load_model as load_model
from treewhile.incremental.scores.conll_scores import Score as Score
from treewhile.incremental.scores.conll_scores import conll_scores as conll_scores
from treewhile.incremental.scores.conll_scores import crossing_score as crossing_score
from treewhile.incremental.scores.conll_scores import label_scores as label_scores
from treewhile.incremental.scores.stream_scores import GoldWord as GoldWord
from treewhile.incremental.scores.stream_scores import StreamCounts as StreamCounts
from treewhile.incremental.scores.stream_scores import count_stream as count_stream
from treewhile.incremental.sessions.messages import apply_delta as apply_delta
from treewhile.incremental.sessions.options import DocumentOptions as DocumentOptions
from treewhile.incremental.sessions.session import Session as Session
from treewhile.incremental.texts.segmented_text import SegmentedText as SegmentedText
from treewhile.incremental.texts.segmenter import Segmenter as Segmenter
from treewhile.incremental.transcripts.hypotheses import Difference as Difference
from treewhile.incremental.transcripts.hypotheses import HeardWord as HeardWord
from treewhile.incremental.transcripts.hypotheses import Hypothesis as Hypothesis
from treewhile.incremental.transcripts.listener import Listener as Listener
from treewhile.incremental.transcripts.threaded_listeners import AsyncListener as AsyncListener
from treewhile.incremental.transcripts.threaded_listeners import ThreadedListener as ThreadedListener
from treewhile.incremental.treebanks.prefix_trees import GoldTree as GoldTree
from treewhile.incremental.treebanks.prefix_trees import PrefixTree as PrefixTree
from treewhile.incremental.treebanks.prefix_trees import prefix_tree as prefix_tree
from treewhile.incremental.treebanks.prefix_trees import stock_of as stock_of
from treewhile.incremental.treebanks.projectivized_treebank import Losses as Losses
from treewhile.incremental.treebanks.projectivized_treebank import Restored as Restored
from treewhile.incremental.treebanks.projectivized_treebank import complaints_placed as complaints_placed
from treewhile.incremental.treebanks.projectivized_treebank import (
    projectivize_sentence as projectivize_sentence,
)
from treewhile.incremental.treebanks.projectivized_treebank import restore_sentence as restore_sentence
from treewhile.incremental.treebanks.treebank import Sentence as Sentence
from treewhile.incremental.treebanks.treebank import Word as Word
from treewhile.incremental.treebanks.treebank import read_sentences as read_sentences
from treewhile.oracles.constituents.phrase_trees import Constituent as Constituent
from treewhile.oracles.interrupts import Interrupt as Interrupt
