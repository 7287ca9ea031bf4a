"""usage: recovery-score.py DATA SPLIT TEXTS: one JSON line per case and text: ours from TEXTS/<case>.txt, and every baseline's.

Scored by DATA/bench/nlr.py, which alone knows what was needed; this file only asks it case by case."""
import json
import os
import sys

DATA, SPLIT, TEXTS = sys.argv[1:4]
os.environ["EVALDATA"] = DATA
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(DATA, "bench"))
import baselines  # noqa: E402
import nlr  # noqa: E402
import run_nlr  # noqa: E402

FIELDS = ["NLR", "edited", "read", "cmd", "ident", "todo", "ref", "err", "p_path", "p_ident", "chars"]


def ours(case):
    path = os.path.join(TEXTS, case["id"] + ".txt")
    return open(path).read()[:2000] if os.path.exists(path) else ""


for case in run_nlr.cases(SPLIT):
    before, after, meta = run_nlr.prepost(SPLIT, case)
    texts = {"holdfast": ours(case)}
    for name, write in baselines.ALL.items():
        text = write(before, meta, case, after)
        if text or name not in run_nlr.OPT:
            texts[name] = text or ""
    for name, text in texts.items():
        scores = nlr.score(text, case)
        row = {"method": name, "case": case["id"], "session": case["session"], "kind": case["kind"], "format": case["format"]}
        print(json.dumps({**row, "scores": {field: scores[field] for field in FIELDS if scores.get(field) is not None}}))
