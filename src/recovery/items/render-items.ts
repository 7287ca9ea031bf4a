import { PLAN_QUESTION } from '../../kernel/event.ts'
import { labelCommand } from '../../kernel/shell/label-command.ts'
import { clip, clipQuote, withoutFolders } from '../../kernel/text/text.ts'
import type { Item, ItemContent } from './item.ts'
import type { Passage } from '../passages/passage.ts'
import { SECTION_ORDER, type SectionKey } from './section-order.ts'

type Content<K extends ItemContent['kind']> = Extract<ItemContent, { kind: K }>

const GAP = '…'

function isEnded(text: string): boolean {
  return /[.!?:;…]["”)']?$/.test(text)
}

/** A heading that says where: a step of a plan, or a file. */
const STEP = /^(?:(?:step|task|phase|change) )?\d+[.):]|[\w-]+\.[a-z]{1,4}\b/i

/** "It checks:", which says nothing without what follows. */
function isIntroduction({ speaker, form, text }: Passage): boolean {
  return speaker === 'agent' && form === 'prose' && text.endsWith(':') && !/[_.(]\w/.test(text)
}

/** Sentences of one message in their order; a list is joined behind its heading, if `isBroken` on a line of its own; a gap is shown. */
function joinMessage(passages: readonly Passage[], isBroken: boolean): string {
  let text = ''
  let before: Passage | undefined
  for (const [index, passage] of passages.entries()) {
    if (passages.length > 1 && isIntroduction(passage) && passages[index + 1]?.position !== passage.position + 1)
      continue
    const isListed = passage.form !== 'prose'
    const isSameList =
      isListed &&
      before?.form !== 'prose' &&
      before?.heading === passage.heading &&
      before.paragraph === passage.paragraph
    const isSameHeading =
      before !== undefined && (before.heading === passage.heading || before.section === passage.heading)
    const isStep = passage.speaker === 'user' && STEP.test(passage.heading)
    const isHeaded = (isListed || isStep) && passage.heading !== '' && !isSameHeading
    // Where the list of one step follows that of another, which step it belongs to.
    const { section = '' } = passage
    const isNewStep = passage.speaker === 'user' && STEP.test(section) && before?.section !== section
    const step = isHeaded && isNewStep && before?.heading !== section ? `${section}: ` : ''
    const cut = passage.isFirst === true ? '' : `${GAP} `
    const heading = isHeaded ? `${step}${passage.heading}: ${cut}` : ''
    const own = `${heading}${isListed ? passage.text.replace(/[.;,]$/, '') : passage.text}`
    const isNext = before !== undefined && passage.position === before.position + 1 && passage.isAfterCode !== true
    const separator =
      text === ''
        ? ''
        : isNext && passage.isContinued === true
          ? ' '
          : isSameList
            ? isNext
              ? text.endsWith(':')
                ? ' '
                : '; '
              : `${text.endsWith(':') ? '' : ';'} ${GAP} `
            : isNext
              ? isEnded(text)
                ? ' '
                : passage.speaker === 'user'
                  ? ' / '
                  : '. '
              : isEnded(text)
                ? ` ${GAP} `
                : `. ${GAP} `
    const isNewLine = isBroken && heading !== '' && text !== ''
    text += isNewLine ? `${isNext ? '' : ` ${GAP}`}\n${own}` : `${separator}${own}`
    before = passage
  }
  return before?.hasNext === true ? `${text} ${GAP}` : text
}

function byPlace(a: Passage, b: Passage): number {
  return a.message - b.message || a.position - b.position
}

function groupByMessage(passages: readonly Passage[]): readonly (readonly Passage[])[] {
  const groups = new Map<number, Passage[]>()
  for (const passage of passages.toSorted(byPlace))
    groups.set(passage.message, [...(groups.get(passage.message) ?? []), passage])
  return [...groups.values()]
}

const MAX_ABOUT_CHARS = 110
const OFFERED = / \([^()]* \/ .*\)$/

/** A command is quoted as it was; the path of a file is shown by its end. */
function renderRefused(about: string): string {
  return clip(about.includes('`') ? about : withoutFolders(about), MAX_ABOUT_CHARS)
}

/** An answer says little without its question, a refusal nothing without what it refused. */
function renderAbout({ from, about }: Passage): string {
  if (about === undefined) return ''
  if (from === 'refusal') return ` (refusing ${renderRefused(about)})`
  return ` (asked: ${clip(about.replace(OFFERED, ''), MAX_ABOUT_CHARS)})`
}

/** The user's words are quoted message by message. */
function renderMessages(passages: readonly Passage[], isBroken = false): readonly string[] {
  return groupByMessage(passages).map((group) => {
    const text = joinMessage(group, isBroken)
    const [{ isWordless, about = '' } = { isWordless: undefined }] = group
    // The answer to a plan is a choice, not words.
    if (about.startsWith(PLAN_QUESTION)) return text.replace(/^approved/, 'approved the plan')
    if (isWordless === true) return `${text}: ${renderRefused(about)}`
    return group[0]?.speaker === 'user' ? `"${text}"${renderAbout(group[0])}` : text
  })
}

/** Messages that follow each other on one line. */
function renderPassages(passages: readonly Passage[]): string {
  const isAgent = passages[0]?.speaker === 'agent'
  return renderMessages(passages, true).reduce((text, next) => {
    if (text === '') return next
    // Tool calls ran between two messages of the agent.
    return isAgent && !text.endsWith(GAP) ? `${text}${isEnded(text) ? '' : '.'} ${GAP} ${next}` : `${text} ${next}`
  }, '')
}

const RESULTS = {
  passed: 'passed',
  failed: 'failed',
  'nothing-ran': 'ran nothing',
  unknown: 'ran, status hidden by a pipe or chain',
} as const
const MAX_STEP_CHARS = 90
const MAX_RED_LINE_CHARS = 120
/** A longer line of a passed check is not its totals. */
const MAX_GREEN_LINE_CHARS = 40

function noteRun({ isOutdated, hasPassedByName, isDisputed }: Content<'check'>, isDated: boolean): string {
  if (hasPassedByName === true) return ' (passed in a later run)'
  if (isDisputed === true) return ' (before the user said that it fails)'
  return isOutdated && !isDated ? ' (before the last edit)' : ''
}

const FINDINGS_CHARS = 260
/** A finding that the result line begins to quote. */
const SAME_CHARS = 40

/** The first places that a failed check names, but those of its result line. */
function renderFindings({ findings = [] }: Content<'check'>['run'], line: string): string {
  let left = FINDINGS_CHARS
  const further = findings.filter(({ text }) => !line.includes(text.slice(0, SAME_CHARS)))
  const shown = further
    .map(({ place, text }) => `${place} ${text}`)
    .filter((text) => {
      left -= text.length + 2
      return left >= 0
    })
  return shown.length === 0 ? '' : ` (${shown.join('; ')}${shown.length < further.length ? '; …' : ''})`
}

/** `isDated`: that it is older than the last edit is said elsewhere. */
function renderCheck(check: Content<'check'>, isDated: boolean): string {
  const { run, label } = check
  const { verdict, line = '' } = run
  const shown =
    verdict === 'passed' && line.length > MAX_GREEN_LINE_CHARS
      ? ''
      : clipQuote(line, MAX_RED_LINE_CHARS).replace(/\.$/, '')
  const said = shown === '' ? '' : `: ${shown.replace(/:$/, '')}`
  return `\`${label}\` ${RESULTS[verdict]}${said}${renderFindings(run, line)}${noteRun(check, isDated)}`
}

const FOUND = {
  alive: ' (alive)',
  'id-in-use': ' (a process has this id)',
  gone: ' (gone)',
  'not-checked': '',
} as const

/** Only what is no longer as the record says is marked. */
const MARKS = { holds: '', changed: ' (changed since)', gone: ' (gone)', 'cannot-tell': '' } as const

/** The words of one item. */
export function renderItem({ content, verdict }: Item, isAllOutdated = false): string {
  switch (content.kind) {
    case 'passage':
      return content.passage.text
    case 'title':
      return `"${content.title}"`
    case 'reply':
      return `"${content.reply}"`
    case 'rule':
      return `"${content.text}"`
    case 'activity':
      return `${content.verb} ${content.things.map((thing) => (content.verb === 'ran' ? `\`${labelCommand(thing, MAX_STEP_CHARS)}\`` : thing)).join(', ')}${content.error === undefined ? '' : ` (failed${content.error === '' ? '' : `: ${clipQuote(content.error, 100)}`})`}`
    case 'edit':
      if (content.words !== undefined) return `${content.files.join(', ')}: "${content.words}"`
      return `${content.files.join(', ')}${(content.defined ?? []).length === 0 ? '' : ` (${(content.defined ?? []).join(', ')})`}`
    case 'only-read':
      return `nothing edited so far, ${content.count} files read${content.isSilent ? ', no findings or answer written yet' : ''}`
    case 'in-flight': {
      const { kind, id, what, port, pid } = content.work
      const named = `${kind === 'tool' ? '' : `${kind} `}${id === undefined ? '' : `${id} `}`
      const place = `${pid === undefined ? '' : `, process ${pid}`}${port === undefined ? '' : ` on port ${port}`}`
      return `${named}\`${labelCommand(what, 160)}\`${place}${FOUND[content.verdict ?? 'not-checked']}`
    }
    case 'check':
      return renderCheck(content, isAllOutdated)
    case 'merge': {
      const { command, conflicts, edited } = content
      const stopped = command === undefined ? 'git lists' : `\`${labelCommand(command, MAX_STEP_CHARS)}\` stopped at`
      const open = conflicts.filter((path) => !edited.includes(path))
      if (edited.length === 0) return `${stopped} conflicts in ${open.join(', ')}`
      const all = `${stopped} ${conflicts.length} conflicts; edited since: `
      return open.length === 0
        ? `${all}all of ${edited.join(', ')}`
        : `${all}${edited.join(', ')}; not edited: ${open.join(', ')}`
    }
    case 'command':
      return `\`${content.command}\`${content.verdict === undefined ? '' : ` (${RESULTS[content.verdict]}${content.isOutdated === true ? ' before the last edit' : ''})`}`
    case 'commit':
      return `commit ${content.commit.hash ?? ''} "${clip(content.commit.subject, 80)}"${content.commit.isPushed === true ? ' (pushed)' : ''}`
    case 'opened':
      return `opened ${content.url}`
    case 'not-committed':
      return `${content.count} edited since, not committed`
    case 'todos-done':
      if (content.isOld) return `${content.count} of ${content.all} todos of an earlier request marked done`
      return `${content.count} of ${content.all} todos marked done${content.shown.length === 0 ? '' : `, among them: ${content.shown.map(({ text }) => text).join('; ')}`}`
    case 'todo':
      return `${content.todo.status === 'in_progress' ? '(in progress) ' : ''}${content.todo.text}`
    case 'plan':
      return `plan ${content.title}`
    case 'steps-left':
      return `plan, after step ${content.after}: ${content.steps.join('; ')}${content.isCut ? '; …' : ''}`
    case 'decision': {
      const { decision, rationale, evidence } = content.decision
      const why = rationale === undefined ? '' : ` because ${clip(rationale, 90)}`
      return `${clip(decision, 130)}${why}${evidence === 'claimed' ? ' (claimed)' : ''}`
    }
    case 'contradiction':
      return `${content.claim}, but ${content.observation}`
    case 'blocker':
      return `blocked by ${clip(content.text, 140)}`
    case 'memory':
      return `remembered: ${clip(content.text, 120)}`
    case 'text':
      return clip(content.text, 190)
    case 'file':
      return `${content.shown}${content.movedTo === undefined ? MARKS[verdict ?? 'holds'] : ` (now ${content.movedTo})`}`
  }
}

