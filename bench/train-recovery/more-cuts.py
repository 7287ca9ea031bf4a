"""usage: more-cuts.py DATA SPLIT DIR -> cuts every transcript of a split at more places than it has cases for: DIR/<id>.prefix.*, labels as JSON lines"""
import json
import sys

data, split, folder = sys.argv[1:4]
sys.path.insert(0, data + '/bench')
import nlr
import transcripts

FIRST, LEFT, EVERY, MOST = 12, 10, 20, 10
for line in open(f'{data}/{split}/transcripts/manifest.jsonl'):
    one = json.loads(line)
    path = f"{data}/{split}/transcripts/{one['file']}"
    text = transcripts.read(path)
    events, meta = transcripts.load(path)
    tools = [event for event in events if event['kind'] == 'tool']
    if len(tools) < FIRST + LEFT + 3:
        continue
    cuts = min(MOST, max(2, len(tools) // EVERY))
    places = [int(FIRST + (len(tools) - FIRST - LEFT) * (at + 0.5) / cuts) for at in range(cuts)]
    for record in dict.fromkeys(tools[place]['i'] for place in places):
        at = next(index for index, event in enumerate(events) if event['i'] >= record)
        needed = nlr.ground_truth(events[:at], events[at:], meta.get('cwd'))
        if not needed['gt']['edited'] and not needed['gt']['read']:
            continue
        name = f"more-{one['format']}-{one['session'].replace('/', '_')}-{record}"
        ending = 'json' if one['format'] in ('opencode', 'gemini') else 'jsonl'
        with open(f'{folder}/{name}.prefix.{ending}', 'w') as prefix:
            prefix.write(transcripts.cut_text(text, one['format'], record))
        label = dict(id=name, repo=one['repo'], format=one['format'], gt=needed['gt'], path_keys=needed['path_keys'])
        print(json.dumps(label))
