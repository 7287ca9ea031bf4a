import type { Checkpoint } from '../../../kernel/checkpoint.ts'
import { redactCheckpoint } from '../../../redaction/redact-checkpoint.ts'
import { CheckpointId, ProjectId, SessionId, SessionKey } from '../../../kernel/id.ts'
import type { Memory } from '../../../kernel/memory.ts'
import type { Redactor } from '../../../kernel/ports/ports.ts'
import type { Location } from '../../../kernel/location.ts'
import { runGitFully } from '../../../platform/git/git-command.ts'
import { MAX_COMMITS } from '../../../wire/checkpoint.ts'
import { composePatch } from '../../../tasks/patch/patch-bundle.ts'
import type { HandoffContent } from './bundle.ts'
import { isPlainPath } from './safe-paths.ts'
import type { CheckpointUseCases } from '../../../checkpoint/use-cases.ts'
import { HoldfastError } from '../../../kernel/errors.ts'
import type { Session } from '../../../kernel/session.ts'
import { findWork } from '../../../recovery/find-work.ts'

/** How many sessions are looked at for one that did work. */
const CANDIDATES = 40

/** The checkpoint of the work that a session starting here would continue, or of a live one, updated first. */
export async function getWorkCheckpoint(
  continuity: Pick<CheckpointUseCases, 'checkpoint' | 'listCheckpoints'>,
  start: { readonly place: Location; readonly cwd: string },
  known: readonly Session[],
): Promise<Checkpoint> {
  const { projectId, worktree, formerWorktree } = start.place
  for (const folder of [worktree, formerWorktree]) {
    if (folder === undefined) continue
    const sessions = known.filter(({ place }) => place?.worktree === folder).slice(0, CANDIDATES)
    const findNewest = async ({ id, key, hasNewWork }: Session) => {
      if (hasNewWork) await continuity.checkpoint(id, 'periodic')
      const stored = await continuity.listCheckpoints({ projectId, sessionKey: key, limit: 5 })
      return stored.find(({ checkpoint }) => checkpoint.sessionId === id)?.checkpoint
    }
    const work = await findWork({ sessions, findNewest }, start)
    if (work !== undefined) return work
    const [stored] = await continuity.listCheckpoints({ projectId, worktree: folder, limit: 1 })
    if (stored !== undefined) return stored.checkpoint
  }
  throw new HoldfastError('not-found', `No work is recorded in ${worktree}.`, {
    hint: 'Work in a connected harness there, or run `holdfast import`.',
  })
}

interface MachinePaths {
  /** Folders that the receiver's checkout replaces. */
  readonly checkouts: readonly string[]
  /** The user's home folder. */
  readonly userHome: string
}

/** Every folder of a location's checkout, including its former one. */
function listFolders({ project, projectNormalized, worktree, formerWorktree }: Location): readonly string[] {
  return [project, projectNormalized, worktree, ...(formerWorktree === undefined ? [] : [formerWorktree])]
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)
}

const ON_WINDOWS = /^([A-Za-z]):[\\/]|^\\\\/

/** A Windows folder in any spelling: either separator, doubled in quoted text, and `/c/` in Git Bash. */
function createWindowsPattern(folder: string): RegExp {
  const [drive = '', ...names] = folder.split(/[\\/]+/)
  const first = drive === '' ? '' : String.raw`(?:${escapeRegExp(drive)}|\/${escapeRegExp(drive.slice(0, 1))})`
  const way = [first, ...names].map((name, n) => (n === 0 ? name : escapeRegExp(name))).join(String.raw`[\\/]{1,2}`)
  return new RegExp(String.raw`(?<![\w.-])${way}(?![\w.-])([\\/]{1,2}(?=[\w.@~-]))?`, 'gi')
}

/** Matches the folder itself, not one whose name only begins like it. */
function createFolderPattern(folder: string): RegExp {
  if (ON_WINDOWS.test(folder)) return createWindowsPattern(folder.replace(/[\\/]+$/, ''))
  return new RegExp(String.raw`(?<![\w.-])${escapeRegExp(folder)}(?![\w.-])(\/(?=[\w.@~-]))?`, 'g')
}

function byLength(a: string, b: string): number {
  return b.length - a.length
}

