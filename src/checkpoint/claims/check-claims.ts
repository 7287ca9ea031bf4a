import type { CheckRun, CommandRun, WorkSummary } from '../../kernel/checkpoint.ts'
import { coversCommand } from '../../kernel/shell/command-key.ts'
import { endsWithParts } from '../../kernel/paths/paths.ts'
import { clip } from '../../kernel/text/text.ts'
import { findClaims, type ClaimTopic, type StatedClaim } from './find-claims.ts'

/** What was observed of the work; a `WorkSummary` is one. */
export interface ClaimEvidence
  extends Pick<WorkSummary, 'checks' | 'commits'>,
    Partial<Pick<WorkSummary, 'commands' | 'files'>> {
  readonly lastEditOrder?: number | undefined
  readonly lastPushOrder?: number | undefined
  /** When the text was written, in the session's order; absent: after everything that was observed. */
  readonly saidAt?: number
  /** Whether a file is on disk; undefined if that is not known. */
  readonly isThere?: (path: string) => boolean | undefined
}

/** A claim that the observations do not bear out. */
export interface ClaimFinding {
  /** The sentence, verbatim. */
  readonly claim: string
  readonly topic: ClaimTopic
  /** The observation in plain words. */
  readonly because: string
  /**
   * refuted: the last observation says otherwise. outdated: it was so before a later edit. unobserved: nothing was observed,
   * which does not make it false.
   */
  readonly kind: 'refuted' | 'outdated' | 'unobserved'
}

type Doubt = Pick<ClaimFinding, 'because' | 'kind'>
type CheckTopic = 'tests' | 'build' | 'lint'

const COMMAND_CHARS = 90
const LINE_CHARS = 160
const NOUN = { tests: 'test', build: 'build', lint: 'lint' } as const
const CHECK_PURPOSES = { test: 'test', build: 'build', lint: 'lint' } as const

function isCheckTopic(topic: ClaimTopic): topic is CheckTopic {
  return topic in NOUN
}

function quote(command: string): string {
  return `\`${clip(command, COMMAND_CHARS)}\``
}

/** Of a checkpoint from before checks were recorded. */
function toChecks(commands: readonly CommandRun[]): readonly CheckRun[] {
  return commands.flatMap(({ command, purpose, ok, lastOrder }) => {
    if (purpose !== 'test' && purpose !== 'build' && purpose !== 'lint') return []
    return [{ command, purpose: CHECK_PURPOSES[purpose], verdict: ok ? 'passed' : 'failed', order: lastOrder }]
  })
}

export function listObservedChecks({ checks, commands = [] }: ClaimEvidence): readonly CheckRun[] {
  return checks ?? toChecks(commands)
}

const KINDS = [
  'unit',
  'integration',
  'e2e',
  'end-to-end',
  'smoke',
  'acceptance',
  'contract',
  'ui',
  'api',
  'snapshot',
] as const
const WIDER = /integration|e2e|end-to-end|smoke|acceptance|playwright|cypress/

/** A script for everything: `npm run ci`, `mise run test:ci`, `make verify`. */
const EVERYTHING = /(?:^|[\s:/-])(?:ci|all|verify|everything)(?:\s|$)/

function namesKind(command: string, kind: string): boolean {
  return command.includes(kind === 'end-to-end' ? 'e2e' : kind) || EVERYTHING.test(command)
}

