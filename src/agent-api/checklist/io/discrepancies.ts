import { lstatSync } from 'node:fs'
import { join, posix } from 'node:path'
import type {
  Discrepancy,
  DiscrepancyReason,
  ItemRecord,
  NotLookedAt,
  ParsedChecklistItem,
} from '../../../kernel/checklist.ts'
import type { CodeFacts, CodeInspector, Inspection, ProjectSymbol } from '../../../kernel/code-facts.ts'
import { isTestPath, type ItemClaim, readClaim, subjectOf } from '../item-claim.ts'
import { countShared, nameWords } from '../item-words.ts'
import { compareWords, folderWords, isMentioned, LIKELY, matchFile } from '../match-code.ts'
import { findUnwired, needsWiring } from '../wiring.ts'
import { readSources } from './read-sources.ts'
import { findAllSkipped, findContradictions, findTestContradictions } from '../contradictions.ts'

export interface DiscrepancyInput {
  readonly root: string
  readonly items: readonly ParsedChecklistItem[]
  /** Oldest first, as `ChecklistEvidence.list` gives them. */
  readonly evidence: readonly ItemRecord[]
  readonly inspector: CodeInspector
  /** For a caller that reads the same project again. */
  readonly words?: WordCache
  /** Registered by hand: a name in an item leads to its file. */
  readonly entities?: readonly ProjectSymbol[]
  /** Files that were edited while the item was open, most edited first. */
  readonly editedFor?: (itemId: string) => readonly string[]
}

export interface DiscrepancyReport {
  readonly discrepancies: readonly Discrepancy[]
  readonly notLookedAt: readonly NotLookedAt[]
}

const MAX_FILES = 400
const MAX_FILES_PER_ITEM = 16
const MAX_NAMED = 10
const MAX_PER_ITEM = 5

type Outline = Awaited<ReturnType<CodeInspector['outline']>>

interface WordsOfFile {
  readonly path: string
  readonly subject: ReadonlySet<string>
  /** With the folders. */
  readonly around: ReadonlySet<string>
  readonly names: readonly ReadonlySet<string>[]
  /** Of the subject and of all names. */
  readonly all: ReadonlySet<string>
}

function findLastRuns(evidence: readonly ItemRecord[]): ReadonlyMap<string, ItemRecord> {
  return new Map(evidence.filter((entry) => entry.run !== undefined).map((entry) => [entry.itemId, entry]))
}

function describeRun(run: NonNullable<ItemRecord['run']>): string {
  if (run.isMatched === false) return `its output did not contain ${JSON.stringify(run.expect)}`
  return run.exitStatus === undefined
    ? `it was ended by ${run.endedBy ?? 'a signal'}`
    : `it ended with ${run.exitStatus}`
}

/** The words of an outline; an inspector returns the same outline while the project is unchanged. */
export type WordCache = WeakMap<Outline, readonly WordsOfFile[]>

function indexWords(outline: Outline, cache: WordCache | undefined): readonly WordsOfFile[] {
  const words = cache?.get(outline) ?? readWords(outline)
  cache?.set(outline, words)
  return words
}

function readWords({ paths, symbols }: Outline): readonly WordsOfFile[] {
  const names = new Map<string, ReadonlySet<string>[]>()
  const known = new Map<string, ReadonlySet<string>>()
  for (const { name, file } of symbols) {
    const words = known.get(name) ?? nameWords(name)
    known.set(name, words)
    const ofFile = names.get(file)
    if (ofFile === undefined) names.set(file, [words])
    else ofFile.push(words)
  }
  return paths.map((path) => {
    const subject = nameWords(subjectOf(path))
    const own = names.get(path) ?? []
    return {
      path,
      subject,
      around: new Set([...subject, ...folderWords(path)]),
      names: own,
      all: new Set([...subject, ...own.flatMap((words) => [...words])]),
    }
  })
}

interface Target {
  readonly path: string
  /** The item names it, or something that is defined in it. */
  readonly isGiven: boolean
  /** Only a rare word agrees. */
  readonly isWeak?: boolean
  /** The item names the path itself. */
  readonly isPath?: boolean
}

interface DiscrepancyPlan {
  readonly item: ParsedChecklistItem
  readonly claim: ItemClaim
  readonly targets: readonly Target[]
  readonly missing: readonly string[]
  readonly unseen: readonly string[]
}

