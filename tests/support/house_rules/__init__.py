"""House rules that a machine can check: `python -m house_rules` lists where code and tests break them."""
