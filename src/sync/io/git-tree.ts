import { mkdir } from 'node:fs/promises'
import { HoldfastError } from '../../kernel/errors.ts'
import { ensurePrivateDir } from '../../platform/files/atomic-file.ts'
import { type GitRun, runGitFully } from '../../platform/git/git-command.ts'
import { type FileTree, TREE_PATH } from './file-tree.ts'

const REF = 'refs/holdfast/'
const MACHINE = /^[\w-]{1,64}$/

export interface GitTreeOptions {
  /** A URL, or the path of a repository. */
  readonly url: string
  /** A repository of ours in the home. */
  readonly dir: string
  readonly machine: string
}

const SETTINGS = ['core.hooksPath=/dev/null', 'user.name=holdfast', 'user.email=holdfast@localhost']

/** Which machine may have this file in its ref; undefined: any. */
function findOwner(path: string): string | undefined {
  const [top, kind, ...names] = path.split('/')
  if (top === 'logs') return names[0]
  if (kind === 'members') return names[0]
  return kind === 'keys' ? names[1] : undefined
}

/** Refs of a git remote, one for each machine, which only that machine writes. Branches and tags are not touched. */
export async function openGitTree({ url, dir, machine }: GitTreeOptions): Promise<FileTree> {
  const own = `${REF}${machine}`
  if (!MACHINE.test(machine)) throw new HoldfastError('invalid-input', `${machine} cannot be the name of a ref.`)

  const attempt = (args: readonly string[], input?: Buffer | string): Promise<GitRun> =>
    runGitFully(dir, args, { actor: 'owner', settings: SETTINGS, ...(input !== undefined && { input }) })

  async function run(args: readonly string[], input?: Buffer | string): Promise<Buffer> {
    const { exitStatus, stdout, stderr } = await attempt(args, input)
    if (exitStatus === 0) return stdout
    throw new HoldfastError('store-unavailable', `git ${args[0] ?? ''} failed for ${url}: ${stderr.trim()}`, {
      hint: 'Try `git ls-remote` with that address by hand. Holdfast never asks for a password: use a key or a credential helper.',
    })
  }

  await mkdir(dir, { recursive: true })
  ensurePrivateDir(dir)
  const created = await runGitFully(dir, ['init', '--quiet'], { actor: 'owner', isOutside: true })
  if (created.exitStatus !== 0)
    throw new HoldfastError('store-unavailable', `git did not create ${dir}: ${created.stderr.trim()}`)
  await run(['fetch', '--quiet', '--no-tags', '--prune', '--no-write-fetch-head', '--', url, `+${REF}*:${REF}*`])

  const text = async (args: readonly string[], input?: Buffer | string) =>
    (await run(args, input)).toString('utf8').trim()

  async function readRefs(): Promise<ReadonlyMap<string, string>> {
    const files = new Map<string, string>()
    const refs = (await text(['for-each-ref', '--format=%(refname)', REF])).split('\n').filter(Boolean)
    for (const ref of refs.toSorted()) {
      const paths = (await run(['ls-tree', '-r', '-z', '--name-only', ref])).toString('utf8').split('\0')
      for (const path of paths) {
        if (!TREE_PATH.test(path) || files.has(path)) continue
        const owner = findOwner(path)
        if (owner === undefined || ref === `${REF}${owner}`) files.set(path, ref)
      }
    }
    return files
  }

  async function findHead(): Promise<string | undefined> {
    const found = await attempt(['rev-parse', '--quiet', '--verify', own])
    return found.exitStatus === 0 ? found.stdout.toString('utf8').trim() : undefined
  }

  let files = new Map(await readRefs())

  async function push(commit: string): Promise<void> {
    const { exitStatus, stderr } = await attempt(['push', '--quiet', '--', url, `${commit}:${own}`])
    if (exitStatus === 0) return
    if (/non-fast-forward|fetch first|stale info/.test(stderr))
      throw new HoldfastError('conflict', `${own} of ${url} was changed by something else.`, {
        hint: 'Run the exchange again. If a second home has the keys of this one, remove them there.',
      })
    throw new HoldfastError('store-unavailable', `git push failed for ${url}: ${stderr.trim()}`)
  }

  /** Commits the index on top of the own ref and pushes it; nothing changes here unless the remote has it. */
  async function publish(change: () => Promise<unknown>): Promise<void> {
    const head = await findHead()
    await run(['read-tree', ...(head === undefined ? ['--empty'] : [head])])
    await change()
    const tree = await text(['write-tree'])
    const parent = head === undefined ? [] : ['-p', head]
    const commit = await text(['commit-tree', ...parent, '-m', 'holdfast', tree])
    await push(commit)
    await run(['update-ref', own, commit])
    files = new Map(await readRefs())
  }

  async function put(path: string, bytes: Uint8Array): Promise<void> {
    const blob = await text(['hash-object', '-w', '--stdin', '--no-filters'], Buffer.from(bytes))
    await publish(() => run(['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`]))
  }

  return {
    list: async () => [...files.keys()].toSorted(),
    async readMany(paths, maxBytes) {
      const contents: (Uint8Array | undefined)[] = []
      let bytes = 0
      for (const path of paths) {
        if (contents.length > 0 && bytes >= maxBytes) break
        const ref = files.get(path)
        const content = ref === undefined ? undefined : await run(['cat-file', 'blob', `${ref}:${path}`])
        bytes += content?.length ?? 0
        contents.push(content === undefined ? undefined : new Uint8Array(content))
      }
      return contents
    },
    async create(path, bytes) {
      if (files.has(path)) return false
      await put(path, bytes)
      return true
    },
    replace: put,
    async remove(paths) {
      const isOwn = (path: string) => files.get(path) === own
      const removed = paths.filter(isOwn)
      if (removed.length === 0) return
      const isAll = [...files.keys()].filter(isOwn).every((path) => removed.includes(path))
      if (isAll) {
        await push('')
        await run(['update-ref', '-d', own])
        files = new Map(await readRefs())
      } else await publish(() => run(['update-index', '--force-remove', '--', ...removed]))
    },
    close: async () => undefined,
  }
}