const FILE_LABELS = {
  changed: 'changed',
  created: 'created',
  deleted: 'deleted',
  committed: 'changed before the last commit',
  // Before the session, by a command, or by another person.
  uncommitted: 'uncommitted, no edit seen here:',
  untracked: 'untracked',
  read: 'read',
} as const

function renderFiles(items: readonly Item[]): string {
  const roles = ['changed', 'created', 'deleted', 'committed', 'uncommitted', 'untracked', 'read'] as const
  return roles
    .flatMap((role) => {
      const own = items.filter(({ content }) => content.kind === 'file' && content.role === role)
      const [first] = own
      if (first?.content.kind !== 'file') return []
      const left = first.content.total - own.length
      const more = left > 0 ? ` and ${left} more` : ''
      return [`${FILE_LABELS[role]} ${own.map((item) => renderItem(item)).join(', ')}${more}`]
    })
    .join('; ')
}

function passagesOf(items: readonly Item[]): readonly Passage[] {
  return items.flatMap(({ content }) => (content.kind === 'passage' ? [content.passage] : []))
}

const LABELS = new Map<SectionKey, string>(SECTION_ORDER.map(({ key, label }) => [key, label]))

function isOutdated({ content }: Item): boolean {
  return content.kind === 'check' && content.isOutdated
}

