# Two commands do everything from a clean clone: `make serve` starts the server, `make test` checks everything.
# Both need Python 3.11 or later; PYTHON=... chooses another one. DATA=... is where the treebanks are.

PYTHON ?= python3
DATA ?= ../shared/data
VENV := .venv
BIN := $(VENV)/bin
# Compiled kernels stay between runs: each is found by a digest of the sources that it rests on.
CACHE := $(CURDIR)/build/numba-cache
# Python's own bytecode stays as well, whatever the environment says: tests start hundreds of interpreters.
export PYTHONDONTWRITEBYTECODE :=
PACKAGES := oracles incremental server

.PHONY: serve docs test test-all test-quick lint compiled wheel test-as-it-comes test-together test-alone test-interpreted \
	mutants bench-oracles bench-parser bench-server bench-sockets bench-scale bench-start bench-anytime bench-corpora \
	bench-served bench-letters bench-keys bench-lsp bench-next-steps bench-editor bench-products bench-trees bench-arc-eager \
	bench-charts bench-cluster bench-completeness bench-doors bench-transcripts bench-languages bench-validity table4 table7 clean
.PHONY: languages spans-en model-el model-hu
.DELETE_ON_ERROR:

serve: $(VENV)/installed
	@$(BIN)/treewhile serve

# The site of docs/, in build/site.
docs: $(VENV)/installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

# What to run after each change: lint, types, and quick tests with a tenth of the generated cases.
test: $(VENV)/installed-test
	@$(MAKE) --no-print-directory --output-sync=none lint test-quick

# Everything, with what it needs: all cases, oracles without a compiler, real browsers, stores, peers, training.
test-all: $(VENV)/installed-test $(VENV)/installed-doors
	@$(MAKE) --no-print-directory --jobs=3 --output-sync=target lint test-interpreted test-as-it-comes
	@$(MAKE) --no-print-directory test-alone

test-as-it-comes:
	@$(MAKE) --no-print-directory --output-sync=none test-together

lint: $(VENV)/installed-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy --strict $(PACKAGES:%=-p treewhile.%)
	PYTHONPATH=tests/support $(BIN)/python -m house_rules

test-interpreted: $(VENV)/installed-test
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest tests/oracles

# What most tests run on; it takes a C and a C++ compiler, without which each test compiles what it needs.
compiled: $(VENV)/installed-test
	NUMBA_CACHE_DIR=$(CACHE) $(BIN)/python -m treewhile.incremental.building || ! command -v c++ >/dev/null

# A wheel for this version of Python, in dist/, with kernels for several kinds of processors: in some minutes. auditwheel
# tells on which systems it runs.
WHEEL := build/wheel

