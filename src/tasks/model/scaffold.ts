/** Pages that a task folder begins with: a heading each, so that people and agents find where things go. */
export const TASK_PAGES: Readonly<Record<string, string>> = {
  'context/research.md': 'Research',
  'context/requirements.md': 'Requirements',
  'context/design.md': 'Design',
  'plan/PLAN.md': 'Plan',
  'plan/risk-register.md': 'Risk register',
  'plan/tdd-plan.md': 'TDD plan',
  'work/implementation-log.md': 'Implementation log',
  'evidence/tests.md': 'Tests',
  'evidence/review-notes.md': 'Review notes',
  'ops/rollout-plan.md': 'Rollout plan',
  'ops/rollback-plan.md': 'Rollback plan',
  'ops/postmortem.md': 'Postmortem',
}

/**
 * Git keeps both sides of what is only added to, leaves a checkpoint's bytes alone, and asks about what is made from the
 * checkpoints instead of mixing two of them.
 */
export const TASK_GIT_ATTRIBUTES = `json/events.ndjson merge=union
logs/incidents.ndjson merge=union
work/implementation-log.md merge=union
json/checkpoints/*.json -text
work/patches/*.patch -text
json/checkpoint-index.json -merge
json/task-status.json -merge
json/memory-ids.json -merge
json/run-manifest.json -merge
`

/** A page with nothing but headings, comments and blank lines says nothing yet. */
export function isWritten(page: string): boolean {
  const text = page.replace(/<!--[\s\S]*?-->/g, '')
  return text.split('\n').some((line) => line.trim() !== '' && !/^\s*#{1,6}\s/.test(line))
}
