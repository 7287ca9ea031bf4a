import { resolve } from 'node:path'
import type { Continuity } from '../../core/continuity.ts'
import { HoldfastError } from '../../core/errors.ts'
import { applyPatch, patchState } from '../../handoff/apply-patch.ts'
import { type Bundle, MAX_BUNDLE_BYTES, readBundle } from '../../handoff/bundle.ts'
import { isTrusted, trust } from '../../handoff/known-keys.ts'
import { isCommitUnknown, refuseElsewhere, verifyHandoff } from '../../handoff/verify.ts'
import { systemClock } from '../../platform/clock.ts'
import { localFiles } from '../../platform/files.ts'
import { createGit } from '../../platform/git.ts'
import { withRegularFile } from '../../platform/regular-file.ts'
import { isSet, textOption } from '../arguments.ts'
import type { CliCommand, CliContext, CommandInput } from '../command.ts'
import { count, oneLine, printJson, printLine } from '../output.ts'
import { confirm } from '../setup-world.ts'

const MARKS = { holds: '✓', changed: '~', gone: '✗', 'cannot-tell': '?' } as const
const MIN_KEY_CHARS = 16
const SHOWN_CLAIMS = 40

async function readFile(path: string): Promise<Buffer> {
  const bytes = await withRegularFile(path, async (file, size) => {
    if (size <= MAX_BUNDLE_BYTES) return await file.readFile()
    return size
  })
  if (bytes === undefined)
    throw new HoldfastError('not-found', `${path} cannot be read.`, { hint: 'Give the path of a bundle.' })
  if (typeof bytes === 'number')
    throw new HoldfastError('too-large', `${path} has ${bytes} bytes; a bundle has at most ${MAX_BUNDLE_BYTES}.`)
  return bytes
}

/** By the key that was named, or because it was accepted before, or because somebody says so now. */
async function isAccepted(
  { signedBy }: Bundle,
  options: CommandInput['options'],
  context: CliContext,
): Promise<boolean> {
  const named = textOption(options, 'key')?.toLowerCase()
  if (named !== undefined) {
    if (named.length >= MIN_KEY_CHARS && signedBy.startsWith(named)) return true
    throw new HoldfastError('forbidden', `The bundle is signed by key ${signedBy}, not by the one that was named.`, {
      hint: `Give at least ${MIN_KEY_CHARS} characters of the key, as its owner reads it out.`,
    })
  }
  if (isSet(options, 'yes') || (await isTrusted(context.home, signedBy))) return true
  if (!context.io.isInteractive || isSet(options, 'json'))
    throw new HoldfastError('forbidden', `Key ${signedBy} has not signed anything for you before.`, {
      hint: 'Compare it with what `holdfast handoff export` showed its owner, then say `--key <it>`, or `--yes`.',
    })
  return confirm(context, `Key ${signedBy} has not signed anything for you before. Is it whom you expect?`)
}

const MAX_LISTED = 500

interface KeptMemories {
  readonly kept: number
  /** They hold a secret that this machine knows. */
  readonly refused: number
}

/** Those that are not known here yet: the same bundle may come twice. */
async function keepMemories(
  { content: { memories }, signedBy }: Bundle,
  continuity: Continuity,
  cwd: string,
): Promise<KeptMemories> {
  const known = new Set((await continuity.listMemories({ cwd, limit: MAX_LISTED })).map(({ content }) => content))
  let [kept, refused] = [0, 0]
  for (const memory of memories.filter(({ content }) => !known.has(content))) {
    try {
      await continuity.remember({ ...memory, cwd, source: `handoff ${signedBy.slice(0, MIN_KEY_CHARS)}` })
      kept += 1
    } catch (thrown) {
      if (!(thrown instanceof HoldfastError) || thrown.code !== 'secret-refused') throw thrown
      refused += 1
    }
  }
  return { kept, refused }
}

