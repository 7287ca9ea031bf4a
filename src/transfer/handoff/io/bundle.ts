import * as z from 'zod'
import type { Checkpoint } from '../../../kernel/checkpoint.ts'
import { HoldfastError, getErrorMessage } from '../../../kernel/errors.ts'
import { MEMORY_TYPES } from '../../../kernel/memory.ts'
import { CheckpointSchema, CommitId, MAX_COMMITS } from '../../../wire/checkpoint.ts'
import { withRegularFile } from '../../../platform/files/files.ts'
import { parse } from '../../../platform/base/parse.ts'
import type { ReadonlyDeep } from '../../../kernel/json-shape.ts'
import { isPlainPath, findPatchTrouble } from './safe-paths.ts'
import { computeFingerprint } from './signing-key.ts'
import { isSignedBy, type Signer } from '../../../platform/machine-keys.ts'
import { canonicalJson } from '../../../kernel/json-shape.ts'
import { sha256 } from '../../../platform/base/crypto.ts'

const FORMAT = 'holdfast-handoff/1'
const MAX_BUNDLE_BYTES = 24_000_000
/** Below the daemon's limit for one request. */
const MAX_CHECKPOINT_BYTES = 700_000
const MAX_MEMORIES = 200
const MAX_FILES = 2_000

const base64 = z.string().refine((text) => Buffer.from(text, 'base64').toString('base64') === text, 'It is not base64')

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
  /** The commit that the patch applies to; the checkpoint's may be an older one. */
  base: CommitId.optional(),
  /** HEAD and the commits before it, newest first: they identify another checkout of the same repository. */
  commits: z.array(CommitId).max(MAX_COMMITS).optional(),
  /** Files that were left out of the patch: with a secret, links and other repositories. */
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

/** The signed text: such a signature is valid for nothing else. */
function createSignedText(digest: string, signer: string): string {
  return `${FORMAT}\n${digest}\n${signer}\n`
}

function refuse(what: string, cause?: unknown): never {
  throw new HoldfastError('invalid-input', `This bundle is refused: ${what}`, {
    hint: 'Ask the sender for a new one; nothing was stored.',
    ...(cause === undefined ? {} : { cause }),
  })
}

/** The text of a bundle: canonical JSON and a newline. */
export function writeBundle(content: HandoffContent, signer: Signer): string {
  const digest = sha256(canonicalJson(content))
  const text = `${canonicalJson({
    format: FORMAT,
    content,
    digest,
    signer: signer.publicKey,
    signature: signer.sign(createSignedText(digest, signer.publicKey)),
  })}\n`
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_BUNDLE_BYTES)
    throw new HoldfastError('too-large', `The bundle would have ${bytes} bytes; the maximum is ${MAX_BUNDLE_BYTES}.`, {
      hint: 'Commit the large changes, and export again.',
    })
  // Finds everything that the receiver would refuse before it is sent.
  readBundle(Buffer.from(text))
  return text
}

function listPaths({ work, dirty }: Checkpoint): readonly string[] {
  return [...work.files.map(({ path }) => path), ...(dirty?.paths ?? [])]
}

function parseCanonical(bytes: Buffer): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const value: unknown = JSON.parse(text)
    if (`${canonicalJson(value)}\n` === text) return value
  } catch (thrown) {
    refuse(`it cannot be read (${getErrorMessage(thrown).slice(0, 200)}).`, thrown)
  }
  return refuse('its bytes differ from the form that was signed.')
}

/** The content of a bundle whose bytes are as they were signed, and whose paths stay inside the checkout. Throws for all others. */
export function readBundle(bytes: Buffer): Bundle {
  if (bytes.length > MAX_BUNDLE_BYTES)
    throw new HoldfastError('too-large', `The bundle has ${bytes.length} bytes; at most ${MAX_BUNDLE_BYTES} are read.`)
  const bundle = parse(BundleSchema, parseCanonical(bytes))
  if (sha256(canonicalJson(bundle.content)) !== bundle.digest) refuse('its content was altered after it was signed.')
  if (!isSignedBy(bundle.signer, createSignedText(bundle.digest, bundle.signer), bundle.signature))
    refuse('its signature does not match the key it names.')
  const content = parse(ContentSchema, bundle.content)
  if (Buffer.byteLength(canonicalJson(content.checkpoint)) > MAX_CHECKPOINT_BYTES)
    refuse('its checkpoint is too large.')
  const outside = listPaths(content.checkpoint).find((path) => !isPlainPath(path))
  if (outside !== undefined) refuse(`the path ${JSON.stringify(outside.slice(0, 100))} leads out of the checkout.`)
  const trouble = content.patch === undefined ? undefined : findPatchTrouble(Buffer.from(content.patch, 'base64'))
  if (trouble !== undefined) refuse(`its patch ${trouble}.`)
  return { content, digest: bundle.digest, signedBy: computeFingerprint(bundle.signer) }
}

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
