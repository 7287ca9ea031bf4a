import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { bytesOf, descriptorPath, splitArguments, type TracedCall } from './trace.ts'

export interface Span {
  readonly begin: number
  readonly end: number
}

export type DataChange = Span &
  (
    | { readonly kind: 'write'; readonly offset: number; readonly bytes: Buffer }
    | { readonly kind: 'truncate'; readonly length: number }
  )

export class FileNode {
  readonly kind = 'file'
  /** As it was when the recording began. */
  readonly before: Buffer
  readonly changes: DataChange[] = []
  size: number

  constructor(before: Buffer = Buffer.alloc(0)) {
    this.before = before
    this.size = before.length
  }
}

export class FolderNode {
  readonly kind = 'folder'
  readonly before: ReadonlyMap<string, DiskNode>
  readonly entries: Map<string, DiskNode>

  constructor(before: ReadonlyMap<string, DiskNode> = new Map()) {
    this.before = before
    this.entries = new Map(before)
  }
}

export type DiskNode = FileNode | FolderNode

interface EntryChange {
  readonly folder: FolderNode
  readonly name: string
  /** Absent: the name goes. */
  readonly node?: DiskNode
}

/** One call that changes names; a rename changes two at once. */
export interface NameChange extends Span {
  readonly isMkdir: boolean
  readonly entries: readonly EntryChange[]
}

export interface Sync extends Span {
  readonly node: DiskNode
  readonly path: string
}

const IGNORED = /(?:^|\/)\.git(?:\/|$)|-shm$/

function readFolder(path: string): FolderNode {
  const entries = new Map<string, DiskNode>()
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const below = join(path, entry.name)
    if (IGNORED.test(below)) continue
    if (entry.isDirectory()) entries.set(entry.name, readFolder(below))
    else if (entry.isFile()) entries.set(entry.name, new FileNode(readFileSync(below)))
  }
  return new FolderNode(entries)
}

/** What happened to one folder and everything below it, call by call. What is there at the start is durable. */
export class DiskHistory {
  readonly root: string
  readonly rootNode: FolderNode
  readonly files = new Set<FileNode>()
  readonly names: NameChange[] = []
  readonly syncs: Sync[] = []
  /** Writes to a database file itself, which only a WAL checkpoint makes. */
  readonly databaseWrites: Span[] = []
  /** By thread and descriptor: `/proc/self/fd/<n>` stands in arguments. */
  readonly #folders = new Map<string, string>()

  constructor(root: string) {
    this.root = root
    this.rootNode = readFolder(root)
  }

