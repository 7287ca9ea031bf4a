import { randomBytes } from 'node:crypto'
import type { Continuity } from '../../../app/continuity.ts'
import { renderExcerpt } from '../../../digest/excerpt.ts'
import { toDigestEvent } from '../../../digest/digest-runs.ts'
import { writeHandoff } from '../../../digest/io/write-handoff.ts'
import { getWriter } from '../../../digest/presets.ts'
import { writerPresets } from '../../../harness/registry.ts'
import { HoldfastError } from '../../../kernel/errors.ts'
import { datedId, EventId, SessionKey } from '../../../kernel/id.ts'
import type { Session } from '../../../kernel/session.ts'
import { createRedactor } from '../../../redaction/redactor.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { isSet, sessionKey, textOption } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { getColors, printJson, printLine, printable } from '../../shared/output.ts'

const RECENT_SESSIONS = 20

async function findSession(continuity: Continuity, key: string | undefined, cwd: string): Promise<Session> {
  if (key !== undefined) return continuity.getSession(SessionKey(key))
  const sessions = await continuity.listSessions({ cwd, limit: RECENT_SESSIONS })
  const found = sessions.find(({ toolCount }) => toolCount > 0) ?? sessions[0]
  if (found !== undefined) return found
  throw new HoldfastError('not-found', 'No session was recorded in this project.', {
    hint: 'Name one with --session; `holdfast sessions list` shows them.',
  })
}

async function readCheckpoint(continuity: Continuity, session: Session) {
  const fresh = await continuity.checkpoint(session.id, 'agent')
  const stored = fresh ?? (await continuity.listCheckpoints({ sessionId: session.id, limit: 1 }))[0]
  if (stored !== undefined) return stored.checkpoint
  throw new HoldfastError('not-found', `Session ${session.key} has no checkpoint: nothing happened in it yet.`, {
    hint: 'Name another session with --session; `holdfast sessions list` shows them.',
  })
}

/** Claims of the handoff that an observation contradicts. */
async function findRefuted(continuity: Continuity, { id }: Session) {
  const stored =
    (await continuity.checkpoint(id, 'agent')) ?? (await continuity.listCheckpoints({ sessionId: id, limit: 1 }))[0]
  return (stored?.checkpoint.work.claims ?? []).flatMap(({ text, contradictedBy }) =>
    contradictedBy === undefined ? [] : [{ claim: text, because: contradictedBy }],
  )
}

export const digestCommand: CliCommand = {
  configure(command) {
    command
      .option('--session <key>', 'this session (default: the newest session here that did work)', sessionKey)
      .option('--compare', 'also print the handoff that Holdfast extracts without a program')
      .option('--excerpt', 'print the text that the program would read, without running it')
      .addHelpText(
        'after',
        '\nRuns digest.command on a redacted excerpt of the session, prints the handoff and\nstores it for the next session.\n\nExample:\n  holdfast digest --session 3f2a --compare',
      )
  },
  async run({ options, context }) {
    const { io, config, env, home } = context
    const isExcerpt = isSet(options, 'excerpt')
    const writer = isExcerpt ? undefined : getWriter(config.digest, writerPresets)
    const continuity = await context.continuity()
    const session = await findSession(continuity, textOption(options, 'session'), context.cwd)
    const checkpoint = await readCheckpoint(continuity, session)
    const redactor = createRedactor()
    const excerpt = redactor.redact(renderExcerpt(checkpoint))
    if (writer === undefined) {
      if (isSet(options, 'json')) printJson(io, { session: session.key, excerpt })
      else printLine(io, printable(excerpt.trimEnd()))
      return 0
    }
    const extracted = isSet(options, 'compare')
      ? (
          await continuity.previewRecovery({
            cwd: checkpoint.place.worktree,
            harness: session.harness,
            sessionKey: session.key,
            isResumed: true,
          })
        ).text
      : undefined
    const startedMs = systemClock.monotonicMs()
    const { timeoutMs } = config.digest
    const handoff = redactor.redact(await writeHandoff(writer, excerpt, { env, home, timeoutMs }))
    const ms = Math.round(systemClock.monotonicMs() - startedMs)
    const id = EventId(datedId('digest', systemClock.now(), randomBytes(10)))
    await continuity.record(toDigestEvent(checkpoint, handoff, { id, at: session.lastEventAt, door: 'cli' }))
    const refuted = await findRefuted(continuity, session)
    if (isSet(options, 'json')) {
      printJson(io, {
        session: session.key,
        handoff,
        ms,
        refuted,
        ...(extracted !== undefined && { extracted }),
      })
      return 0
    }
    const { bold } = getColors(io)
    if (extracted === undefined) printLine(io, printable(handoff))
    else
      printLine(
        io,
        `${bold('Written by digest.command')}\n${printable(handoff)}\n\n${bold('Extracted')}\n${extracted === '' ? 'Nothing: the session has no checkpoint with work in it.' : printable(extracted)}`,
      )
    for (const { claim, because } of refuted) io.err(`Refuted: "${printable(claim)}": ${printable(because)}\n`)
    return 0
  },
}