wheel: $(VENV)/installed-wheel
	rm -rf $(WHEEL)
	mkdir -p $(WHEEL)
	git ls-files -z | xargs -0 cp --parents --target-directory $(WHEEL)
	NUMBA_CACHE_DIR=$(CACHE) $(BIN)/python -m treewhile.incremental.building --ahead $(WHEEL)/oracles/prebuilt
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir $(WHEEL)/made $(WHEEL) --config-settings=--build-option=--python-tag=$$( \
		$(BIN)/python -c 'import sys; print("cp%d%d" % sys.version_info[:2])') \
		--config-settings=--build-option=--plat-name=linux_$$(uname -m)
	PATH=$(CURDIR)/$(BIN):$$PATH auditwheel repair --wheel-dir dist $(WHEEL)/made/*.whl

PYTEST = NUMBA_CACHE_DIR=$(CACHE) $(if $(wildcard $(DATA)),TREEWHILE_DATA=$(abspath $(DATA))) $(BIN)/python -m pytest
ALL = TREEWHILE_TESTS=all $(PYTEST)
marked = $$(grep --recursive --files-with-matches --include='test_*.py' 'mark\.$(1)' tests)

test-quick: compiled
	$(PYTEST) --numprocesses 2 --dist worksteal -m "not alone and not slow"

# More workers than two cores bear, since tests wait for servers and pages; no more, since each takes up to two gigabytes.
# What retico records with is compiled, with the headers of portaudio.
test-together: $(VENV)/installed-doors compiled
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'retico-core>=2.0.1' || echo "no retico: install portaudio19-dev and a C compiler" >&2
	$(ALL) --numprocesses 4 --dist loadgroup -m "not alone"

test-alone: $(VENV)/installed-doors compiled
	$(ALL) -m "alone" $(call marked,alone)

# Which small mistakes in a folder no test notices: make mutants FOLDER=oracles TESTS=tests/oracles, for hours;
# SAMPLE=150 tries that many of them, always the same. They are made in a copy, without bytecode, which does not notice
# an edit within a second, and have 8 GB, since a loop without end may fill the memory. What lives is listed, with its
# share; a run that was stopped goes on.
COPY := $(CURDIR)/build/mutants/treewhile
KILLED_BY = env PYTHONPATH=$(dir $(COPY)) NUMBA_CACHE_DIR=$(CACHE) $(if $(filter oracles%,$(FOLDER)),NUMBA_DISABLE_JIT=1) \
	$(CURDIR)/$(BIN)/python -m pytest -x -p no:xdist -p no:cacheprovider $(TESTS)

mutants: SESSION = ../$(subst /,-,$(FOLDER)).sqlite
mutants: CONFIG = $(SESSION:.sqlite=.toml)
mutants: export PATH := $(CURDIR)/$(BIN):$(PATH)
mutants: export PYTHONDONTWRITEBYTECODE := 1
mutants: $(VENV)/installed-mutants
	rm -rf $(COPY)
	mkdir -p $(COPY)
	git ls-files -z | xargs -0 cp --parents --target-directory $(COPY)
	cd $(COPY) && sed 's|FOLDER|$(FOLDER)|; s|TESTS|$(strip $(KILLED_BY))|' tests/mutants.toml > $(CONFIG)
	cd $(COPY) && { [ -f $(SESSION) ] || { cosmic-ray init $(CONFIG) $(SESSION).new \
		&& cr-filter-operators $(SESSION).new $(CONFIG) \
		&& python tests/sampled_mutants.py $(SESSION).new $(SAMPLE) && mv $(SESSION).new $(SESSION); }; }
	cd $(COPY) && ulimit -v 8000000 && cosmic-ray exec $(CONFIG) $(SESSION)
	cd $(COPY) && cr-report --surviving-only --show-diff $(SESSION)

bench-oracles: $(VENV)/installed-bench
	$(BIN)/python tests/benchmarks/bench_oracles.py --data $(DATA) --plot docs/oracles-per-step.png

# The best tree of each class, and marginals; torch-struct is a peer, too, where somebody has installed it.
bench-trees: $(VENV)/installed-bench
	OPENBLAS_NUM_THREADS=1 PYTHONPATH=tests/support $(BIN)/python tests/benchmarks/bench_trees.py

# Charts of GUM's grammar: beside NLTK, and with closed cells.
bench-charts: $(VENV)/installed-bench
	OPENBLAS_NUM_THREADS=1 $(BIN)/python tests/benchmarks/bench_charts.py \
		--train $(DATA)/gum/gum-train.ptb --dev $(DATA)/gum/gum-dev.ptb

# Optimal steps of arc-eager, beside those of arc-standard.
bench-arc-eager: $(VENV)/installed
	$(BIN)/python tests/benchmarks/bench_arc_eager.py

# How fast a model parses, beside UDPipe 1, whose model is trained the first time, which takes minutes.
bench-parser: $(VENV)/installed-bench
	$(BIN)/python tests/benchmarks/bench_parser.py --model en --source $(EWT)-dev.conllu \
		--udpipe build/ewt.udpipe --train $(EWT)-train.conllu

# Two servers that share a store, one of which is killed, then the store's leader; what a takeover costs, and a letter.
bench-cluster: $(VENV)/installed-everything
	$(BIN)/python tests/benchmarks/bench_cluster.py

# What a session has to reach between two words.
bench-anytime: $(VENV)/installed-bench
	PYTHONPATH=tests/support $(BIN)/python tests/benchmarks/bench_anytime.py --model en --source $(EWT)-dev.conllu

# On two idle cores: how long typists wait for the server, and for a bare echo server, by letters and by words (15
# minutes); 1,000 of whom half leave; workers that are killed; half an hour of people who come and go; and what a word
# costs beside what it cost to another checkout (OLD=its/python).
bench-server: $(VENV)/installed
	$(BIN)/python tests/benchmarks/bench_server.py letters words

bench-server-%: $(VENV)/installed
	$(BIN)/python tests/benchmarks/bench_server.py $* $(if $(OLD),--old $(OLD))

# What a server on one core does for 100 to 5,000 people, on a simulated clock with costs that are measured first.
bench-budget: $(VENV)/installed
	PYTHONPATH=tests/support $(BIN)/python tests/benchmarks/bench_budget.py --plot docs/budget.png

# What the websocket library costs a letter; picows is a peer where somebody has installed it.
bench-sockets: $(VENV)/installed
	$(BIN)/python tests/benchmarks/bench_sockets.py

# What a million typists need, from what some cost: cores, memory, network.
bench-scale: $(VENV)/installed
	$(BIN)/python tests/benchmarks/bench_scale.py

# The first minute: servers, commands and the library with nothing compiled, then with all.
bench-start: $(VENV)/installed
	$(BIN)/python tests/benchmarks/bench_start.py

# What a server says in the end beside what `parse` gives, and what changes in a tree while letters are typed.
bench-served: $(VENV)/installed
	$(BIN)/python tests/benchmarks/bench_served.py --model en --source $(EWT)-dev.conllu
	$(BIN)/python tests/benchmarks/bench_served.py --model af --source $(AFRIBOOMS)-dev.conllu
	$(BIN)/python tests/benchmarks/bench_served.py --model nl --source $(ALPINO)-dev.conllu

# From interim hypotheses to answers, and whether analyses end as those of the final text.
bench-transcripts: $(VENV)/installed
	$(BIN)/python tests/benchmarks/bench_transcripts.py --model en --source $(EWT)-dev.conllu

# How many parsed sentences UD's own validator, which is under the GPL, finds valid, before and after the rules.
bench-validity: $(VENV)/installed-everything
	$(BIN)/python tests/benchmarks/bench_validity.py --model en --source $(EWT)-dev.conllu
	$(BIN)/python tests/benchmarks/bench_validity.py --model af --source $(AFRIBOOMS)-dev.conllu --search
	$(BIN)/python tests/benchmarks/bench_validity.py --model nl --source $(ALPINO)-dev.conllu

bench-next-steps: $(VENV)/installed
	$(BIN)/python tests/benchmarks/bench_next_steps.py --model en --source $(EWT)-dev.conllu

# How long a matrix product takes, by the parser's own kernels and by numpy.
bench-products: $(VENV)/installed
	OPENBLAS_NUM_THREADS=1 $(BIN)/python tests/benchmarks/bench_products.py

bench-letters: $(VENV)/installed
	$(BIN)/python tests/benchmarks/bench_letters.py --model en --source $(EWT)-dev.conllu --server
	$(BIN)/python tests/benchmarks/bench_letters.py --model af --source $(AFRIBOOMS)-dev.conllu --server

# What a key costs a session, in processor time, by its kind.
bench-keys: $(VENV)/installed
	$(BIN)/python tests/benchmarks/bench_keys.py --source $(EWT)-dev.conllu

# How well it is told when sentences end, beside what needs no parser: in minutes, and 4 GB.
bench-completeness: $(VENV)/installed-train
	$(BIN)/python tests/benchmarks/bench_completeness.py --model en --ewt $(EWT)-dev.conllu --gum $(GUM)-dev.conllu \
		--train $(EWT)-train.conllu $(GUM)-train.conllu

# What the editor costs those who type, in Chromium: on an idle machine.
bench-editor: $(VENV)/installed-everything
	$(BIN)/python tests/benchmarks/bench_editor.py

# How long an editor waits for the language server, in a document of 5,000 words.
bench-lsp: $(VENV)/installed-lsp
	$(BIN)/python tests/benchmarks/bench_lsp.py

# A million words as files, by one process, by two, and by two that are killed again and again: minutes.
bench-corpora: $(VENV)/installed
	$(BIN)/python tests/benchmarks/bench_corpora.py --source $(EWT)-dev.conllu

# A treebank through Arborator's exchange over HTTP, whose server looks for it every ten seconds.
bench-doors: $(VENV)/installed
	$(BIN)/python tests/benchmarks/bench_doors.py --model en --source $(EWT)-dev.conllu

# Table 4 of Roark et al. for GUM, whose trees a parser made: agreement, on one core.
table4: $(VENV)/installed
	OMP_NUM_THREADS=1 PYTHONPATH=tests/benchmarks $(BIN)/python -m roark_closed_cells --train $(DATA)/gum/gum-train.ptb --dev $(DATA)/gum/gum-dev.ptb

# Columns (1) to (5) of Nederhof's Table 7, three seeds each: hours. What is done stands in build/table7.jsonl.
table7: table7-el table7-hu

table7-%: $(VENV)/installed-train
	PYTHONPATH=tests/benchmarks $(BIN)/python -m nederhof_projectivity table-7 --results build/table7.jsonl $(foreach part,train dev test,\
		--$(part) $(wildcard $(DATA)/ud/$*_*-2.2/*-$(part).conllu))

# Models, each by one command that goes on where it was stopped, in hours. Those of SHARED may be shared; the licences of
# the others' treebanks do not let their models be shared alike. A model that is there and finished is made anew.
# A language has files that are annotated alike (TRAIN), those of other treebanks (MORE), one on which epochs are
# judged (DEV), raw text whose words are learnt first, and files from which its segmenter learns (CUT).
UD = $(DATA)/ud
EWT = $(UD)/en_ewt/en_ewt
GUM = $(DATA)/gum/gum
AFRIBOOMS = $(UD)/af_afribooms/af_afribooms
ALPINO = $(UD)/nl_alpino/nl_alpino
LASSYSMALL = $(UD)/nl_lassysmall/nl_lassysmall
SHIPPED := incremental/models
# Sentences of ours, annotated as those of TRAIN are; twice, since they are few.
EVERYDAY = $(call TWICE,$(1:%=incremental/training/everyday/%.conllu))
TWICE = $(1) $(1)
# So many of them where more cost scores on the treebanks, as they did in Afrikaans, or have not been tried.
FIRST_af = 202
FIRST_nl = 209
FIRST_de = 177
SHARED = en af nl pt es fr de

# English learns from EWT and GUM as one, then goes on: as EWT annotates, from all, in every way of writing, and from
# what people say (SAID) as if it were of EWT. The mean of those that have gone on ships.
GONE_ON = $(patsubst %,build/en-%.safetensors,1 2 3)
TRAIN_en = $(EWT)-train.conllu
SAID_en = build/en_atis-train.conllu build/en_eslspok-train.conllu
MORE_en = $(GUM)-train.conllu $(UD)/en_pud/en_pud-all.conllu
DEV_en = $(EWT)-dev.conllu
CUT_en = $(TRAIN_en) $(GUM)-train.conllu
EPOCHS_en = 5

TRAIN_af = $(AFRIBOOMS)-train.conllu $(call TWICE,build/af-everyday.conllu)
DEV_af = $(AFRIBOOMS)-dev.conllu
CUT_af = $(AFRIBOOMS)-train.conllu
EPOCHS_af = 80

# The train part of LassySmall is not to be had: its other parts are learnt from, and Alpino judges.
TRAIN_nl = $(LASSYSMALL)-devtest.conllu $(call TWICE,build/nl-everyday.conllu)
MORE_nl = $(LASSYSMALL)-older.conllu build/nl_alpino-older.conllu
DEV_nl = $(ALPINO)-dev.conllu
CUT_nl = $(LASSYSMALL)-devtest.conllu
EPOCHS_nl = 24
OPTIONS_nl = --decoder likelihood --trees mh4

# The older part of Alpino has sentences of the part that judges.
build/nl_alpino-older.conllu: $(ALPINO)-dev.conllu $(ALPINO)-older.conllu
	awk $(UNJUDGED) $^ > $@

TRAIN_pt = $(UD)/pt_bosque/pt_bosque-train.conllu $(call EVERYDAY,pt)
MORE_pt = $(UD)/pt_gsd/pt_gsd-train.conllu $(UD)/pt_pud/pt_pud-all.conllu $(UD)/pt_petrogold/pt_petrogold-dev.conllu \
	$(UD)/pt_porttinari/pt_porttinari-dev.conllu
DEV_pt = $(UD)/pt_bosque/pt_bosque-dev.conllu
# GSD leaves contractions such as nesta whole.
CUT_pt = $(UD)/pt_bosque/pt_bosque-train.conllu $(UD)/pt_petrogold/pt_petrogold-dev.conllu $(UD)/pt_porttinari/pt_porttinari-dev.conllu
EPOCHS_pt = 24
OPTIONS_pt = --seed 2

TRAIN_es = $(UD)/es_ancora/es_ancora-train.conllu $(call EVERYDAY,es)
MORE_es = $(UD)/es_gsd/es_gsd-dev.conllu $(UD)/es_pud/es_pud-all.conllu
DEV_es = $(UD)/es_ancora/es_ancora-dev.conllu
CUT_es = $(TRAIN_es) $(MORE_es)
EPOCHS_es = 26
OPTIONS_es = --seed 2
# Then it goes on.
ON_es = --epochs 2 --seed 5

# Those of GSD that are there: the train parts of Spanish, French and German are not to be had.
TRAIN_fr = $(UD)/fr_gsd/fr_gsd-dev.conllu $(call EVERYDAY,fr)
MORE_fr = $(UD)/fr_pud/fr_pud-all.conllu $(UD)/fr_parisstories/fr_parisstories-train.conllu \
	$(UD)/fr_parisstories/fr_parisstories-dev.conllu $(UD)/fr_rhapsodie/fr_rhapsodie-train.conllu
DEV_fr = $(UD)/fr_gsd/fr_gsd-test-odd.conllu
CUT_fr = $(TRAIN_fr) $(UD)/fr_pud/fr_pud-all.conllu
EPOCHS_fr = 36
OPTIONS_fr = --seed 2

TRAIN_de = build/de_gsd-train.conllu $(call EVERYDAY,de)
MORE_de = build/de_gsd-older.conllu $(UD)/de_pud/de_pud-all.conllu
DEV_de = build/de_gsd-dev.conllu
CUT_de = build/de_gsd-train.conllu $(call TWICE,build/de-everyday.conllu) $(MORE_de)
EPOCHS_de = 36

# Every fourth sentence judges; it is left out of the older part, too, which has it in other annotation.
GSD = $(UD)/de_gsd/de_gsd
build/de_gsd-dev.conllu: $(GSD)-dev.conllu
	awk 'BEGIN { RS = ""; ORS = "\n\n" } NR % 4 == 0' $< > $@
build/de_gsd-train.conllu: $(GSD)-dev.conllu
	awk 'BEGIN { RS = ""; ORS = "\n\n" } NR % 4' $< > $@
build/de_gsd-older.conllu: build/de_gsd-dev.conllu $(GSD)-older.conllu
	awk $(UNJUDGED) $^ > $@

$(patsubst %,build/%-everyday.conllu,af nl de): build/%-everyday.conllu: incremental/training/everyday/%.conllu
	awk 'BEGIN { RS = ""; ORS = "\n\n" } NR <= $(FIRST_$*)' $< > $@

# The sentences of the second file that are not, annotated otherwise and perhaps cut into other words, in the first.
UNJUDGED = 'BEGIN { RS = ""; ORS = "\n\n"; FS = "\n" } \
	{ text = ""; for (i = 1; i <= NF; i++) if ($$i ~ /^\# text = /) text = substr($$i, 10) } \
	{ text = tolower(text); gsub(/[^a-z0-9]/, "", text) } \
	NR == FNR { judged[text]; next } !(text in judged)'

SOURCES = $(TRAIN_$(1):%=--train %) --dev $(DEV_$(1)) --licence "CC BY-SA 4.0"
CUTTING = $(or $(CUT_$(1)),$(TRAIN_$(1)))
RESUMED = $(if $(wildcard $(1).checkpoint),--resume) --out $(1)
TRAIN = $(BIN)/treewhile train parser $(call RESUMED,$(1))

.SECONDEXPANSION:
# Their features are others, or none: what the model that goes on does not know teaches it nothing.
$(SAID_en): build/en_%-train.conllu: $(UD)/en_$$*/en_$$*-train.conllu
	awk -F '\t' 'BEGIN { OFS = "\t" } NF == 10 { $$6 = "Other=Yes" } { print }' $< > $@