/** They test or lint only what compiles. */
const BUILDS_FIRST = /^(?:\(cd \S+ && )?(?:\.\/|npx )?(?:mvn|mvnw|gradle|gradlew|go|cargo|dotnet|swift|sbt|bazel|tsc)\b/

/** Builds that run the tests. */
const RUNS_TESTS =
  /^(?:\(cd \S+ && )?(?:\.\/)?(?:mvnw?\s(?:\S+\s)*(?:package|verify|install|deploy)|gradlew?\s(?:\S+\s)*(?:\S*:)?(?:build|check))\b/
const SKIPS_TESTS = /-DskipTests|-Dmaven\.test\.skip|(?:-x|--exclude-task) \S*test/

function isAbout({ purpose, passed, verdict, command }: CheckRun, topic: CheckTopic): boolean {
  if (purpose === NOUN[topic]) return true
  if (topic === 'tests') return passed !== undefined || (RUNS_TESTS.test(command) && !SKIPS_TESTS.test(command))
  return topic === 'build' && verdict === 'passed' && BUILDS_FIRST.test(command)
}

/** The runs that a claim speaks of, oldest first: of the command or the kind of tests that it names, else all of its topic. */
function listClaimRuns(claim: StatedClaim, topic: CheckTopic, evidence: ClaimEvidence): readonly CheckRun[] {
  const ofTopic = listObservedChecks(evidence)
    .filter((check) => isAbout(check, topic))
    .toSorted((a, b) => a.order - b.order)
  const named = ofTopic.filter(({ command }) =>
    claim.commands.some((mentioned) => coversCommand(command, mentioned) || coversCommand(mentioned, command)),
  )
  if (named.length > 0) return named
  const kinds = KINDS.filter((kind) => new RegExp(`\\b${kind}\\b`, 'i').test(claim.text))
  const isOfKind = (command: string, kind: string) =>
    namesKind(command, kind) || (kind === 'unit' && !WIDER.test(command))
  const ofKind = ofTopic.filter(({ command }) => kinds.some((kind) => isOfKind(command, kind)))
  return ofKind.length > 0 ? ofKind : ofTopic
}

const GENERIC =
  /^(?:all|the|new|existing|unit|integration|e2e|our|these|those|both|its|every|my|failing|passing|and|of|full|more|other|added|updated|relevant|affected|\d+)$/i
const TEST_NAME = /`([\w.:#-]{4,})`|\b((?:Test|test_)\w{3,})\b/g

/** "Bug 2 and Bug 3 tests", "step 4's test". */
const NUMBERED =
  /\b(?:bug|step|part|item|case|task|phase|story|issue|finding|fix|scenario|stage|change|layer|test) #?\d+(?:\.\d+)*\b/gi

/** Whether the failures of a run are of other tests than the claim names. */
function isAboutOtherTests({ text, isUniversal }: StatedClaim, { failing = [], command }: CheckRun): boolean {
  if (isUniversal || failing.length === 0) return false
  const hay = [command, ...failing].join('\n').toLowerCase()
  const names = [...text.matchAll(TEST_NAME)].map(([, code, name]) => (code ?? name ?? '').toLowerCase())
  const numbered = [...text.matchAll(NUMBERED)].map(([label]) => label.toLowerCase())
  const subject = /\b([\w-]+) tests?\b/i.exec(text)?.[1]
  const named = subject === undefined || GENERIC.test(subject) ? [] : [subject.toLowerCase()]
  const about = [...names, ...numbered, ...named]
  return about.length > 0 && about.every((name) => !hay.includes(name) && !hay.includes(name.replaceAll(/\W/g, '')))
}

function describeRun({ command, line }: CheckRun): string {
  return line === undefined ? quote(command) : `${quote(command)}: ${clip(line, LINE_CHARS)}`
}

function renderFailed({ command, line, failing = [] }: CheckRun): string {
  const names = line === undefined && failing.length > 0 ? `: ${failing.slice(0, 3).join(', ')}` : ''
  return `the last run of ${quote(command)} failed${line === undefined ? names : `: ${clip(line, LINE_CHARS)}`}`
}

export function getLastEditOrder({ lastEditOrder, files = [] }: ClaimEvidence): number {
  return (
    lastEditOrder ?? Math.max(0, ...files.map((file) => file.lastEditOrder ?? (file.edits > 0 ? file.lastOrder : 0)))
  )
}

/** A failure that a later success does not clear: nothing was edited since, or only a part of it was run again. */
function findStanding(runs: readonly CheckRun[], edited: number): CheckRun | undefined {
  const last = runs.at(-1)
  if (last === undefined || EVERYTHING.test(last.command)) return undefined
  return runs.findLast(
    (run) =>
      run.verdict === 'failed' &&
      run.order < last.order &&
      !coversCommand(last.command, run.command) &&
      (edited < run.order || coversCommand(run.command, last.command)),
  )
}

function judgeCheck(claim: StatedClaim, topic: CheckTopic, evidence: ClaimEvidence): Doubt | undefined {
  const runs = listClaimRuns(claim, topic, evidence)
  const last = runs.at(-1)
  if (last === undefined) return { kind: 'unobserved', because: `no ${NOUN[topic]} run was observed` }
  const { saidAt = Number.POSITIVE_INFINITY } = evidence
  // Only the last run of a command is known: what the runs before the claim showed cannot be compared any more.
  if (last.order > saidAt) return { kind: 'unobserved', because: `${quote(last.command)} was run again since` }
  if (last.verdict === 'failed')
    return isAboutOtherTests(claim, last) ? undefined : { kind: 'refuted', because: renderFailed(last) }
  if (last.verdict === 'nothing-ran') {
    const what = topic === 'tests' ? 'no tests ran' : 'nothing ran'
    return { kind: 'refuted', because: `${what} in the last run of ${describeRun(last)}` }
  }
  if (last.verdict === 'unknown')
    return {
      kind: 'unobserved',
      because: `the output of the last run of ${quote(last.command)} does not show its result`,
    }
  const edited = getLastEditOrder(evidence)
  const red = claim.isUniversal ? findStanding(runs, edited) : undefined
  if (red !== undefined) return { kind: 'refuted', because: renderFailed(red) }
  if (edited > last.order && edited < saidAt)
    return { kind: 'outdated', because: `code was edited after the last run of ${quote(last.command)}` }
  const counted = runs.reduce((sum, { passed = 0 }) => sum + passed, 0)
  if (claim.count !== undefined && last.passed !== undefined && claim.count > counted)
    return { kind: 'refuted', because: `the last run of ${quote(last.command)} counted ${last.passed} passed tests` }
  return undefined
}

const WORD_CHARS = 4
const STEM_CHARS = 5
const SAYS_NOTHING =
  /^(?:test|spec|fix|bug|issu|error|probl|fail|work|again|when|with|that|this|from|into|should|correct|proper|expect|does|have|been|also|both|case|code|file|only|verif|confi|resol|solv|repai|longer|handl|return|now)/

/** The words that distinguish a name or a sentence, by their prefixes. */
function listStems(text: string): ReadonlySet<string> {
  const words =
    text
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[a-z]+/g) ?? []
  return new Set(
    words
      .filter((word) => word.length >= WORD_CHARS && !SAYS_NOTHING.test(word))
      .map((word) => word.slice(0, STEM_CHARS)),
  )
}

/** A failing test of the claimed repair: most words of the shorter one are in the other. */
function findTestOf({ text }: StatedClaim, { failing = [] }: CheckRun): string | undefined {
  const said = listStems(text)
  return failing.find((name) => {
    const named = listStems(name.split(/::|[>›»]|[/.#]/).at(-1) ?? name)
    const least = Math.min(said.size, named.size)
    const shared = [...named].filter((stem) => said.has(stem)).length
    return least > 0 && (least <= 2 ? shared * 2 >= least : shared * 2 > least)
  })
}

/** Only a failing test of the same thing says something about a repair. */
function judgeFixed(claim: StatedClaim, evidence: ClaimEvidence): Doubt | undefined {
  const { saidAt = Number.POSITIVE_INFINITY } = evidence
  const runs = listObservedChecks(evidence).toSorted((a, b) => a.order - b.order)
  const red = runs.findLast(
    (run) => run.verdict === 'failed' && run.order < saidAt && findTestOf(claim, run) !== undefined,
  )
  if (red === undefined) return undefined
  // A green run of another command may have included the test.
  if (runs.some((run) => run.order > red.order && run.verdict === 'passed' && run.purpose === 'test')) return undefined
  if (getLastEditOrder(evidence) > red.order)
    return { kind: 'unobserved', because: `${quote(red.command)} failed and was not run again` }
  return { kind: 'refuted', because: renderFailed(red) }
}

/** A command that git refused, after the last one that it accepted. */
function findRefused(pattern: RegExp, { commands = [] }: ClaimEvidence, since: number): Doubt | undefined {
  const last = commands
    .filter(({ command }) => pattern.test(command))
    .toSorted((a, b) => a.lastOrder - b.lastOrder)
    .at(-1)
  if (last === undefined || last.ok || last.lastOrder <= since) return undefined
  return { kind: 'refuted', because: `the last run of ${quote(last.command)} failed` }
}

function judgeCommitted(claim: StatedClaim, evidence: ClaimEvidence): Doubt | undefined {
  const { commits, saidAt = Number.POSITIVE_INFINITY } = evidence
  const newest = commits?.at(-1)
  const refused = findRefused(/^git commit\b/, evidence, newest?.order ?? 0)
  if (refused !== undefined) return refused
  if (newest === undefined) return { kind: 'unobserved', because: 'no commit was observed' }
  const edited = getLastEditOrder(evidence)
  return claim.isUniversal && edited > newest.order && edited < saidAt
    ? { kind: 'outdated', because: `code was edited after the last commit (${clip(newest.subject, LINE_CHARS)})` }
    : undefined
}

function judgePushed(evidence: ClaimEvidence): Doubt | undefined {
  const { commits = [], lastPushOrder } = evidence
  const refused = findRefused(/^git push\b/, evidence, lastPushOrder ?? 0)
  if (refused !== undefined) return refused
  if (lastPushOrder === undefined) return { kind: 'unobserved', because: 'no push was observed' }
  const later = commits.find(({ order, isPushed }) => isPushed !== true && order > lastPushOrder)
  return (
    later && { kind: 'outdated', because: `a commit was made after the last push (${clip(later.subject, LINE_CHARS)})` }
  )
}

const DEPLOYS =
  /\b(?:deploy\w*|publish|release|wrangler|vercel|netlify|flyctl|fly|kubectl apply|terraform apply|helm (?:upgrade|install)|docker push|gcloud|serverless|cdk|eb)\b/

function judgeDeployed({ commands = [] }: ClaimEvidence): Doubt | undefined {
  const last = commands
    .filter(({ command }) => DEPLOYS.test(command))
    .toSorted((a, b) => a.lastOrder - b.lastOrder)
    .at(-1)
  if (last === undefined) return { kind: 'unobserved', because: 'no deployment was observed' }
  return last.ok ? undefined : { kind: 'refuted', because: `the last run of ${quote(last.command)} failed` }
}

function judgeCreated({ paths }: StatedClaim, { files = [], isThere }: ClaimEvidence): Doubt | undefined {
  for (const path of paths) {
    const known = files.find(
      (file) => file.path === path || endsWithParts(file.path, path) || endsWithParts(path, file.path),
    )
    const isPresent = isThere?.(path)
    if (isPresent === false) return { kind: 'refuted', because: `\`${path}\` does not exist` }
    if (known?.action === 'deleted' && isPresent !== true)
      return { kind: 'refuted', because: `\`${path}\` was deleted afterwards` }
    if (isPresent === undefined && (known === undefined || known.edits === 0))
      return { kind: 'unobserved', because: `no write of \`${path}\` was observed` }
  }
  return undefined
}

function judge(claim: StatedClaim, evidence: ClaimEvidence): Doubt | undefined {
  const { topic } = claim
  if (isCheckTopic(topic)) return judgeCheck(claim, topic, evidence)
  if (topic === 'committed') return judgeCommitted(claim, evidence)
  if (topic === 'pushed') return judgePushed(evidence)
  if (topic === 'fixed') return judgeFixed(claim, evidence)
  return topic === 'deployed' ? judgeDeployed(evidence) : judgeCreated(claim, evidence)
}

/**
 * The sentences of a text that the observations refute or do not support, in the order of the text. The last run of a check
 * counts, and an edit after it makes its success outdated. What was not observed is `unobserved`, never false.
 *
 * Call it with the work of a checkpoint or of a merged view: `checkClaims(note.summary, view.work)`. For a text that was
 * written before the newest observations, `saidAt` is its order.
 */
export function checkClaims(text: string, evidence: ClaimEvidence): readonly ClaimFinding[] {
  const findings = findClaims(text).flatMap((claim): readonly ClaimFinding[] => {
    const verdict = judge(claim, evidence)
    return verdict === undefined ? [] : [{ claim: claim.text, topic: claim.topic, ...verdict }]
  })
  // A failing test that refutes a repair already refutes the claim about the tests.
  return findings.filter(
    ({ topic, because }) =>
      topic !== 'fixed' || !findings.some((one) => one.topic !== topic && one.because === because),
  )
}
