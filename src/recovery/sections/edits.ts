import type { DialogueMessage, EditRecord, WorkSummary } from '../../kernel/checkpoint.ts'
import { baseName } from '../../kernel/paths/paths.ts'
import type { Item } from '../items/item.ts'
import { isLooking } from '../passages/cues.ts'
import { ROOMS } from '../passages/scoring.ts'
import { splitMessage } from '../passages/split-message.ts'
import { createShortPath, isOfTheWork } from './files.ts'

/** Edits that follow one message of the agent, with what that message announced. */
interface AnnouncedEdits {
  readonly message?: DialogueMessage
  readonly edits: readonly EditRecord[]
}

const OPENER =
  /^(?:(?:ok(?:ay)?|good|great|perfect|excellent|now|so|alright|right|nice|yes|wait|hmm|first|next|then|also|and|done|finally|lastly|second|third)\b[,.!:;—-]*\s*)*(?:let me|let's|i'll|i’ll|i will|i'm going to|i am going to|i'm|i’m|i need to|i should|we need to|need to|time to)?\s*(?:(?:now|also|first|just|then|next|quickly|go ahead and|start by|need to|to)\s+)*/i
/** What an announcement of an edit begins with: a verb, or the number of a step. */
const CHANGES =
  /^(?:(?:fix|step|task|phase|change|part|item) [a-z]?\d+\b|(?:add|adjust|anchor|append|apply|bump|change|clean|convert|correct|create|delete|drop|expand|export|extend|extract|fix|handle|implement|import|inline|insert|make|mark|merge|migrate|modify|move|pass|point|port|refactor|register|remove|rename|replace|resolve|restore|restructure|revert|rewrite|set|simplify|split|strip|suppress|switch|tighten|update|use|wire|wrap|write)(?:ing)?\b)/i
