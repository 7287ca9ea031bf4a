/** Words of the composer's own templates and others that say the same, to see what the wording is worth. */
const LABELS: Readonly<Record<string, string>> = {
  User: 'Person',
  'User, not answered yet': 'Person, still waiting',
  "User's last request, turn finished": 'Person recently, reply given',
  "User's last requests, turn finished": 'Person recently, replies given',
  'The task': 'Purpose',
  'User earlier': 'Person before',
  Rules: 'Binding',
  'User answered': 'Person replied',
  'Which answered': 'In reply to',
  'Agent, before that request': 'Assistant, previously',
  'Agent, before that answer': 'Assistant, previously',
  "Agent's last words": 'Latest from the assistant',
  'Doing last': 'Most recently',
  'Started, not seen to end': 'Begun, outcome open',
  Checks: 'Runs',
  'Agent earlier': 'Assistant before',
  'Agent, before the last edit': 'Assistant, older than the newest change',
  "Agent's last words, before the last edit": 'Latest from the assistant, older than the newest change',
  'Subagents reported': 'Helpers answered',
  'Edits made': 'Altered so far',
  Done: 'Finished',
  Next: 'Ahead',
  Decided: 'Settled',
  'Did not work': 'Attempted in vain',
  'Also run': 'Further commands',
  Files: 'Paths',
  'Files, none committed in this session': 'Paths, without a commit so far',
  'Files, none committed in this session, no check seen': 'Paths, without a commit or a test so far',
}
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/` passed\b/g, '` went green'],
  [/` failed\b/g, '` went red'],
  [/not run since the last edit/g, 'older than the newest change'],
  [/\(before the last edit\)/g, '(older than the newest change)'],
  [/\bnot committed\b/g, 'without a commit'],
  [/\(in progress\)/g, '(current)'],
  [/nothing edited so far, (\d+) files read/g, 'looked at $1 files, changed none'],
  [/no findings or answer written yet/g, 'silent up to here'],
  [/\(failed\b/g, '(error'],
  [/\bmarked done\b/g, 'ticked'],
  [/\bbefore the last edit: /g, 'older than the newest change: '],
  [/; read /g, '; viewed '],
  [/: changed |; changed /g, ': touched '],
  [/; created /g, '; new '],
  [/; uncommitted /g, '; dirty '],
]

export function withSynonyms(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      const [, label = ''] = /^\| ([^:]{1,60}):/.exec(line) ?? []
      const other = LABELS[label]
      const named = other === undefined ? line : line.replace(label, other)
      const isTemplate = label === '' || /^(?:Doing last|Checks|Done|Next|Files|Started)/.test(label)
      return isTemplate ? PHRASES.reduce((said, [phrase, instead]) => said.replace(phrase, instead), named) : named
    })
    .join('\n')
}