export const handoffImportCommand: CliCommand = {
  name: 'handoff import',
  summary: 'take over work from another machine: check it against this checkout, keep it for the next session',
  configure(command) {
    command
      .argument('<file>', 'a bundle that `holdfast handoff export` wrote')
      .option('--key <fingerprint>', 'accept only what this key signed')
      .option('--apply', 'also apply its patch to the work tree, if all of it applies')
      .option('--memories', 'also keep the memories in it')
      .option('-y, --yes', 'accept a key that was not seen before without a question')
      .addHelpText(
        'after',
        '\nWhat a bundle says is evidence, never an instruction. Nothing is applied unless `--apply` says so.\nThe next session in this checkout is told of it, as work from another machine.\n\nExample:\n  $ holdfast handoff import ~/work.handoff --apply',
      )
  },
  async run({ args: [file = ''], options, context }) {
    const { io, cwd, home } = context
    const bundle = readBundle(await readFile(resolve(cwd, file)))
    const { content, digest, signedBy } = bundle
    const continuity = await context.continuity()
    const { worktree } = await continuity.locate(cwd)
    const git = createGit()
    const claims = await verifyHandoff(content, { files: localFiles, git, worktree })
    const isJson = isSet(options, 'json')
    if (!isJson) {
      printLine(io, `From another machine, ${content.madeAt}: ${oneLine(content.checkpoint.summary, 120)}`)
      for (const { claim, verdict } of claims.slice(0, SHOWN_CLAIMS))
        printLine(io, `  ${MARKS[verdict]} ${oneLine(claim, 140)}`)
      if (claims.length > SHOWN_CLAIMS) printLine(io, `  … and ${claims.length - SHOWN_CLAIMS} more`)
      printLine(io, '  (✓ holds here, ~ changed, ✗ gone, ? cannot tell)')
      if (isCommitUnknown(claims)) printLine(io, `  Its commit is not in ${worktree}: fetch it first.`)
    }
    await refuseElsewhere(content, { git, worktree })
    if (!(await isAccepted(bundle, options, context))) {
      printLine(io, 'Nothing was kept.')
      return 1
    }
    await trust(home, signedBy, systemClock.now())
    const patch = content.patch === undefined ? undefined : Buffer.from(content.patch, 'base64')
    const state = patch === undefined ? undefined : await patchState(worktree, patch)
    const isThere = state === 'applied'
    // First what may be refused: a bundle whose patch does not apply is not half taken over.
    const isApplied = isSet(options, 'apply') && patch !== undefined && !isThere
    if (isApplied) await applyPatch(worktree, patch, content.base)
    const { checkpoint } = await continuity.receiveHandoff({
      cwd,
      checkpoint: content.checkpoint,
      commits: content.commits,
      digest,
      signedBy,
    })
    const { kept: memories, refused } = isSet(options, 'memories')
      ? await keepMemories(bundle, continuity, cwd)
      : { kept: 0, refused: 0 }
    if (isJson) {
      printJson(io, {
        checkpointId: checkpoint.id,
        key: signedBy,
        digest,
        madeAt: content.madeAt,
        claims,
        isApplied,
        memories,
        refusedMemories: refused,
      })
      return 0
    }
    printLine(io, `Kept as ${checkpoint.id}; the next session here is told of it. Signed by key ${signedBy}`)
    if (isApplied) printLine(io, 'Its patch was applied to the work tree.')
    else if (isThere) printLine(io, 'Its uncommitted work is in the work tree already.')
    else if (state === 'applies') printLine(io, 'It holds uncommitted work; `--apply` puts it into the work tree.')
    else if (state === 'neither')
      printLine(io, 'It holds uncommitted work that does not apply here; `--apply` says why.')
    if (memories > 0) printLine(io, `Kept ${count(memories, 'memory', 'memories')}.`)
    if (refused > 0) printLine(io, `Not kept, with a secret in it: ${count(refused, 'memory', 'memories')}.`)
    return 0
  },
}
