import type { ToolStep, WorkSummary } from '../../kernel/checkpoint.ts'
import { classifyCommand, splitCommandLine, stripCommandFolder } from '../../kernel/shell/command.ts'
import { looksOnly } from '../../kernel/shell/looks-only.ts'
import { clip } from '../../kernel/text/text.ts'
import type { Item, ItemContent } from '../items/item.ts'
import type { Talk } from '../dialogue/talk.ts'
import { editItems } from './edits.ts'
import { createShortPath } from './files.ts'

type ActivityContent = Extract<ItemContent, { kind: 'activity' }>

const VERBS: Partial<Record<ToolStep['kind'], ActivityContent['verb']>> = {
  edit: 'edited',
  read: 'read',
  shell: 'ran',
  search: 'searched for',
  agent: 'asked a subagent for',
  web: 'looked up',
}
const MAX_STEPS = 3
const MAX_THINGS = 4
/** A longer pattern of a search is cut. */
const MAX_QUERY_CHARS = 50

const LEAST_READ = 3

const CHANGING: ReadonlySet<ToolStep['kind']> = new Set(['edit', 'agent', 'mcp', 'other'])

/** Nothing that was seen may have changed a file, a branch or a process, by the session itself or by whom it asked. */
function hasOnlyLooked({ files, steps = [], commands, commits = [], inFlight = [], lastEditOrder = 0 }: WorkSummary) {
  return (
    lastEditOrder === 0 &&
    commits.length === 0 &&
    inFlight.every(({ kind }) => kind === 'tool') &&
    files.every(({ edits, action }) => edits === 0 && action === 'read') &&
    steps.every(({ kind, what }) => !CHANGING.has(kind) && (kind !== 'shell' || isHarmless(what))) &&
    commands.every(({ command }) => isHarmless(stripCommandFolder(command)))
  )
}

/** Tests, builds and lints write only what they produce. */
function isHarmless(command: string): boolean {
  // A clipped line may go on with anything.
  if (command.includes('…')) return false
  return looksOnly(command) || splitCommandLine(command).every((part) => looksOnly(part) || isCheckCommand(part))
}

function isCheckCommand(part: string): boolean {
  return ['test', 'build', 'lint'].includes(classifyCommand(part))
}

/** A session that has only looked around: that is where it stood. */
function onlyReadItems(work: WorkSummary): readonly Item[] {
  const { files, dialogue = [] } = work
  const read = files.filter(({ reads }) => reads > 0).length
  if (read <= LEAST_READ || !hasOnlyLooked(work)) return []
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
function activityItems(work: WorkSummary, since: number, isSaid: (command: string) => boolean): readonly Item[] {
  const short = createShortPath(work.files.map(({ path }) => path))
  const groups: { verb: ActivityContent['verb']; things: string[]; error?: string }[] = []
  for (const { kind, what, ok, error, order } of (work.steps ?? []).toReversed()) {
    const verb = VERBS[kind]
    if (order <= since || verb === undefined) continue
    if (kind === 'shell' && isSaid(what)) continue
    const thing =
      kind === 'edit' || kind === 'read' ? short(what) : kind === 'search' ? clip(what, MAX_QUERY_CHARS) : what
    const last = groups.at(-1)
    if (last?.things.includes(thing) === true && last.verb === verb) continue
    const isGrouped =
      last !== undefined &&
      last.verb === verb &&
      (kind === 'edit' || kind === 'read' || kind === 'search') &&
      ok &&
      last.error === undefined
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

/** The edits since the request, and, while the turn goes on, what the tools did after the last words. */
export function doingItems(
  work: WorkSummary,
  { talks, lastWords, current, isTurnOver }: Talk,
  isSaid: (command: string) => boolean,
): readonly Item[] {
  const lastUser = talks.findLast(({ message }) => message.speaker === 'user')
  const since = Math.max(lastWords?.message.order ?? 0, lastUser?.message.order ?? 0)
  const after = current?.message.order ?? 0
  if (isTurnOver) return editItems(work, { after, until: Number.POSITIVE_INFINITY })
  return [...editItems(work, { after, until: since }), ...activityItems(work, since, isSaid), ...onlyReadItems(work)]
}