$(SHARED:%=build/%-segmenter.safetensors): build/%-segmenter.safetensors: $(VENV)/installed-train $$(call CUTTING,%)
	$(BIN)/treewhile train segmenter --model en $(if $(wildcard $@.checkpoint.segmenter),--resume) --out $@ \
		$(addprefix --train ,$(call CUTTING,$*)) --dev $(DEV_$*) --skip-bad

build/en-first.safetensors: $(VENV)/installed-train $(TRAIN_en) $(DEV_en)
	$(call TRAIN,$@) $(call SOURCES,en) --train $(GUM)-train.conllu --no-segmenter --language en --epochs 36

LEARN = $(call TRAIN,$(2)) $(call SOURCES,$(1)) $(addprefix --train ,$(SAID_$(1))) \
	$(addprefix --treebank ,$(MORE_$(1))) --skip-bad --segmenter build/$(1)-segmenter.safetensors --language $(1) \
	--epochs $(EPOCHS_$(1)) $(OPTIONS_$(1))

$(GONE_ON): build/en-%.safetensors: build/en-segmenter.safetensors build/en-first.safetensors $(SAID_en) $(MORE_en)
	$(call LEARN,en,$@) --from build/en-first.safetensors --seed $*

model-en: $(GONE_ON)
	mkdir -p $(SHIPPED)
	$(BIN)/treewhile train mean $(GONE_ON:%=--model %) --dev $(DEV_en) --out $(SHIPPED)/en.safetensors
	@$(MAKE) --no-print-directory spans-en completeness-en lemmas-en

