import * as z from 'zod'
import { HoldfastError } from '../../kernel/errors.ts'
import { canonicalJson } from '../../kernel/json-shape.ts'
import type { SealedBatch, SyncLog, SyncTransport } from '../../kernel/ports/sync-transport.ts'
import type { SpaceTransport } from '../space-transport.ts'
import { type FileTree, TREE_PATH } from './file-tree.ts'

const NAME = /^logs\/([\w.-]+)\/([\w.-]+)\/(\d{12})-(\d{12})\.batch$/
const DOCUMENTS = 'documents/'
const NEWLINE = 10
const MAX_HEADER_BYTES = 2_000
const MAX_DOCUMENT_BYTES = 1_000_000
const MAX_READ_FILES = 200

const HeaderSchema = z.object({
  repository: z.string(),
  machine: z.string(),
  principal: z.string(),
  audience: z.enum(['me', 'team']),
  first: z.int(),
  last: z.int(),
})

interface BatchFile extends Pick<SealedBatch, 'repository' | 'machine' | 'first' | 'last'> {
  readonly path: string
}

function parseName(path: string): BatchFile | undefined {
  const [, repository, machine, first, last] = NAME.exec(path) ?? []
  if (repository === undefined || machine === undefined) return undefined
  const file = { path, repository, machine, first: Number(first), last: Number(last) }
  return file.first >= 1 && file.last >= file.first ? file : undefined
}

function toPath({ repository, machine, first, last }: SealedBatch): string {
  const digits = (number: number) => String(number).padStart(12, '0')
  const path = `logs/${repository}/${machine}/${digits(first)}-${digits(last)}.batch`
  if (!TREE_PATH.test(path) || parseName(path) === undefined)
    throw new HoldfastError('invalid-input', `${path} is not the name of a batch.`)
  return path
}

function encode({ bytes, ...header }: SealedBatch): Uint8Array {
  return new Uint8Array(Buffer.concat([Buffer.from(`${canonicalJson(header)}\n`), bytes]))
}

/** The batch in a file; without content if it is not one, so that its reader refuses it at its place. */
function decode({ repository, machine, first, last }: BatchFile, bytes: Uint8Array): SealedBatch {
  const unreadable: SealedBatch = {
    repository,
    machine,
    principal: '',
    audience: 'me',
    first,
    last,
    bytes: new Uint8Array(),
  }
  const end = bytes.subarray(0, MAX_HEADER_BYTES).indexOf(NEWLINE)
  if (end === -1) return unreadable
  try {
    const header = HeaderSchema.parse(JSON.parse(Buffer.from(bytes.subarray(0, end)).toString('utf8')))
    const isHere =
      header.repository === repository && header.machine === machine && header.first === first && header.last === last
    return isHere ? { ...header, bytes: bytes.subarray(end + 1) } : unreadable
  } catch {
    return unreadable
  }
}

/** A transport on files: a folder, a folder behind ssh, or refs of a git remote. */
export function createTreeTransport(tree: FileTree): SpaceTransport {
  const listFiles = async () => (await tree.list()).flatMap((path) => parseName(path) ?? [])
  const isOf = (log: Pick<SyncLog, 'repository' | 'machine'>) => (file: BatchFile) =>
    file.repository === log.repository && file.machine === log.machine
  const documentPath = (name: string) => {
    const path = `${DOCUMENTS}${name}`
    if (!TREE_PATH.test(path)) throw new HoldfastError('invalid-input', `${name} is not the name of a document.`)
    return path
  }
  const readBatches: SyncTransport['readBatches'] = async ({ repository, machine, after, maxBytes }) => {
    const files = (await listFiles())
      .filter(isOf({ repository, machine }))
      .filter(({ last }) => last > after)
      .toSorted((one, other) => one.first - other.first)
      .slice(0, MAX_READ_FILES)
    const contents = await tree.readMany(
      files.map(({ path }) => path),
      maxBytes,
    )
    return files.flatMap((file, at) => {
      const bytes = contents[at]
      return bytes === undefined ? [] : [decode(file, bytes)]
    })
  }
  return {
    async listLogs() {
      const heads = new Map<string, SyncLog>()
      for (const { repository, machine, last } of await listFiles()) {
        const name = `${repository}/${machine}`
        if (last > (heads.get(name)?.head ?? 0)) heads.set(name, { repository, machine, head: last })
      }
      return [...heads.values()]
    },
    readBatches,
    async appendBatch(batch) {
      const path = toPath(batch)
      const content = encode(batch)
      const own = (await listFiles()).filter(isOf(batch))
      const head = own.reduce((highest, { last }) => Math.max(highest, last), 0)
      const isNext = batch.first === head + 1
      if (isNext && (await tree.create(path, content))) return
      const [there] = await tree.readMany([path], content.length + 1)
      if (there !== undefined && Buffer.compare(there, content) === 0) return
      throw new HoldfastError(
        'conflict',
        isNext || batch.first <= head
          ? `The space has other records ${batch.first} to ${batch.last} of this machine.`
          : `The space has lost records of this machine: it ends at ${head}, and ${batch.first} would follow.`,
        {
          hint: 'If a second home has the keys of this one, remove them there. Else run `holdfast sync remove` and `holdfast sync add`.',
        },
      )
    },
    async listDocuments(prefix) {
      return (await tree.list()).flatMap((path) => {
        const name = path.startsWith(DOCUMENTS) && TREE_PATH.test(path) ? path.slice(DOCUMENTS.length) : ''
        return name !== '' && name.startsWith(prefix) ? [name] : []
      })
    },
    readDocument: async (name) => (await tree.readMany([documentPath(name)], MAX_DOCUMENT_BYTES))[0],
    writeDocument: (name, bytes) => tree.replace(documentPath(name), bytes),
    async forgetMachine(machine) {
      const paths = await tree.list()
      const isOwn = (path: string) => {
        const file = parseName(path)
        if (file !== undefined) return file.machine === machine
        return (
          path === documentPath(`members/${machine}`) ||
          (path.startsWith(`${DOCUMENTS}keys/`) && path.endsWith(`/${machine}`))
        )
      }
      const others = paths.some((path) => path.startsWith(`${DOCUMENTS}members/`) && !isOwn(path))
      // The last one to leave takes everything with it.
      const removed = others ? paths.filter(isOwn) : paths.filter((path) => /^(?:logs|documents)\//.test(path))
      await tree.remove(removed)
      return removed.length
    },
    [Symbol.asyncDispose]: () => tree.close(),
  }
}
