"""usage: recovery-score.py DATA SPLIT TEXTS: one JSON line per case: the facts that TEXTS/<case>.txt states, and what was needed later.

Scored by DATA/bench/score_facts.py and DATA/bench/nlr.py, which alone know the facts and what was needed."""
import json
import os
import sys

DATA, SPLIT, TEXTS = sys.argv[1:4]
os.environ["EVALDATA"] = DATA
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(DATA, "bench"))
import nlr  # noqa: E402
import run_nlr  # noqa: E402
import score_facts  # noqa: E402

LIMIT = 2000


def text_of(case):
    path = os.path.join(TEXTS, case + ".txt")
    return open(path).read()[:LIMIT] if os.path.exists(path) else ""


for case in score_facts.load(SPLIT):
    text = text_of(case["case"])
    facts = [
        {"id": f["id"], "kind": f["kind"], "weight": f["weight"], "text": f["text"], "isStated": score_facts.stated(text, f["match"])}
        for f in case["facts"]
    ]
    print(json.dumps({"type": "facts", "case": case["case"], "score": score_facts.score(text, case), "facts": facts}))
for case in run_nlr.cases(SPLIT):
    scores = nlr.score(text_of(case["id"]), case)
    needed = {field: scores[field] for field in ("edited", "read", "cmd") if scores.get(field) is not None}
    print(json.dumps({"type": "needed", "case": case["id"], "format": case["format"], "needed": needed}))