OTHERS = $(filter-out en,$(SHARED))
$(OTHERS:%=model-%): model-%: build/%-segmenter.safetensors $$(TRAIN_%) $$(MORE_%) $$(DEV_%)
	mkdir -p $(SHIPPED)
	$(call LEARN,$*,$(SHIPPED)/$*.safetensors) --raw $(DATA)/raw/$*.txt
	$(if $(ON_$*),$(call LEARN,$*,$(SHIPPED)/$*.safetensors) --from $(SHIPPED)/$*.safetensors $(ON_$*))
	@$(MAKE) --no-print-directory completeness-$* lemmas-$*

# The constituents of English alone, in a few minutes, on the model that is there.
spans-en: $(VENV)/installed-train
	$(BIN)/treewhile train constituents --model $(SHIPPED)/en.safetensors --out $(SHIPPED)/en.safetensors \
		--train $(GUM)-train.ptb --dev $(GUM)-dev.ptb --licence "CC BY-SA 4.0"

# What tells when sentences end, likewise, and lemmas and XPOS.
PART = --model $(SHIPPED)/$(1).safetensors --out $(SHIPPED)/$(1).safetensors $(call SOURCES,$(1))

COMPLETENESS_en = --train $(GUM)-train.conllu --dev $(GUM)-dev.conllu
$(SHARED:%=completeness-%): completeness-%: $(VENV)/installed-train $$(TRAIN_%) $$(DEV_%)
	$(BIN)/treewhile train completeness $(call PART,$*) $(COMPLETENESS_$*)