/** Says that it will do it: "let me", "I'll", or a colon before the call. */
const INTENT =
  /\b(?:let me|let's|i'll|i’ll|i will|i'm going to|i am going to|i need to|i should|we need to)\b|^now\b|:$|^[A-Z][a-z]+ing\b/i
/** How it is, not what will be done. */
const STATES =
  /\b(?:not|n't|skipped|fails?|failed|failing|remains?|stays?|misses|needed|in use|is|are|was|were|has|have)\b/i

/** Words that say nothing of what was changed. */
const EMPTY =
  /^(?:add|all|also|and|apply|at|by|caller|callers|changes?|code|create|do|each|edits?|feature|files?|fix(?:es)?|for|from|functions?|import|imports|in|is|issues?|it|its|line|lines|make|methods?|modify|my|new|now|occurrences?|of|on|one|other|others|problems?|remaining|replace|same|second|some|test|tests|that|the|them|then|there|these|third|this|those|three|to|two|update|updated|usages?|use|with|write)$/i
const ALSO = /^(?:let me|i'll|i will|i should) also\b/i
const MAX_DEFINED = 3
const STATED_CHARS = 60
const LEAST_WORDS = 2
const LEAST_CHARS = 12
const MAX_CHARS = 120
const CLAUSE =
  / (?:—|–|->|→|-) |[;:] |, |\. | (?=\()| (?=(?:and|because|so that|since|to|instead of|by|with|for|where|which|that|so)\b)/g

/** Cut between clauses. */
function cutClause(text: string): string {
  if (text.length <= MAX_CHARS) return text
  const ends = [...text.matchAll(CLAUSE)]
    .map(({ index }) => index)
    .filter((end) => end >= LEAST_CHARS && end <= MAX_CHARS)
  const end = ends.at(-1)
  return end === undefined ? '' : `${text.slice(0, end)} …`
}

/** "Add it before that": what it is stands elsewhere. */
const POINTS = /^\w+ (?:it|this|them|these|those|that|something|some|the one)\b/i

function isTelling(action: string): boolean {
  if (POINTS.test(action)) return false
  const words = action.split(/[\s,;:()]+/).filter((word) => word !== '' && !EMPTY.test(word))
  return words.length >= LEAST_WORDS || words.some((word) => /\w[._]\w|[a-z][A-Z]/.test(word))
}

/** "Now let me update the third caller:" as "update the third caller"; nothing if no sentence of it announces a change. */
function findAnnouncement({ text }: DialogueMessage): string | undefined {
  const { sentences } = splitMessage(text)
  const prose = sentences.filter(({ form }) => form === 'prose').map(({ text: one }) => one)
  // "Let me also…" after a list: the edit may be any of it.
  if (sentences.length > 2 && prose.some((one) => ALSO.test(one))) return undefined
  const actions = prose
    .filter((one) => !isLooking(one) && INTENT.test(one))
    .map((one) =>
      one
        .replace(OPENER, '')
        .replace(/[:.…]+$/, '')
        .trim(),
    )
  const action = actions.findLast((one) => CHANGES.test(one) && !STATES.test(one.slice(0, STATED_CHARS)))
  const cut = action === undefined || !isTelling(action) ? '' : cutClause(action)
  return cut.length < LEAST_CHARS ? undefined : cut
}

const SPOKEN: ReadonlySet<DialogueMessage['kind']> = new Set([
  'message',
  'turn-final',
  'request',
  'queued',
  'answer',
  'refusal',
])

function groupEdits(
  edits: readonly EditRecord[],
  dialogue: readonly DialogueMessage[],
  after: number,
): readonly AnnouncedEdits[] {
  const groups: { message: DialogueMessage | undefined; edits: EditRecord[] }[] = []
  for (const edit of edits) {
    // What the user said in between, the agent may have followed instead.
    const before = dialogue.findLast(({ order, kind }) => SPOKEN.has(kind) && order < edit.order && order > after)
    const message = before?.speaker === 'agent' ? before : undefined
    const last = groups.at(-1)
    if (last !== undefined && last.message === message) last.edits.push(edit)
    else groups.push({ message, edits: [edit] })
  }
  return groups.map(({ message, edits: own }) => (message === undefined ? { edits: own } : { message, edits: own }))
}

interface EditSpan {
  /** The order of the request. */
  readonly after: number
  /** Later edits are said elsewhere. */
  readonly until: number
}

const MAX_FILES = 3

/** By their names, by more where two have the same. */
function nameFiles(
  paths: readonly string[],
  short: (path: string) => string,
  all: readonly string[],
): readonly string[] {
  const isAlone = (path: string) => all.every((other) => other === path || baseName(other) !== baseName(path))
  const names = paths.slice(0, MAX_FILES).map((path) => (isAlone(path) ? baseName(path) : short(path)))
  return paths.length > MAX_FILES ? [...names, `${paths.length - MAX_FILES} more`] : names
}

/** What was edited since the request, in the words that announced each edit. */
export function editItems(work: WorkSummary, { after, until }: EditSpan): readonly Item[] {
  const { edits = [], dialogue = [], files } = work
  const there = new Set(files.filter(({ action }) => action !== 'deleted').map(({ path }) => path))
  const own = edits.filter(({ path, order }) => order > after && isOfTheWork(path) && there.has(path))
  const all = [...new Set(edits.map(({ path }) => path))]
  const short = createShortPath(files.map(({ path }) => path))
  let left: number = ROOMS.edits
  const items = groupEdits(own, dialogue, after)
    .filter(({ edits: [first] }) => first !== undefined && first.order <= until)
    .toReversed()
    .flatMap(({ message, edits: group }): readonly Item[] => {
      const words = message === undefined ? undefined : findAnnouncement(message)
      const defined = [...new Set(group.flatMap((edit) => edit.defined ?? []))].slice(0, MAX_DEFINED)
      if (words === undefined && defined.length === 0) return []
      const named = words === undefined ? group.filter((edit) => edit.defined !== undefined) : group
      const paths = [...new Set(named.map(({ path }) => path))]
      const names = nameFiles(paths, short, all)
      left -= (words?.length ?? 0) + (words === undefined ? defined.join(', ').length : 0) + names.join(', ').length + 6
      if (left < 0) return []
      return [
        {
          section: 'edits',
          content: { kind: 'edit', files: names, ...(words === undefined ? { defined } : { words }) },
          origin: 'tools',
          reason: 'an edit since the request',
        },
      ]
    })
  return items.toReversed()
}