  /** The path below the root as names; undefined for what is not followed. */
  #namesOf(path: string | undefined): readonly string[] | undefined {
    if (path === undefined || IGNORED.test(path)) return undefined
    if (path === this.root) return []
    return path.startsWith(`${this.root}/`) ? path.slice(this.root.length + 1).split('/') : undefined
  }

  find(path: string | undefined): DiskNode | undefined {
    let node: DiskNode | undefined = this.rootNode
    const names = this.#namesOf(path)
    if (names === undefined) return undefined
    for (const name of names) node = node?.kind === 'folder' ? node.entries.get(name) : undefined
    return node
  }

  #folderOf(path: string): FolderNode | undefined {
    if (this.#namesOf(path) === undefined) return undefined
    const folder = this.find(dirname(path))
    if (folder?.kind !== 'folder') throw new Error(`the recording does not know the folder of ${path}`)
    return folder
  }

  #pathOf(call: TracedCall, text: string, base?: string): string {
    const path = bytesOf(text).toString('utf8')
    const pinned = /^\/proc\/self\/fd\/(\d+)(.*)$/s.exec(path)
    if (pinned !== null) return `${this.#folders.get(`${call.pid}:${pinned[1]}`) ?? '/unknown'}${pinned[2]}`
    return resolve((base === undefined ? undefined : descriptorPath(base)) ?? '/unknown', path)
  }

  #change(call: Span, entries: readonly (EntryChange | undefined)[], isMkdir = false): void {
    const known = entries.filter((entry) => entry !== undefined)
    if (known.length === 0) return
    for (const { folder, name, node } of known) {
      if (node === undefined) folder.entries.delete(name)
      else folder.entries.set(name, node)
    }
    this.names.push({ begin: call.begin, end: call.end, isMkdir, entries: known })
  }

  #entry(path: string, node?: DiskNode): EntryChange | undefined {
    const folder = this.#folderOf(path)
    return folder && { folder, name: basename(path), ...(node && { node }) }
  }

  #open(call: TracedCall, flags: string): void {
    const path = descriptorPath(call.result)
    if (path === undefined) return
    this.#folders.set(`${call.pid}:${Number.parseInt(call.result, 10)}`, path)
    if (this.#namesOf(path) === undefined || !/O_CREAT|O_TRUNC/.test(flags)) return
    const known = this.find(path)
    if (known === undefined) {
      const file = new FileNode()
      this.files.add(file)
      this.#change(call, [this.#entry(path, file)])
    } else if (known.kind === 'file' && flags.includes('O_TRUNC') && known.size > 0) this.#truncate(call, known, 0)
  }

  #truncate({ begin, end }: Span, file: FileNode, length: number): void {
    this.files.add(file)
    file.changes.push({ begin, end, kind: 'truncate', length })
    file.size = length
  }

  #write(call: TracedCall, descriptor: string, read: () => Buffer, offset?: number): void {
    const path = descriptorPath(descriptor)
    const file = this.find(path)
    if (file?.kind !== 'file' || path === undefined) return
    const { begin, end } = call
    // A plain write appends: nothing in the product moves a descriptor back.
    const at = offset ?? file.size
    const written = read().subarray(0, Number.parseInt(call.result, 10))
    this.files.add(file)
    file.changes.push({ begin, end, kind: 'write', offset: at, bytes: written })
    file.size = Math.max(file.size, at + written.length)
    if (path.endsWith('.db')) this.databaseWrites.push({ begin, end })
  }

  #move(call: TracedCall, from: string, to: string): void {
    const node = this.find(from)
    if (node === undefined && this.#namesOf(to) !== undefined) throw new Error(`${to} comes from outside the recording`)
    this.#change(call, [this.#entry(from), node && this.#entry(to, node)])
  }

  /** Takes calls in the order in which they returned. */
  follow(call: TracedCall): void {
    const [first = '', second = '', third = '', fourth = ''] = splitArguments(call.args)
    switch (call.name) {
      case 'open':
        return this.#open(call, second)
      case 'openat':
        return this.#open(call, third)
      case 'creat':
        return this.#open(call, 'O_CREAT|O_TRUNC')
      case 'mkdir':
        return this.#makeFolder(call, this.#pathOf(call, first))
      case 'mkdirat':
        return this.#makeFolder(call, this.#pathOf(call, second, first))
      case 'rmdir':
      case 'unlink':
        return this.#change(call, [this.#entry(this.#pathOf(call, first))])
      case 'unlinkat':
        return this.#change(call, [this.#entry(this.#pathOf(call, second, first))])
      case 'rename':
        return this.#move(call, this.#pathOf(call, first), this.#pathOf(call, second))
      case 'renameat':
      case 'renameat2':
        return this.#move(call, this.#pathOf(call, second, first), this.#pathOf(call, fourth, third))
      case 'link':
        return this.#link(call, this.#pathOf(call, first), this.#pathOf(call, second))
      case 'linkat':
        return this.#link(call, this.#pathOf(call, second, first), this.#pathOf(call, fourth, third))
      case 'write':
        return this.#write(call, first, () => bytesOf(second))
      case 'writev':
        return this.#write(call, first, () => gather(second))
      case 'pwrite64':
        return this.#write(call, first, () => bytesOf(second), Number(fourth))
      case 'pwritev':
        return this.#write(call, first, () => gather(second), Number(fourth))
      case 'ftruncate': {
        const file = this.find(descriptorPath(first))
        if (file?.kind === 'file') this.#truncate(call, file, Number(second))
        return undefined
      }
      case 'fsync':
      case 'fdatasync':
        return this.#sync(call, descriptorPath(first))
      default:
        return this.#refuse(call, [first, third])
    }
  }

  #makeFolder(call: TracedCall, path: string): void {
    const entry = this.#namesOf(path) === undefined ? undefined : this.#entry(path, new FolderNode())
    this.#change(call, [entry], true)
  }

  #link(call: TracedCall, from: string, to: string): void {
    const node = this.find(from)
    if (node !== undefined) this.#change(call, [this.#entry(to, node)])
  }

  #sync({ begin, end }: Span, path: string | undefined): void {
    const node = this.find(path)
    if (node !== undefined) this.syncs.push({ begin, end, node, path: path ?? '' })
  }

  /** A call that changes files and is not modelled must not touch a file that is. */
  #refuse(call: TracedCall, args: readonly string[]): void {
    const touched = args.map((arg) => descriptorPath(arg)).find((path) => this.find(path)?.kind === 'file')
    if (touched !== undefined) throw new Error(`${call.name} of ${touched} is not modelled`)
  }

  /** Files whose bytes in the model are not those on the disk, when the recording is over: the trace would be incomplete. */
  differences(): readonly string[] {
    return this.#compare(this.root, this.rootNode, readFolder(this.root))
  }

  #compare(path: string, modelled: DiskNode | undefined, real: DiskNode | undefined): readonly string[] {
    if (modelled?.kind === 'folder' && real?.kind === 'folder') {
      const names = new Set([...modelled.entries.keys(), ...real.entries.keys()])
      return [...names].flatMap((name) =>
        this.#compare(join(path, name), modelled.entries.get(name), real.entries.get(name)),
      )
    }
    if (modelled?.kind !== 'file' || real?.kind !== 'file') return [`${path}: ${modelled?.kind} and ${real?.kind}`]
    return contentOf(modelled, modelled.changes).equals(real.before) ? [] : [`${path} has other bytes`]
  }
}

function gather(vectors: string): Buffer {
  return Buffer.concat(
    Array.from(vectors.matchAll(/iov_base=("[^"]*"(?:\.\.\.)?)/g), ([, text]) => bytesOf(text ?? '')),
  )
}

/** The bytes of a file after some of its changes. */
export function contentOf(file: FileNode, changes: readonly DataChange[]): Buffer {
  const ends = changes.map((change) => (change.kind === 'write' ? change.offset + change.bytes.length : change.length))
  const bytes = Buffer.alloc(Math.max(file.before.length, ...ends))
  file.before.copy(bytes)
  let size = file.before.length
  for (const change of changes) {
    if (change.kind === 'truncate') {
      if (change.length < size) bytes.fill(0, change.length, size)
      size = change.length
    } else {
      change.bytes.copy(bytes, change.offset)
      size = Math.max(size, change.offset + change.bytes.length)
    }
  }
  return bytes.subarray(0, size)
}