/** Files whose names or symbols agree with the words of the item, the best first. */
function findByWords(claim: ItemClaim, files: readonly WordsOfFile[]): readonly Target[] {
  const scored = files
    .filter(({ path, all }) => (claim.isAboutTests || !isTestPath(path)) && isMentioned(all, claim.words))
    .map(({ path, subject, around, names }) => {
      const ofFile = compareWords(claim.words, subject, around)
      let best = ofFile
      for (const words of names) {
        const likeness = compareWords(claim.words, words, around)
        if (likeness > best) best = likeness
      }
      return { path, best: isTestPath(path) || !claim.isAboutTests ? best : best - 0.01 }
    })
    .filter(({ best }) => best >= LIKELY - 0.01)
    .toSorted((a, b) => b.best - a.best || (a.path < b.path ? -1 : 1))
  const top = scored[0]?.best ?? 0
  return scored.filter(({ best }) => best >= top * 0.75).map(({ path }) => ({ path, isGiven: false }))
}

/** Files with the rarest words of the item, when no name agrees with it as a whole. */
function findByRareWords(claim: ItemClaim, files: readonly WordsOfFile[]): readonly Target[] {
  const known = files
    .filter(({ path }) => !isTestPath(path))
    .map(({ path, around, all }) => ({ path, words: new Set([...around, ...all]) }))
  const counts = new Map<string, number>()
  for (const { words } of known)
    for (const word of words) if (claim.words.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1)
  const scored = known
    .map(({ path, words }) => {
      let score = 0
      for (const word of words) {
        const count = counts.get(word)
        if (count !== undefined) score += Math.log(1 + known.length / count)
      }
      return { path, score }
    })
    .filter(
      ({ score }) =>
        score >= Math.log(1 + known.length / Math.max(1, known.length / 20)) * 0.5 || (score > 0 && known.length < 20),
    )
    .toSorted((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1))
  const top = scored[0]?.score ?? 0
  const best = scored.filter(({ score }) => score === top)
  return best.length > 2 ? [] : best.map(({ path }) => ({ path, isGiven: false, isWeak: true }))
}

function describeUnseen(paths: readonly string[]): string {
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : ''
  return `${MAX_FILES_PER_ITEM} files that fit this item were looked at, ${paths.length} were not: ${paths.slice(0, MAX_NAMED).join(', ')}${more}`
}

class Planner {
  private readonly files: readonly WordsOfFile[]
  private readonly byName = new Map<string, string[]>()
  private readonly bySubject = new Map<string, string[]>()

  constructor(
    private readonly input: DiscrepancyInput,
    private readonly outline: Outline,
  ) {
    this.files = indexWords(outline, input.words)
    for (const { name, file } of [...(input.entities ?? []), ...outline.symbols])
      this.byName.set(name, [...(this.byName.get(name) ?? []), file])
    for (const path of outline.paths) {
      const key = subjectOf(path).toLowerCase()
      this.bySubject.set(key, [...(this.bySubject.get(key) ?? []), path])
    }
  }

  private isThere(path: string): boolean {
    return lstatSync(join(this.input.root, path), { throwIfNoEntry: false }) !== undefined
  }

  /** A path of the item as it is on disk: exact, or the end of a longer one. */
  private resolve(path: string): readonly string[] {
    if (this.isThere(path)) return [path]
    return this.outline.paths.filter((known) => known.endsWith(`/${path}`)).slice(0, 3)
  }

  private isAnywhere(name: string): boolean {
    return this.byName.has(name)
  }

