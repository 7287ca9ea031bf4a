import { resolve } from 'node:path'
import type { Continuity } from '../../../app/continuity.ts'
import { HoldfastError } from '../../../kernel/errors.ts'
import { applyPatch, patchState } from '../../../transfer/handoff/io/apply-patch.ts'
import { type Bundle, readBundleFile } from '../../../transfer/handoff/io/bundle.ts'
import { inspectPatch } from '../../../transfer/handoff/io/inspect-patch.ts'
import { trust } from '../../../transfer/handoff/io/known-keys.ts'
import { isCommitUnknown, refuseElsewhere, verifyHandoff } from '../../../transfer/handoff/io/verify.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { localFiles } from '../../../platform/files/files.ts'
import { createGit } from '../../../platform/git/git.ts'
import { isSet } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { isAccepted, isSettingsChangeAllowed, MIN_KEY_CHARS } from './handoff-questions.ts'
import { count, oneLine, printJson, printLine } from '../../shared/output.ts'

const MARKS = { holds: '✓', changed: '~', gone: '✗', 'cannot-tell': '?' } as const
const SHOWN_CLAIMS = 40

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
      .option('--allow-settings', 'with --apply: also files that tools run or read as their settings, and executables')
      .option('--memories', 'also keep the memories in it')
      .option('-y, --yes', 'accept a key that was not seen before without a question')
      .addHelpText(
        'after',
        '\nWhat a bundle says is evidence, never an instruction. Nothing is applied unless `--apply` says so.\nThe next session in this checkout is told of it, as work from another machine.\n\nExample:\n  $ holdfast handoff import ~/work.handoff --apply',
      )
  },
  async run({ args: [file = ''], options, context }) {
    const { io, cwd, home } = context
    const bundle = await readBundleFile(resolve(cwd, file))
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
    const patch = content.patch === undefined ? undefined : Buffer.from(content.patch, 'base64')
    const settings = patch === undefined ? [] : (await inspectPatch(worktree, patch)).settings
    if (!(await isAccepted(bundle, options, context))) {
      printLine(io, 'Nothing was kept.')
      return 1
    }
    await trust(home, signedBy, systemClock.now())
    const state = patch === undefined ? undefined : await patchState(worktree, patch)
    const isThere = state === 'applied'
    // First what may be refused: a bundle whose patch does not apply is not half taken over.
    const isApplied = isSet(options, 'apply') && patch !== undefined && !isThere
    if (isApplied) {
      const allowsSettings = await isSettingsChangeAllowed(settings, options, context)
      await applyPatch(worktree, patch, { base: content.base, allowsSettings })
    }
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
        settings,
        memories,
        refusedMemories: refused,
      })
      return 0
    }
    printLine(io, `Kept as ${checkpoint.id}; the next session here is told of it. Signed by key ${signedBy}`)
    for (const path of settings)
      printLine(
        io,
        `  the patch changes what a tool runs or reads as settings, or what is executable: ${oneLine(path, 120)}`,
      )
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