LEMMAS_en = --train $(GUM)-train.conllu --epochs 8 --seed 3
LEMMAS_de = --train build/de_gsd-older.conllu --treebank $(UD)/de_pud/de_pud-all.conllu
LEMMAS_fr = $(MORE_fr:%=--treebank %)
$(SHARED:%=lemmas-%): lemmas-%: $(VENV)/installed-train $$(TRAIN_%) $$(DEV_%)
	$(BIN)/treewhile train lemmas $(call PART,$*) $(if $(wildcard $(SHIPPED)/$*.safetensors.checkpoint),--resume) \
		--epochs 12 $(LEMMAS_$*)

model-el model-hu: model-%: $(VENV)/installed-train
	$(call TRAIN,build/$*.safetensors) --train $(UD)/$*_*-2.2/*-train.conllu --dev $(UD)/$*_*-2.2/*-dev.conllu \
		--licence "CC BY-NC-SA 3.0"

# What tells languages, in some minutes; it learns from no treebank that bench-languages reads.
LEARNT = $(foreach code,af de en es fr nl pt,$(code)=$(DATA)/raw/$(code).txt) \
	$(foreach code,de en es fr pt,$(code)=$(UD)/$(code)_pud/$(code)_pud-all.conllu) \
	af=$(AFRIBOOMS)-train.conllu en=$(EWT)-train.conllu en=$(GUM)-train.conllu \
	en=$(UD)/en_eslspok/en_eslspok-train.conllu en=$(UD)/en_atis/en_atis-train.conllu \
	es=$(UD)/es_ancora/es_ancora-train.conllu es=$(UD)/es_gsd/es_gsd-dev.conllu fr=$(UD)/fr_gsd/fr_gsd-dev.conllu \
	fr=$(UD)/fr_parisstories/fr_parisstories-train.conllu fr=$(UD)/fr_rhapsodie/fr_rhapsodie-train.conllu \
	nl=$(LASSYSMALL)-devtest.conllu nl=$(LASSYSMALL)-older.conllu \
	pt=$(UD)/pt_bosque/pt_bosque-train.conllu pt=$(UD)/pt_gsd/pt_gsd-train.conllu

languages: $(VENV)/installed
	$(BIN)/python -m treewhile.incremental.training.language_learning incremental/texts/languages.safetensors $(LEARNT)

bench-languages: $(VENV)/installed
	$(BIN)/python tests/benchmarks/bench_languages.py af=$(AFRIBOOMS)-dev.conllu de=$(UD)/de_gsd/de_gsd-dev.conllu \
		en=$(EWT)-dev.conllu en=$(UD)/en_childes/en_childes-dev.conllu es=$(UD)/es_ancora/es_ancora-dev.conllu \
		es=$(UD)/es_gsd/es_gsd-test-odd.conllu fr=$(UD)/fr_gsd/fr_gsd-test-odd.conllu \
		fr=$(UD)/fr_rhapsodie/fr_rhapsodie-dev.conllu nl=$(ALPINO)-dev.conllu pt=$(UD)/pt_bosque/pt_bosque-dev.conllu \
		pt=$(UD)/pt_gsd/pt_gsd-dev.conllu pt=$(UD)/pt_porttinari/pt_porttinari-dev.conllu

clean:
	rm -rf $(VENV) build/modules build/numba-cache build/__editable__.* *.egg-info .mypy_cache .pytest_cache .ruff_cache

# An editable install in strict mode links single files, so a new module has to be linked too.
MODULES := $(sort $(wildcard $(PACKAGES:%=%/*.py) $(PACKAGES:%=%/*/*.py) $(PACKAGES:%=%/*/*/*.py)))
LINKED := $(shell mkdir -p build; echo '$(MODULES)' | cmp -s - build/modules || echo '$(MODULES)' > build/modules)

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "treewhile needs Python 3.11 or later: make PYTHON=/path/to/python3.11 ..." >&2; exit 1; }
	@echo "setting up, once: a minute or so; what has to be compiled is compiled while the server is there already"
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml build/modules | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e . --config-settings editable_mode=strict
	@touch $@

$(VENV)/installed-%: pyproject.toml build/modules | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -e '.[$*]' --config-settings editable_mode=strict
	@touch $@ $(VENV)/installed
