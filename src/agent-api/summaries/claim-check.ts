import type {
  CheckedSummary,
  RefutedClaim,
  ResolvedProject,
  SessionSummary,
  ChecklistItem,
  ChecklistView,
} from '../../kernel/agent-records.ts'
import type { Checkpoint, CommandPurpose } from '../../kernel/checkpoint.ts'
import { baseName, isScratch, relativePath } from '../../kernel/paths/paths.ts'
import { clip } from '../../kernel/text/text.ts'
import type { AgentApiPorts } from '../ports.ts'
import { type StatedFacts, findStatedFacts } from '../../checkpoint/work/claims.ts'

/** The newest observed run of its kind in a worktree. */
interface ObservedRun {
  readonly command: string
  readonly ok: boolean
  readonly failing: readonly string[]
  /** Files were edited after it. */
  readonly isOutdated: boolean
  readonly at: string
}

const MAX_FAILING = 3

function getLastEditOrder({ work }: Checkpoint): number {
  return Math.max(0, ...work.files.filter((file) => file.edits > 0).map((file) => file.lastOrder))
}

/** `newestFirst`: the checkpoints of one worktree. Orders compare within a session only. */
function findNewestRun(newestFirst: readonly Checkpoint[], purpose: CommandPurpose): ObservedRun | undefined {
  let hasLaterEdits = false
  let laterSession: string | undefined
  for (const checkpoint of newestFirst) {
    const runs = checkpoint.work.commands.filter((command) => command.purpose === purpose)
    const run = runs.toSorted((a, b) => b.lastOrder - a.lastOrder)[0]
    const lastEdit = getLastEditOrder(checkpoint)
    if (run !== undefined) {
      return {
        command: run.command,
        ok: run.ok,
        failing: checkpoint.work.tests
          .filter((test) => test.status === 'failing')
          .map((test) => test.name)
          .slice(0, MAX_FAILING),
        isOutdated: hasLaterEdits || lastEdit > run.lastOrder,
        at: checkpoint.createdAt,
      }
    }
    // Checkpoints of one session repeat its files, so only edits of another session are later.
    if (checkpoint.sessionId !== laterSession && lastEdit > 0) hasLaterEdits = true
    laterSession = checkpoint.sessionId
  }
  return undefined
}

