import type { Checkpoint } from '../../../kernel/checkpoint.ts'
import { redactCheckpoint } from '../../../redaction/redact-checkpoint.ts'
import { CheckpointId, ProjectId, SessionId, SessionKey } from '../../../kernel/id.ts'
import type { Memory } from '../../../kernel/memory.ts'
import type { Redactor } from '../../../kernel/ports/ports.ts'
import type { Place } from '../../../kernel/project.ts'
import { runGitFully } from '../../../platform/git/git-write.ts'
import { MAX_COMMITS } from '../../../wire/transfer.ts'
import { composePatch } from '../../../tasks/patch/patch-bundle.ts'
import type { HandoffContent } from './bundle.ts'
import { isPlainPath } from './safe-paths.ts'

interface Places {
  /** Folders that the receiver's checkout stands for. */
  readonly checkouts: readonly string[]
  /** The person's own folder. */
  readonly userHome: string
}

/** Every folder by which a place names its checkout, where it was before included. */
function foldersOf({ project, projectNormalized, worktree, formerWorktree }: Place): readonly string[] {
  return [project, projectNormalized, worktree, ...(formerWorktree === undefined ? [] : [formerWorktree])]
}

function escaped(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)
}

const ON_WINDOWS = /^([A-Za-z]):[\\/]|^\\\\/

/** However a program of Windows writes it: either separator, doubled where a text quotes it, and `/c/` in Git Bash. */
function windowsFolder(folder: string): RegExp {
  const [drive = '', ...names] = folder.split(/[\\/]+/)
  const first = drive === '' ? '' : String.raw`(?:${escaped(drive)}|\/${escaped(drive.slice(0, 1))})`
  const way = [first, ...names].map((name, n) => (n === 0 ? name : escaped(name))).join(String.raw`[\\/]{1,2}`)
  return new RegExp(String.raw`(?<![\w.-])${way}(?![\w.-])([\\/]{1,2}(?=[\w.@~-]))?`, 'gi')
}

/** Where the folder itself is meant, not one whose name begins like it. */
function asFolder(folder: string): RegExp {
  if (ON_WINDOWS.test(folder)) return windowsFolder(folder.replace(/[\\/]+$/, ''))
  return new RegExp(String.raw`(?<![\w.-])${escaped(folder)}(?![\w.-])(\/(?=[\w.@~-]))?`, 'g')
}

function byLength(a: string, b: string): number {
  return b.length - a.length
}

/** Also leaves out where on this machine things are: what was in the checkout is relative to it, the rest of a home is `~`. */
export function withoutPlaces(redactor: Redactor, { checkouts, userHome }: Places): Redactor {
  const isFolder = (path: string) => path.length > 1
  const here = [...new Set(checkouts)].filter(isFolder).toSorted(byLength).map(asFolder)
  const home = [userHome].filter(isFolder).map(asFolder)
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

/** What another machine can make use of: no path and no id of this one. */
function portable(checkpoint: Checkpoint): Checkpoint {
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
    work: { ...work, files: work.files.filter(hasPlainPath), named: work.named?.filter(hasPlainPath) },
  }
}

/** HEAD and those before it; none without git and before the first commit. */
async function commitsOf(root: string): Promise<readonly string[]> {
  const { exitStatus, stdout } = await runGitFully(root, [
    'rev-list',
    '--first-parent',
    `--max-count=${MAX_COMMITS}`,
    'HEAD',
  ])
  return exitStatus === 0 ? stdout.toString().trim().split('\n') : []
}

export interface ComposeInput {
  readonly root: string
  /** The person's own folder, which stays untold. */
  readonly userHome: string
  readonly checkpoint: Checkpoint
  /** Where else the project was seen on this machine: memories may name its folders of then. */
  readonly places: readonly Place[]
  readonly memories: readonly Memory[]
  readonly redactor: Redactor
  readonly now: string
}

export interface Composed {
  readonly content: HandoffContent
  /** Why there is no patch; undefined when there is one. */
  readonly withoutPatch: string | undefined
}

export async function composeHandoff(input: ComposeInput): Promise<Composed> {
  const { root, redactor, now, userHome, places, checkpoint } = input
  const checkouts = [root, ...[checkpoint.place, ...places].flatMap(foldersOf)]
  const traveller = withoutPlaces(redactor, { checkouts, userHome })
  const work = await composePatch({ root, redactor }, { withoutLinks: true })
  const isTooLarge = work.kind === 'patch' && work.patch.length > MAX_PATCH_BYTES
  const commits = await commitsOf(root)
  const patch = work.kind === 'patch' && !isTooLarge ? { patch: work.patch.toString('base64'), base: commits[0] } : {}
  return {
    content: {
      madeAt: now,
      checkpoint: portable(redactCheckpoint(checkpoint, traveller)),
      memories: input.memories.map(({ type, content, importance, tags }) => ({
        type,
        content: traveller.redact(content),
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
