import { existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { HoldfastError } from '../../../kernel/errors.ts'
import { writeBundle } from '../../../transfer/handoff/io/bundle.ts'
import { composeHandoff } from '../../../transfer/handoff/io/compose.ts'
import { newestCheckpoint } from '../../../transfer/handoff/io/newest-checkpoint.ts'
import { fingerprintOf, loadSigner } from '../../../transfer/handoff/io/signing-key.ts'
import { writeFileAtomic } from '../../../platform/files/atomic-file.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { createRedactors } from '../../../platform/env-secrets.ts'
import { isSet } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { count, oneLine, printJson, printLine } from '../../shared/output.ts'

const MAX_MEMORIES = 200
const MAX_SESSIONS = 500

export const handoffExportCommand: CliCommand = {
  name: 'handoff export',
  summary: 'write where the work stands here into one signed file, for another machine',
  configure(command) {
    command
      .argument('<file>', 'the bundle to write')
      .option('--memories', "also this project's memories")
      .option('-y, --yes', 'replace the file when it is there')
      .addHelpText(
        'after',
        '\nThe bundle holds the newest checkpoint, what was seen of it, and everything uncommitted as a patch; secrets are\ntaken out; files that hold one, links and other repositories stay out of the patch and are named. It is signed\nwith a key in the home.\n\nExample:\n  $ holdfast handoff export ~/work.handoff',
      )
  },
  async run({ args: [file = ''], options, context }) {
    const { io, home, config, cwd } = context
    const path = resolve(cwd, file)
    if (!existsSync(dirname(path))) throw new HoldfastError('not-found', `There is no folder ${dirname(path)}.`)
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
      throw new HoldfastError('invalid-input', `${path} is a folder.`, {
        hint: `Name the file in it: ${join(path, 'work.handoff')}.`,
      })
    if (existsSync(path) && !isSet(options, 'yes'))
      throw new HoldfastError('conflict', `${path} is there already.`, { hint: 'Say `--yes` to replace it.' })
    const continuity = await context.continuity()
    const place = await continuity.locate(cwd)
    const { worktree } = place
    const sessions = await continuity.listSessions({ cwd, limit: MAX_SESSIONS })
    const checkpoint = await newestCheckpoint(continuity, place, sessions)
    const memories = isSet(options, 'memories') ? await continuity.listMemories({ cwd, limit: MAX_MEMORIES }) : []
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
    const signer = await loadSigner(home)
    const text = writeBundle(content, signer)
    writeFileAtomic(path, text, { mode: 0o600 })
    const key = fingerprintOf(signer.publicKey)
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
      printLine(io, `  left out of the patch (a secret, a link, a filter or another repository): ${oneLine(left, 120)}`)
    if (memories.length > 0) printLine(io, `  with ${count(memories.length, 'memory', 'memories')}`)
    printLine(io, `Signed by key ${key}`)
    printLine(io, 'On the other machine, in a checkout of the same repository: holdfast handoff import <file>')
    return 0
  },
}
