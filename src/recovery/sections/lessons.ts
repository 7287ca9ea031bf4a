import type { ToolStep, WorkSummary } from '../../kernel/checkpoint.ts'
import { labelCommand } from '../../kernel/shell/label-command.ts'
import { clipQuote, oneLine } from '../../kernel/text/text.ts'
import type { Item } from '../items/item.ts'
import { createShortPath } from './files.ts'

const MAX_LESSONS = 2
const MAX_COMMAND_CHARS = 60
const MAX_REASON_CHARS = 110
/** A search in a missing folder found nothing, as a search may. */
const SEARCHED = /^(?:rg|grep|ls|find|cat|sed|head|tail): /

/** What the next session would run into again: a file that is too large, a text that occurs twice, a missing folder or command. */
const LASTING =
  /exceeds? (?:the )?maximum|too large|found \d+ matches|no such file or directory|command not found|already (?:used|checked out) by worktree|^fatal: (?!not a git repository)|permission denied|not permitted|build constraints exclude|connection refused|status code 4\d\d|\bHTTP 4\d\d\b|undefined: |unknown (?:flag|option|command)|unrecognized (?:option|argument)/i

function firstSentence(text: string): string {
  const [first = text] = text.split(/\. (?=[A-Z])/)
  return first
}

function isSame(one: ToolStep, other: ToolStep): boolean {
  return one.kind === other.kind && (one.what === other.what || one.error === other.error)
}

const WRONG_FOLDER = /\bcd(?::\d+)?: /
const NOT_FOUND_PROGRAM = /command not found: (\S+)|([\w.-]+): (?:command )?not found$/
const NOT_FOUND_PAGE = /status code 4\d\d|\bHTTP 4\d\d\b/

/** The work found another way since: it read the file in parts, was in the folder already, looked the matter up elsewhere. */
function isOvercome({ kind, what, error = '', order }: ToolStep, work: WorkSummary): boolean {
  const { steps = [], commands, files, dialogue = [] } = work
  const file = files.find(({ path }) => path === what)
  if (kind === 'read') return (file?.lastOrder ?? 0) > order
  const isAskedSince = dialogue.some((message) => message.speaker === 'user' && message.order > order)
  if (kind === 'edit') return isAskedSince && (file?.lastEditOrder ?? 0) > order
  const later = steps.filter((step) => step.ok && step.order > order && step.kind === kind).map((step) => step.what)
  const ran = commands.filter(({ ok, lastOrder }) => ok && lastOrder > order).map(({ command }) => command)
  const done = kind === 'shell' ? [...later, ...ran] : later
  if (NOT_FOUND_PAGE.test(error)) {
    const [program = what] = kind === 'shell' ? what.split(' ') : []
    return isAskedSince || done.some((text) => kind !== 'shell' || text.startsWith(program))
  }
  // Until the next request the shell may still be in that folder.
  if (WRONG_FOLDER.test(error)) return isAskedSince && done.length > 0
  const missing = NOT_FOUND_PROGRAM.exec(error)
  const program = missing?.[1] ?? missing?.[2]
  return done.some((text) => text === what || (program !== undefined && text.includes(program)))
}

/** Failed calls whose reason still holds, the newest first; `isSaid`: a check that has a line of its own. */
export function lessonItems(work: WorkSummary, isSaid: (command: string) => boolean): readonly Item[] {
  const { steps = [], files } = work
  const short = createShortPath(files.map(({ path }) => path))
  return steps
    .filter(
      ({ ok, error = '', kind, what }) =>
        !ok && LASTING.test(error) && !SEARCHED.test(error) && !(kind === 'shell' && isSaid(what)),
    )
    .filter((step) => !isOvercome(step, work))
    .toReversed()
    .filter((step, index, all) => all.findIndex((other) => isSame(step, other)) === index)
    .slice(0, MAX_LESSONS)
    .map(({ kind, what, error = '' }) => {
      const thing =
        kind === 'shell'
          ? `\`${labelCommand(what, MAX_COMMAND_CHARS)}\``
          : `${kind === 'edit' ? 'editing' : kind === 'read' ? 'reading' : 'looking up'} ${short(what)}`
      return {
        section: 'tried',
        content: { kind: 'text', text: `${thing}: ${clipQuote(firstSentence(oneLine(error)), MAX_REASON_CHARS)}` },
        origin: 'tools',
        reason: 'failed for a reason that still holds',
      }
    })
}