/** One message a line. */
const LISTED: ReadonlySet<SectionKey> = new Set(['also', 'earlier', 'before-edit', 'reported'])

/** The lines of a section, the first with its label. */
export function renderSection(
  key: SectionKey,
  items: readonly Item[],
  label = LABELS.get(key) ?? '',
): readonly string[] {
  if (LISTED.has(key)) {
    const messages = renderMessages(passagesOf(items))
    return messages.length === 1 ? [`${label}: ${messages[0]}`] : [`${label}:`, ...messages.map((said) => `- ${said}`)]
  }
  const [first = '', ...others] = renderLine(key, items, label).split('\n')
  return [first, ...others.map((line) => `- ${line}`)]
}

/** What ran before the last edit stands last, and says so once. */
function renderChecks(items: readonly Item[]): string {
  const older = items.filter(isOutdated)
  if (older.length < 2) return items.map((item) => renderItem(item)).join('; ')
  const newer = items.filter((item) => !isOutdated(item)).map((item) => renderItem(item))
  return [...newer, `before the last edit: ${older.map((item) => renderItem(item, true)).join(', ')}`].join('; ')
}

const FEW = 3
const MANY_CHARS = 40

/** More than a few of one kind are named shortly, the kind once. */
function renderInFlight(items: readonly Item[]): string {
  const work = items.flatMap((item) => (item.content.kind === 'in-flight' ? [{ item, content: item.content }] : []))
  const many = work.filter(({ content }) => content.work.kind === 'subagent')
  if (many.length <= FEW) return items.map((item) => renderItem(item)).join('; ')
  const short = many.map(
    ({ content: { work: one, verdict = 'not-checked' } }) =>
      `${one.id === undefined ? '' : `${one.id} `}\`${clip(one.what, MANY_CHARS)}\`${FOUND[verdict]}`,
  )
  const others = work.filter(({ content }) => content.work.kind !== 'subagent').map(({ item }) => renderItem(item))
  return [...others, `${many.length} subagents: ${short.join(', ')}`].join('; ')
}

