import { resolve, dirname, join } from 'node:path'
import type { Continuity } from '../../../app/continuity.ts'
import { HoldfastError } from '../../../kernel/errors.ts'
import {
  applyPatch,
  checkPatch,
  createSettingsRefusal,
  inspectPatch,
} from '../../../transfer/handoff/io/apply-patch.ts'
import { type Bundle, readBundleFile, writeBundle } from '../../../transfer/handoff/io/bundle.ts'
import { trust, isTrusted, computeFingerprint, loadBundleSigner } from '../../../transfer/handoff/io/signing-key.ts'
import { isCommitUnknown, refuseElsewhere, verifyHandoff } from '../../../transfer/handoff/io/verify.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { localFiles } from '../../../platform/files/files.ts'
import { createGit } from '../../../platform/git/git.ts'
import { isSet, textOption } from '../../shared/arguments.ts'
import type { CliCommand, CliContext, CommandInput } from '../../shared/command.ts'
import { count, oneLine, printJson, printLine } from '../../shared/output.ts'
import { existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { composeHandoff, getWorkCheckpoint } from '../../../transfer/handoff/io/compose.ts'
import { writeFileAtomic } from '../../../platform/files/atomic-file.ts'
import { createRedactors } from '../../../platform/redactors.ts'
import { confirm } from '../../setup/setup-ports.ts'

export const MIN_KEY_CHARS = 16

/** The key was given with `--key`, was accepted before, or the user accepts it now. */
export async function isAccepted(
  { signedBy }: Bundle,
  options: CommandInput['options'],
  context: CliContext,
): Promise<boolean> {
  const named = textOption(options, 'key')?.toLowerCase()
  if (named !== undefined) {
    if (named.length >= MIN_KEY_CHARS && signedBy.startsWith(named)) return true
    throw new HoldfastError('forbidden', `The bundle is signed by key ${signedBy}, not by the given key.`, {
      hint: `Give at least the first ${MIN_KEY_CHARS} characters of the key.`,
    })
  }
  if (isSet(options, 'yes') || (await isTrusted(context.home, signedBy))) return true
  if (!context.io.isInteractive || isSet(options, 'json'))
    throw new HoldfastError('forbidden', `Key ${signedBy} is unknown.`, {
      hint: 'Compare it with the key that `holdfast handoff export` printed, then use `--key <key>` or `--yes`.',
    })
  return confirm(context, `Key ${signedBy} is unknown. Is it the key that \`handoff export\` printed?`)
}

/** Not covered by `--yes`, which is about the key. */
export async function isSettingsChangeAllowed(
  settings: readonly string[],
  options: CommandInput['options'],
  context: CliContext,
): Promise<boolean> {
  if (settings.length === 0 || isSet(options, 'allowSettings')) return true
  if (!context.io.isInteractive || isSet(options, 'json')) throw createSettingsRefusal(settings)
  for (const path of settings) printLine(context.io, `  ${oneLine(path, 120)}`)
  return confirm(context, 'The patch changes files that tools execute or read as settings. Apply it?')
}

const MAX_MEMORIES = 200
const MAX_SESSIONS = 500

export const handoffExportCommand: CliCommand = {
  configure(command) {
    command
      .argument('<file>', 'the bundle file to write')
      .option('--memories', "include this project's memories")
      .option('-y, --yes', 'replace an existing file')
      .addHelpText(
        'after',
        '\nThe bundle contains the newest session that did work here, and the uncommitted\nchanges as a patch. Secrets are removed. Files with secrets, symbolic links and\nnested repositories are left out of the patch and listed. The bundle is signed\nwith a key from the Holdfast home.\n\nExample:\n  $ holdfast handoff export ~/work.handoff',
      )
  },
  async run({ args: [file = ''], options, context }) {
    const { io, home, config, cwd } = context
    const path = resolve(cwd, file)
    if (!existsSync(dirname(path))) throw new HoldfastError('not-found', `The folder ${dirname(path)} does not exist.`)
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
      throw new HoldfastError('invalid-input', `${path} is a folder.`, {
        hint: `Give a file name: ${join(path, 'work.handoff')}.`,
      })
    if (existsSync(path) && !isSet(options, 'yes'))
      throw new HoldfastError('conflict', `${path} already exists.`, { hint: 'Use `--yes` to replace it.' })
    const continuity = await context.continuity()
    const place = await continuity.locate(cwd)
    const { worktree } = place
    const sessions = await continuity.listSessions({ cwd, limit: MAX_SESSIONS })
    const checkpoint = await getWorkCheckpoint(continuity, { place, cwd }, sessions)
    const memories = isSet(options, 'memories')
      ? (await continuity.listMemories({ cwd, includeTasks: true, limit: MAX_MEMORIES })).filter(
          // Those of every project are about the user, and a handoff may go to another person.
          ({ scope }) => scope !== 'me',
        )
      : []
    const redactor = await createRedactors({ enabled: config.redaction.envFiles, clock: systemClock }).forWorktree(
      worktree,
      cwd,
    )
    const { content, withoutPatch } = await composeHandoff({
      root: worktree,
      userHome: resolve(homedir()),
      checkpoint,
      places: [place, ...sessions.flatMap((session) => session.place ?? [])],
      memories,
      redactor,
      now: systemClock.now(),
    })
    const signer = await loadBundleSigner(home)
    const text = writeBundle(content, signer)
    writeFileAtomic(path, text, { mode: 0o600 })
    const key = computeFingerprint(signer.publicKey)
    const bytes = Buffer.byteLength(text)
    if (isSet(options, 'json')) {
      const { leftOut } = content
      printJson(io, {
        path,
        bytes,
        key,
        summary: content.checkpoint.summary,
        hasPatch: content.patch !== undefined,
        withoutPatch,
        leftOut,
        memories: memories.length,
      })
      return 0
    }
    printLine(io, `Wrote ${path} (${count(bytes, 'byte')}): ${oneLine(content.checkpoint.summary, 100)}`)
    printLine(io, withoutPatch === undefined ? '  with the uncommitted work as a patch' : `  no patch: ${withoutPatch}`)
    for (const left of content.leftOut)
      printLine(io, `  left out of the patch (secret, link, filter or nested repository): ${oneLine(left, 120)}`)
    if (memories.length > 0) printLine(io, `  with ${count(memories.length, 'memory', 'memories')}`)
    printLine(io, `Signed by key ${key}`)
    printLine(io, 'On the other machine, in a checkout of the same repository: holdfast handoff import <file>')
    return 0
  },
}

const MARKS = { holds: '✓', changed: '~', gone: '✗', 'cannot-tell': '?' } as const
const SHOWN_CLAIMS = 40

const MAX_LISTED = 500

interface ImportedMemories {
  readonly stored: number
  /** Contain a secret that this machine knows. */
  readonly refused: number
}

/** Stores memories that are not known here yet: a bundle may be imported twice. */
async function importMemories(
  { content: { memories }, signedBy }: Bundle,
  continuity: Continuity,
  cwd: string,
): Promise<ImportedMemories> {
  const known = new Set(
    (await continuity.listMemories({ cwd, includeTasks: true, limit: MAX_LISTED })).map(({ content }) => content),
  )
  let [stored, refused] = [0, 0]
  for (const memory of memories.filter(({ content }) => !known.has(content))) {
    try {
      await continuity.remember({ ...memory, cwd, source: `handoff ${signedBy.slice(0, MIN_KEY_CHARS)}` })
      stored += 1
    } catch (thrown) {
      if (!(thrown instanceof HoldfastError) || thrown.code !== 'secret-refused') throw thrown
      refused += 1
    }
  }
  return { stored, refused }
}

export const handoffImportCommand: CliCommand = {
  configure(command) {
    command
      .argument('<file>', 'a bundle from `holdfast handoff export`')
      .option('--key <fingerprint>', 'accept only a bundle signed by this key')
      .option('--apply', 'also apply the patch to the work tree, if all of it applies')
      .option(
        '--allow-settings',
        'with --apply: allow changes to executables and to files that tools run or read as settings',
      )
      .option('--memories', 'also store the memories in it')
      .option('-y, --yes', 'accept an unknown key without asking')
      .addHelpText(
        'after',
        '\nNothing is applied without `--apply`. The next session in this checkout gets the\nstate of the work, marked as coming from another machine.\n\nExample:\n  $ holdfast handoff import ~/work.handoff --apply',
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
      printLine(io, '  (✓ same here, ~ changed, ✗ missing, ? not checked)')
      if (isCommitUnknown(claims)) printLine(io, `  Its commit is not in ${worktree}: run \`git fetch\` first.`)
    }
    await refuseElsewhere(content, { git, worktree })
    const patch = content.patch === undefined ? undefined : Buffer.from(content.patch, 'base64')
    const settings = patch === undefined ? [] : (await inspectPatch(worktree, patch)).settings
    if (!(await isAccepted(bundle, options, context))) {
      printLine(io, 'Nothing was stored.')
      return 1
    }
    const state = patch === undefined ? undefined : await checkPatch(worktree, patch)
    const isThere = state === 'applied'
    // The patch comes first because it may be refused: a bundle is imported completely or not at all.
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
    await trust(home, signedBy, systemClock.now())
    const { stored: memories, refused } = isSet(options, 'memories')
      ? await importMemories(bundle, continuity, cwd)
      : { stored: 0, refused: 0 }
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
    printLine(io, `Stored as ${checkpoint.id} for the next session here. Signed by key ${signedBy}`)
    for (const path of settings)
      printLine(io, `  the patch changes a file that a tool runs or reads as settings: ${oneLine(path, 120)}`)
    if (isApplied) printLine(io, 'The patch was applied to the work tree.')
    else if (isThere) printLine(io, 'The patch is already in the work tree.')
    else if (state === 'applies') printLine(io, 'The bundle has a patch; `--apply` applies it to the work tree.')
    else if (state === 'neither') printLine(io, 'The bundle has a patch that does not apply here; `--apply` shows why.')
    if (memories > 0) printLine(io, `Stored ${count(memories, 'memory', 'memories')}.`)
    if (refused > 0) printLine(io, `Not stored because of a secret: ${count(refused, 'memory', 'memories')}.`)
    return 0
  },
}