  plan(item: ParsedChecklistItem): DiscrepancyPlan {
    const claim = readClaim(item.text, item.body ?? '')
    const missing: string[] = []
    const targets: Target[] = []
    for (const path of claim.paths) {
      const found = this.resolve(path)
      targets.push(...found.map((known) => ({ path: known, isGiven: true, isPath: true })))
      const isSure =
        path.includes('/') ||
        item.text.includes(`\`${path}`) ||
        this.outline.paths.some((known) => posix.extname(known) === posix.extname(path))
      if (found.length === 0 && isSure && !claim.dataPaths.includes(path) && !claim.isRemoval && !claim.isMove)
        missing.push(path)
    }
    for (const folder of claim.folders)
      targets.push(
        ...this.outline.paths
          .filter((path) => path.startsWith(folder))
          .map((path) => ({ path, isGiven: true, isPath: true })),
      )
    if (targets.length === 0)
      targets.push(
        ...claim.names.flatMap((name) => this.byName.get(name) ?? []).map((path) => ({ path, isGiven: true })),
      )
    const edited = this.input.editedFor?.(item.id) ?? []
    if (targets.length === 0 && missing.length === 0) {
      const byWords = findByWords(claim, this.files)
      const both = byWords.filter(({ path }) => edited.includes(path))
      targets.push(...(both.length > 0 ? both : byWords))
      if (byWords.length === 0 && edited.length === 0) targets.push(...findByRareWords(claim, this.files))
      if (byWords.length === 0) targets.push(...edited.slice(0, 3).map((path) => ({ path, isGiven: true })))
    }
    const unique = [...new Map(targets.map((target) => [target.path, target])).values()]
    const withTests = [...unique, ...this.findTestsOf(unique)]
    const chosen = [...new Map(withTests.map((target) => [target.path, target])).values()]
    const unseen = chosen.slice(MAX_FILES_PER_ITEM).map(({ path }) => path)
    return {
      item,
      claim,
      targets: chosen.slice(0, MAX_FILES_PER_ITEM),
      missing,
      unseen: unseen.length > 0 ? [describeUnseen(unseen)] : [],
    }
  }

  /** Tests of a file, which may mock it. */
  private findTestsOf(targets: readonly Target[]): readonly Target[] {
    return targets
      .filter(({ path }) => !isTestPath(path))
      .flatMap(({ path }) => (this.bySubject.get(subjectOf(path).toLowerCase()) ?? []).filter(isTestPath))
      .map((path) => ({ path, isGiven: false }))
  }

  findMissingNames({ claim, targets }: DiscrepancyPlan, texts: ReadonlyMap<string, CodeFacts>): readonly string[] {
    if (claim.isRemoval || claim.isMove || this.outline.incomplete !== undefined) return []
    const given = targets.filter(({ isGiven, path }) => isGiven && texts.has(path))
    if (given.length === 0) return []
    return claim.madeNames.filter(
      (name) =>
        !this.isAnywhere(name) &&
        !given.some(({ path }) => {
          const code = texts.get(path)
          return code?.functions.some(
            ({ name: own, container, uses }) => own === name || container === name || uses.includes(name),
          )
        }),
    )
  }