/** Also removes paths of this machine: those in the checkout become relative to it, the rest of the home becomes `~`. */
export function withoutLocations(redactor: Redactor, { checkouts, userHome }: MachinePaths): Redactor {
  const isFolder = (path: string) => path.length > 1
  const here = [...new Set(checkouts)].filter(isFolder).toSorted(byLength).map(createFolderPattern)
  const home = [userHome].filter(isFolder).map(createFolderPattern)
  const clean = (text: string): string => {
    const inCheckout = here.reduce(
      (left, folder) => left.replaceAll(folder, (_, slash?: string) => (slash === undefined ? '.' : '')),
      text,
    )
    return home.reduce((left, folder) => left.replaceAll(folder, (_, slash?: string) => `~${slash ?? ''}`), inCheckout)
  }
  return {
    findings: (text) => redactor.findings(text),
    isPiece: (text) => redactor.isPiece(text),
    redact: (text) => clean(redactor.redact(text)),
    redactAll: (texts) => redactor.redactAll(texts).map(clean),
  }
}

const MAX_PATCH_BYTES = 16_000_000

/** The parts that another machine can use: without paths and ids of this one. */
function toPortable(checkpoint: Checkpoint): Checkpoint {
  const { branch, head } = checkpoint.place
  const { parentId: _parentId, task: _task, ...rest } = checkpoint
  const { dirty, work } = checkpoint
  const hasPlainPath = ({ path }: { readonly path: string }) => isPlainPath(path)
  return {
    ...rest,
    id: CheckpointId('handoff'),
    sessionId: SessionId('handoff'),
    sessionKey: SessionKey('handoff'),
    eventSeq: 0,
    place: { projectId: ProjectId('handoff'), project: '', projectNormalized: '', worktree: '', branch, head },
    dirty: dirty === undefined ? undefined : { ...dirty, paths: dirty.paths.filter(isPlainPath) },
    work: { ...work, files: work.files.filter(hasPlainPath) },
  }
}

/** HEAD and the commits before it; empty without git and before the first commit. */
async function listCommits(root: string): Promise<readonly string[]> {
  const { exitStatus, stdout } = await runGitFully(root, [
    'rev-list',
    '--first-parent',
    `--max-count=${MAX_COMMITS}`,
    'HEAD',
  ])
  return exitStatus === 0 ? stdout.toString().trim().split('\n') : []
}

export interface BundleInput {
  readonly root: string
  /** The user's home folder, which is removed from all texts. */
  readonly userHome: string
  readonly checkpoint: Checkpoint
  /** Other locations of the project on this machine: memories may name them. */
  readonly places: readonly Location[]
  readonly memories: readonly Memory[]
  readonly redactor: Redactor
  readonly now: string
}

export interface HandoffDraft {
  readonly content: HandoffContent
  /** Why there is no patch; undefined when there is one. */
  readonly withoutPatch: string | undefined
}

export async function composeHandoff(input: BundleInput): Promise<HandoffDraft> {
  const { root, redactor, now, userHome, places, checkpoint } = input
  const checkouts = [root, ...[checkpoint.place, ...places].flatMap(listFolders)]
  const portableRedactor = withoutLocations(redactor, { checkouts, userHome })
  const work = await composePatch({ root, redactor }, { withoutLinks: true })
  const isTooLarge = work.kind === 'patch' && work.patch.length > MAX_PATCH_BYTES
  const commits = await listCommits(root)
  const patch = work.kind === 'patch' && !isTooLarge ? { patch: work.patch.toString('base64'), base: commits[0] } : {}
  return {
    content: {
      madeAt: now,
      checkpoint: toPortable(redactCheckpoint(checkpoint, portableRedactor)),
      memories: input.memories.map(({ type, content, importance, tags }) => ({
        type,
        content: portableRedactor.redact(content),
        importance,
        tags: [...tags],
      })),
      ...patch,
      ...(commits.length === 0 ? {} : { commits }),
      leftOut: work.kind === 'patch' ? work.leftOut.filter(isPlainPath) : [],
    },
    withoutPatch: work.kind === 'none' ? work.reason : isTooLarge ? 'it is larger than a bundle carries' : undefined,
  }
}
