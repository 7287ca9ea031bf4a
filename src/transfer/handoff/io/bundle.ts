import { createHash } from 'node:crypto'
import * as z from 'zod'
import type { Checkpoint } from '../../../kernel/checkpoint.ts'
import { HoldfastError, messageOf } from '../../../kernel/errors.ts'
import { MEMORY_TYPES } from '../../../kernel/memory.ts'
import { CheckpointSchema } from '../../../wire/checkpoint.ts'
import { CommitId, MAX_COMMITS } from '../../../wire/transfer.ts'
import { withRegularFile } from '../../../platform/files/regular-file.ts'
import { parse } from '../../../platform/base/parse.ts'
import type { ReadonlyDeep } from '../../../kernel/same-shape.ts'
import { isPlainPath, patchTrouble } from './safe-paths.ts'
import { fingerprintOf, isSignedBy, type Signer } from './signing-key.ts'

/** One text per value, whatever order its keys were written in; fields that are undefined are left out. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner !== 'object' || inner === null || Array.isArray(inner)
      ? inner
      : Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  )
}

const FORMAT = 'holdfast-handoff/1'
const MAX_BUNDLE_BYTES = 24_000_000
/** Below what the daemon takes in one request. */
const MAX_CHECKPOINT_BYTES = 700_000
const MAX_MEMORIES = 200
const MAX_FILES = 2_000

const base64 = z.string().refine((text) => Buffer.from(text, 'base64').toString('base64') === text, 'It is no base64')

const MemorySchema = z.strictObject({
  type: z.enum(MEMORY_TYPES),
  content: z.string().min(1).max(20_000),
  importance: z.number().int().min(1).max(10),
  tags: z.array(z.string().min(1).max(64)).max(32),
})

const ContentSchema = z.strictObject({
  madeAt: z.iso.datetime(),
  checkpoint: CheckpointSchema,
  memories: z.array(MemorySchema).max(MAX_MEMORIES),
  /** Uncommitted work, as `git apply` takes it. */
  patch: base64.optional(),
  /** The commit that the patch was proven to apply to; the checkpoint's may be an older one. */
  base: CommitId.optional(),
  /** What is checked out and the commits before it, newest first: by them another checkout is known for one of the same repository. */
  commits: z.array(CommitId).max(MAX_COMMITS).optional(),
  /** What was left out of the patch: files that hold a secret, links and other repositories. */
  leftOut: z.array(z.string()).max(MAX_FILES),
})
export type HandoffContent = ReadonlyDeep<z.output<typeof ContentSchema>>

const BundleSchema = z.strictObject({
  format: z.literal(FORMAT),
  content: z.unknown(),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  signer: base64,
  signature: base64,
})

export interface Bundle {
  readonly content: HandoffContent
  readonly digest: string
  /** SHA-256 of the key that signed it. */
  readonly signedBy: string
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** What is signed: a signature made for this can pass for nothing else. */
function statement(digest: string, signer: string): string {
  return `${FORMAT}\n${digest}\n${signer}\n`
}

function refuse(what: string, cause?: unknown): never {
  throw new HoldfastError('invalid-input', `This bundle is refused: ${what}`, {
    hint: 'Ask its sender for it again; nothing of it was kept.',
    ...(cause === undefined ? {} : { cause }),
  })
}

/** The one text of a bundle: canonical JSON and a line end. */
export function writeBundle(content: HandoffContent, signer: Signer): string {
  const digest = sha256(canonicalJson(content))
  const text = `${canonicalJson({
    format: FORMAT,
    content,
    digest,
    signer: signer.publicKey,
    signature: signer.sign(statement(digest, signer.publicKey)),
  })}\n`
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_BUNDLE_BYTES)
    throw new HoldfastError('too-large', `The bundle would have ${bytes} bytes; at most ${MAX_BUNDLE_BYTES} travel.`, {
      hint: 'Commit what is large, and export again.',
    })
  // Whatever the receiver would refuse is found before it is sent.
  readBundle(Buffer.from(text))
  return text
}

function pathsOf({ work, dirty }: Checkpoint): readonly string[] {
  return [...[...work.files, ...(work.named ?? [])].map(({ path }) => path), ...(dirty?.paths ?? [])]
}

function parsed(bytes: Buffer): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const value: unknown = JSON.parse(text)
    if (`${canonicalJson(value)}\n` === text) return value
  } catch (thrown) {
    refuse(`it cannot be read (${messageOf(thrown).slice(0, 200)}).`, thrown)
  }
  return refuse('it is not written as it was signed.')
}

/** The content of a bundle whose every byte is as it was signed, and in which no path leads anywhere else. Refuses all others. */
export function readBundle(bytes: Buffer): Bundle {
  if (bytes.length > MAX_BUNDLE_BYTES)
    throw new HoldfastError('too-large', `The bundle has ${bytes.length} bytes; at most ${MAX_BUNDLE_BYTES} are read.`)
  const bundle = parse(BundleSchema, parsed(bytes))
  if (sha256(canonicalJson(bundle.content)) !== bundle.digest) refuse('its content was altered after it was signed.')
  if (!isSignedBy(bundle.signer, statement(bundle.digest, bundle.signer), bundle.signature))
    refuse('its signature is not that of the key it names.')
  const content = parse(ContentSchema, bundle.content)
  if (Buffer.byteLength(canonicalJson(content.checkpoint)) > MAX_CHECKPOINT_BYTES)
    refuse('its checkpoint is too large.')
  const astray = pathsOf(content.checkpoint).find((path) => !isPlainPath(path))
  if (astray !== undefined) refuse(`the path ${JSON.stringify(astray.slice(0, 100))} leads out of the checkout.`)
  const trouble = content.patch === undefined ? undefined : patchTrouble(Buffer.from(content.patch, 'base64'))
  if (trouble !== undefined) refuse(`its patch ${trouble}.`)
  return { content, digest: bundle.digest, signedBy: fingerprintOf(bundle.signer) }
}

/** The same, of a file that a person names. */
export async function readBundleFile(path: string): Promise<Bundle> {
  const bytes = await withRegularFile(path, async (file, size) => {
    if (size <= MAX_BUNDLE_BYTES) return await file.readFile()
    return size
  })
  if (bytes === undefined)
    throw new HoldfastError('not-found', `${path} cannot be read.`, { hint: 'Give the path of a bundle.' })
  if (typeof bytes === 'number')
    throw new HoldfastError('too-large', `${path} has ${bytes} bytes; a bundle has at most ${MAX_BUNDLE_BYTES}.`)
  return readBundle(bytes)
}