/** Edits of one file after each other have its name once. */
function renderEdits(items: readonly Item[]): string {
  let before = ''
  return items
    .map((item) => {
      if (item.content.kind !== 'edit' || item.content.words === undefined) return renderItem(item)
      const names = item.content.files.join(', ')
      const text = names === before ? `"${item.content.words}"` : renderItem(item)
      before = names
      return text
    })
    .join('; ')
}

function isFromMiddle(items: readonly Item[]): boolean {
  const [first] = passagesOf(items)
  return first !== undefined && first.position > 0 && !first.text.endsWith('?')
}

function renderLine(key: SectionKey, items: readonly Item[], label: string): string {
  if (key === 'edits') return `${label}: ${renderEdits(items)}`
  if (key === 'files') return `${label}: ${renderFiles(items)}`
  const isOld = key === 'checks' && items.every(isOutdated)
  const words = renderPassages(passagesOf(items))
  if (key === 'in-flight') return `${label}: ${renderInFlight(items)}`
  if (key === 'checks' && !isOld) return `${label}: ${renderChecks(items)}`
  const others = items.filter(({ content }) => content.kind !== 'passage').map((item) => renderItem(item, isOld))
  const separator = key === 'activity' || key === 'commands' ? ', ' : '; '
  const announced = key === 'activity' && words !== '' ? `"${words.replace(/:$/, '')}"` : undefined
  const parts = announced === undefined ? [others.join(separator), words] : [announced, others.join(separator)]
  const text = parts
    .filter((part) => part !== '')
    .join(key === 'reply' ? (isFromMiddle(items) ? ' to: … ' : ' to: ') : announced === undefined ? '. ' : ', then ')
  return `${label}${isOld ? ', not run since the last edit' : ''}: ${text}`
}