  /** Whether a mocked module is the one that the test is about. */
  isSubject(testPath: string, mocked: string, claim: ItemClaim): boolean {
    if (mocked.startsWith('spy:')) return true
    if (!mocked.startsWith('.')) {
      if (/^[@~]?\//.test(mocked)) return subjectOf(`${mocked}.ts`) === subjectOf(testPath)
      const words = nameWords(mocked)
      return (
        /^\w+$/.test(mocked) &&
        countShared(words, new Set([...nameWords(subjectOf(testPath)), ...claim.words])) === words.size
      )
    }
    const resolved = posix.normalize(posix.join(posix.dirname(testPath), mocked)).replace(/\.[cm]?[jt]sx?$/, '')
    const base = subjectOf(`${resolved}.ts`)
    if (base !== subjectOf(testPath)) return false
    const beside = posix.dirname(testPath).replace(/(?:^|\/)__tests__$/, '')
    const isBeside = posix.dirname(resolved) === beside || posix.dirname(posix.dirname(resolved)) === beside
    return isBeside || /(?:^|\/)(?:tests?|specs?|__tests__)(?:\/|$)/.test(posix.dirname(testPath))
  }
}

/** Ticked items that code or evidence contradicts, and what was not looked at. Reads a bounded number of files. */
export async function findDiscrepancies(input: DiscrepancyInput): Promise<DiscrepancyReport> {
  const runs = findLastRuns(input.evidence)
  const ticked = input.items.filter(({ status }) => status === 'done' || status === 'verified')
  if (ticked.length === 0) return { discrepancies: [], notLookedAt: [] }
  const outline = await input.inspector.outline(input.root)
  const planner = new Planner(input, outline)
  const plans = ticked.map((item) => planner.plan(item))
  const wanted = [...new Set(plans.flatMap(({ targets }) => targets.map(({ path }) => path)))]
  const inspections = new Map<string, Inspection>(
    (await input.inspector.inspect(input.root, wanted.slice(0, MAX_FILES))).map((one) => [one.path, one]),
  )
  const codes = new Map(
    [...inspections.values()].flatMap((one) => ('facts' in one ? [[one.path, one.facts] as const] : [])),
  )
  const discrepancies: Discrepancy[] = []
  const notLookedAt: NotLookedAt[] = []
  let sources: ReturnType<typeof readSources> | 'too-many'
  for (const plan of plans) {
    const { item, claim, targets, missing, unseen } = plan
    const { id: itemId, section, text, line, status } = item
    const own: Discrepancy[] = []
    const add = (reason: DiscrepancyReason, where: string, detail: string) =>
      own.push({ itemId, section, text, line, status, reason, where, detail })
    const skip = (because: string) => notLookedAt.push({ itemId, text, because })
    const run = runs.get(itemId)?.run
    if (run !== undefined && !run.ok) add('verification-failed', run.command, `${describeRun(run)} at ${run.at}`)
    else if (run === undefined && status === 'verified')
      add('no-evidence', `line ${line}`, 'marked as verified, but no verification was recorded')
    for (const path of missing) add('missing-file', path, 'the file does not exist')
    for (const name of planner.findMissingNames(plan, codes))
      add('missing-name', name, 'nothing of this name is defined')
    unseen.forEach(skip)
    let isCompared = missing.length > 0
    if (needsWiring(claim)) {
      sources ??= readSources(input.root) ?? 'too-many'
      if (sources === 'too-many') skip('the project is too large to look for what reads a setting or serves a route')
      else
        for (const { path, line: at, detail } of findUnwired(claim, sources))
          add('missing-name', `${path}:${at}`, detail)
    }
    const written = listWritten(plan, codes)
    for (const target of targets) {
      const { path } = target
      const one = inspections.get(path)
      if (one === undefined) skip(`${path}: the limit of ${MAX_FILES} files was reached`)
      else if ('notLookedAt' in one) skip(`${path}: ${one.notLookedAt}`)
      else {
        if (one.facts.hasErrors) skip(`${path}: a part of it could not be parsed`)
        const found = judgeFile(target, withoutWritten(one.facts, target, written), claim, planner)
        isCompared ||= found !== undefined
        for (const { reason, line: at, detail } of found ?? []) add(reason, `${path}:${at}`, detail)
      }
    }
    if (!isCompared && !claim.isCleanup)
      skip(
        outline.incomplete === undefined
          ? 'no code was found for it'
          : `no code was found for it: ${outline.incomplete}`,
      )
    discrepancies.push(...own.slice(0, MAX_PER_ITEM))
  }
  return { discrepancies, notLookedAt }
}

/** Names that an item is about and that some file of it implements: another function of the same name is not meant. */
function listWritten({ claim, targets }: DiscrepancyPlan, codes: ReadonlyMap<string, CodeFacts>): ReadonlySet<string> {
  const written = new Set<string>()
  for (const { path, isGiven } of targets) {
    const code = isTestPath(path) ? undefined : codes.get(path)
    const match = code === undefined ? undefined : matchFile(claim, path, code, { isGiven })
    for (const { facts, by } of match?.functions ?? [])
      if (by !== 'near' && facts.shape === 'normal' && facts.gaps.length === 0) written.add(facts.name)
  }
  return written
}

function withoutWritten(code: CodeFacts, { path, isPath }: Target, written: ReadonlySet<string>): CodeFacts {
  if (isPath === true || written.size === 0 || isTestPath(path)) return code
  return { ...code, functions: code.functions.filter(({ name, shape }) => shape === 'normal' || !written.has(name)) }
}

/** Undefined when the file is unrelated to the item. */
function judgeFile(target: Target, code: CodeFacts, claim: ItemClaim, planner: Planner) {
  const { path } = target
  if (isTestPath(path)) {
    const mocked =
      claim.isCleanup || claim.wantsStub
        ? []
        : code.mocks
            .filter(({ subject }) => planner.isSubject(path, subject, claim))
            .map(({ line, subject }) => ({
              reason: 'mocked-test' as const,
              line,
              detail: `mocks ${subject.replace(/^spy:/, '')}, which it should test`,
            }))
    return claim.isAboutTests
      ? [...findTestContradictions(code, claim), ...mocked]
      : [...mocked, ...findAllSkipped(code, claim)]
  }
  const match =
    claim.isAboutTests && code.tests.length === 0
      ? undefined
      : (matchFile(claim, path, code, target) ??
        matchFile(claim, path, code, { isGiven: false, isWeak: true, hasToBeNamed: true }))
  if (claim.isAboutTests && code.tests.length > 0) return findTestContradictions(code, claim)
  return match === undefined ? undefined : findContradictions(path, code, match, claim)
}