const STUB =
  /\b(?:TODO|FIXME|XXX)\b|\bnot[ _-]?(?:yet[ _-]?)?implemented\b|\bNotImplemented(?:Error|Exception)?\b|\b(?:unimplemented|todo)!\(|\bplaceholder\b|\breplace[ -]me\b|\bstub(?:bed)?\b/i
const MAX_LINE_CHARS = 2_000

interface Stub {
  /** 1-based. */
  readonly line: number
  readonly text: string
}

/** The first line of a source that says it is unfinished. */
function findStub(source: string): Stub | undefined {
  const lines = source.split('\n')
  const index = lines.findIndex((line) => line.length <= MAX_LINE_CHARS && STUB.test(line))
  return index < 0 ? undefined : { line: index + 1, text: clip(lines[index] ?? '', 80) }
}

const MAX_REFUTED = 12
const MAX_SOURCES = 20
const MAX_SOURCE_BYTES = 400_000

const PURPOSE: Readonly<Record<StatedFacts['runs'][number]['topic'], CommandPurpose>> = {
  tests: 'test',
  build: 'build',
  lint: 'lint',
}

/** What is known independently of the summary. */
export interface ClaimContext {
  readonly project: ResolvedProject
  /** Of the worktree, newest first. */
  readonly checkpoints: readonly Checkpoint[]
  readonly checklist: ChecklistView | undefined
  readonly entityNames: ReadonlySet<string>
}

type ClaimCheckPorts = Pick<AgentApiPorts, 'files' | 'history'>

function checkRun(text: string, run: ObservedRun | undefined): readonly RefutedClaim[] {
  if (run === undefined) return [{ claim: text, because: 'no such run was observed' }]
  const failing = run.failing.length === 0 ? '' : ` (failing: ${run.failing.join(', ')})`
  if (!run.ok) return [{ claim: text, because: `\`${run.command}\` failed when it last ran${failing}` }]
  return run.isOutdated ? [{ claim: text, because: `\`${run.command}\` passed, but files were edited after it` }] : []
}

function checkProgress(
  progress: Readonly<Record<string, string>>,
  checklist: ChecklistView | undefined,
): readonly RefutedClaim[] {
  if (checklist === undefined) return []
  const isDone = (status: string) => /^(?:done|verified|complete[d]?|x|✅)$/i.test(status.trim())
  const findItem = (key: string): ChecklistItem | undefined =>
    checklist.items.find((item) => item.id === key || item.text === key) ??
    checklist.items.find((item) => key.length >= 3 && item.text.toLowerCase().includes(key.toLowerCase()))
  return Object.entries(progress).flatMap(([key, status]) => {
    const item = findItem(key)
    if (!isDone(status) || item === undefined || item.status === 'done' || item.status === 'verified') return []
    return [
      { claim: clip(`${key}: ${status}`, 140), because: `CHECKLIST.md line ${item.line} has it as ${item.status}` },
    ]
  })
}

/** Claims of a summary that disk, checklist or observed runs refute. What cannot be checked is not refuted. */
export function createClaimCheck(deps: ClaimCheckPorts) {
  async function findMissingPaths(paths: readonly string[], context: ClaimContext): Promise<readonly string[]> {
    const { worktree, isOnDisk, rootPath } = context.project
    if (!isOnDisk) return []
    const deleted = new Set(
      context.checkpoints.flatMap(({ work }) =>
        work.files.filter((file) => file.action === 'deleted').map((file) => file.path),
      ),
    )
    const normal = paths.flatMap((path) => relativePath(path, { worktree, cwd: rootPath }) ?? [])
    const candidates = [...new Set(normal)].filter((path) => !isScratch(path) && !deleted.has(path))
    const absent: string[] = []
    for (const path of candidates) {
      const isThere =
        (await deps.files.facts(`${worktree}/${path}`)) !== undefined ||
        (await deps.files.isDirectory(`${worktree}/${path}`))
      if (!isThere) absent.push(path)
    }
    if (absent.length === 0) return []
    // `lib/auth.ts` may be short for a longer path: a path is missing only when no file ends in it.
    const known = await deps.history.filesNamed(worktree, [...new Set(absent.map(baseName))])
    return known === undefined
      ? absent.filter((path) => path.includes('/'))
      : absent.filter((path) => !known.some((file) => file === path || file.endsWith(`/${path}`)))
  }

  async function checkCompleteness(
    said: StatedFacts,
    sources: readonly string[],
    context: ClaimContext,
  ): Promise<readonly RefutedClaim[]> {
    const [claim] = said.complete
    if (claim === undefined) return []
    const reasons: string[] = []
    for (const path of sources.slice(0, MAX_SOURCES)) {
      const text = await deps.files.readText(`${context.project.worktree}/${path}`, MAX_SOURCE_BYTES)
      const stub = text === undefined ? undefined : findStub(text)
      if (stub !== undefined) reasons.push(`${path}:${stub.line} still says "${stub.text}"`)
      if (reasons.length >= 3) break
    }
    const open = context.checklist?.items.filter((item) => item.status !== 'done' && item.status !== 'verified') ?? []
    if (open.length > 0) reasons.push(`CHECKLIST.md has ${open.length} open item${open.length === 1 ? '' : 's'}`)
    const run = findNewestRun(context.checkpoints, 'test')
    if (run === undefined) reasons.push('no test run was observed')
    else reasons.push(...checkRun(claim, run).map(({ because }) => because))
    return reasons.length === 0 ? [] : [{ claim, because: reasons.join('; ') }]
  }

  async function checkSummary(summary: SessionSummary, context: ClaimContext): Promise<readonly RefutedClaim[]> {
    const said = findStatedFacts(summary.summary)
    const named = [...summary.filesChanged, ...said.paths]
    const missing = await findMissingPaths(named, context)
    const { worktree, rootPath } = context.project
    const sources = named.flatMap((path) => relativePath(path, { worktree, cwd: rootPath }) ?? [])
    const edited = context.checkpoints
      .filter((checkpoint) => checkpoint.sessionId === summary.sessionId)
      .slice(0, 1)
      .flatMap(({ work }) => work.files.filter((file) => file.edits > 0).map((file) => file.path))
    const readable = [...new Set([...sources, ...edited])].filter((path) => !isScratch(path) && !missing.includes(path))
    return [
      ...said.runs.flatMap(({ topic, text }) => checkRun(text, findNewestRun(context.checkpoints, PURPOSE[topic]))),
      ...(await checkCompleteness(said, readable, context)),
      ...missing.map((path) => ({ claim: path, because: 'the file does not exist' })),
      ...summary.entitiesRegistered
        .filter((name) => !context.entityNames.has(name))
        .map((name) => ({ claim: clip(name, 140), because: 'no entity of that name is registered' })),
      ...checkProgress(summary.checklistProgress, context.checklist),
    ].slice(0, MAX_REFUTED)
  }

  return async (summaries: readonly SessionSummary[], context: ClaimContext): Promise<readonly CheckedSummary[]> => {
    const checked: CheckedSummary[] = []
    for (const summary of summaries) checked.push({ ...summary, doubts: await checkSummary(summary, context) })
    return checked
  }
}
