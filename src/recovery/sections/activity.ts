import type { ToolStep, WorkSummary } from '../../kernel/checkpoint.ts'
import type { Item, ItemContent } from '../items/item.ts'
import { createShortPath } from './files.ts'

type Activity = Extract<ItemContent, { kind: 'activity' }>

const VERBS: Partial<Record<ToolStep['kind'], Activity['verb']>> = {
  edit: 'edited',
  read: 'read',
  shell: 'ran',
  search: 'searched for',
  agent: 'asked a subagent for',
  web: 'looked up',
}
const MAX_STEPS = 3
const MAX_THINGS = 4

const LEAST_READ = 3

/** A session that has only looked around: that is where it stood. */
export function onlyReadItems({ files, steps = [], dialogue = [] }: WorkSummary): readonly Item[] {
  const read = files.filter(({ reads }) => reads > 0).length
  const isEdited = files.some(({ edits }) => edits > 0) || steps.some(({ kind }) => kind === 'edit')
  if (isEdited || read <= LEAST_READ) return []
  const isSilent = !dialogue.some(({ speaker }) => speaker === 'agent')
  return [
    {
      section: 'activity',
      content: { kind: 'only-read', count: read, isSilent },
      origin: 'tools',
      reason: 'nothing was edited',
    },
  ]
}

/** What the tools did after `since`; the newest steps, in their order. */
export function activityItems(work: WorkSummary, since: number, isSaid: (command: string) => boolean): readonly Item[] {
  const short = createShortPath(work.files.map(({ path }) => path))
  const groups: { verb: Activity['verb']; things: string[]; error?: string }[] = []
  for (const { kind, what, ok, error, order } of (work.steps ?? []).toReversed()) {
    const verb = VERBS[kind]
    if (order <= since || verb === undefined) continue
    if (kind === 'shell' && isSaid(what)) continue
    const thing = kind === 'edit' || kind === 'read' ? short(what) : what
    const last = groups.at(-1)
    if (last?.things.includes(thing) === true && last.verb === verb) continue
    const isGrouped =
      last !== undefined && last.verb === verb && (kind === 'edit' || kind === 'read') && ok && last.error === undefined
    if (isGrouped) {
      if (last.things.length < MAX_THINGS) last.things.unshift(thing)
    } else if (groups.length < MAX_STEPS) groups.push({ verb, things: [thing], ...(ok ? {} : { error: error ?? '' }) })
    else break
  }
  return groups.toReversed().map(({ verb, things, error }) => ({
    section: 'activity',
    content: { kind: 'activity', verb, things, ...(error === undefined ? {} : { error }) },
    origin: 'tools',
    reason: 'after the last words',
  }))
}
