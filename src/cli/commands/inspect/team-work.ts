import { HoldfastError } from '../../../kernel/errors.ts'
import { MemoryId, SessionKey } from '../../../kernel/id.ts'
import type { TeamSession } from '../../../recovery/choice/team-work.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { isSet, sessionKey, textOption } from '../../shared/arguments.ts'
import type { CliCommand, CliContext, CommandInput } from '../../shared/command.ts'
import {
  count,
  formatAge,
  getColors,
  oneLine,
  printable,
  printableName,
  printJson,
  printLine,
  table,
} from '../../shared/output.ts'
import { findSharingObstacle } from '../../shared/team-exchange.ts'

const MAX_LISTED = 40

function describeSession({ session, machine, author }: TeamSession): string {
  const whose = author === undefined ? '' : ` of ${printableName(author)}`
  return `${session.harness} session ${printableName(session.key)}${whose} on ${printableName(machine)}`
}

/** `holdfast sessions --team`. */
export async function printTeamSessions(context: CliContext, isJson: boolean): Promise<0> {
  const { io, cwd } = context
  const found = await (await context.continuity()).listTeamSessions({ cwd, limit: MAX_LISTED })
  if (isJson) printJson(io, found)
  else if (found.length === 0)
    printLine(
      io,
      'No work of other machines is known for this repository. Bring it with `holdfast export` there and `holdfast import` here.',
    )
  else {
    const { dim } = getColors(io)
    const now = systemClock.now()
    io.out(
      table(
        found.map(({ session, machine, author, mayStillRun, isTaken }) => [
          printableName(session.key),
          session.harness,
          printableName(author ?? 'you'),
          printableName(machine),
          mayStillRun ? 'end not reported' : session.phase,
          dim(formatAge(session.lastEventAt, now)),
          count(session.promptCount, 'prompt'),
          printableName(session.place?.branch ?? ''),
          isTaken ? 'taken over' : oneLine(session.labels?.title ?? '', 60),
        ]),
      ),
    )
  }
  return 0
}

export const takeCommand: CliCommand = {
  configure(command) {
    command
      .argument('[session]', 'the session key, or a prefix of it', sessionKey)
      .option('--undo', 'do not continue it in the next session here')
      .option('--harness <id>', 'the harness, if two of them have a session with this key')
      .addHelpText(
        'after',
        '\nThe next session that starts in this worktree gets a recovery of that session,\nchecked against this checkout. `holdfast sessions --team` lists the sessions.',
      )
  },
  async run({ args: [key], options, context }) {
    const { io, cwd } = context
    const continuity = await context.continuity()
    if (isSet(options, 'undo')) {
      const wasTaken = await continuity.undoTakeWork({ cwd })
      if (isSet(options, 'json')) printJson(io, { wasTaken })
      else printLine(io, wasTaken ? 'The next session here will not continue it.' : 'No session was taken here.')
      return 0
    }
    if (key === undefined)
      throw new HoldfastError('invalid-input', 'No session was given.', {
        hint: 'Run `holdfast sessions --team` to see them.',
      })
    const harness = textOption(options, 'harness')
    const taken = await continuity.takeWork({
      cwd,
      sessionKey: SessionKey(key),
      ...(harness !== undefined && { harness }),
    })
    const recovery = await continuity.previewRecovery({ cwd })
    if (isSet(options, 'json')) printJson(io, { ...taken, recovery })
    else {
      printLine(io, `The next session here continues ${describeSession(taken)}. \`holdfast take --undo\` changes that.`)
      printLine(io, '')
      printLine(io, printable(recovery.text))
    }
    return 0
  },
}

async function change({ args: [given = ''], options, context }: CommandInput, isShared: boolean): Promise<0> {
  const { io, cwd } = context
  const continuity = await context.continuity()
  if (isSet(options, 'session')) {
    const session = await continuity.labelSession({ sessionKey: SessionKey(given), isShared })
    if (isSet(options, 'json')) printJson(io, session)
    else
      printLine(
        io,
        isShared
          ? `The members of the team may see and take over the work of ${printableName(session.key)}.`
          : `The work of ${printableName(session.key)} is yours alone from now on.`,
      )
    return 0
  }
  const memory = await continuity.shareMemory({ id: MemoryId(given), cwd, isShared })
  if (isSet(options, 'json')) printJson(io, memory)
  else if (!isShared) printLine(io, `${memory.id} is yours alone from now on. Who has read it has read it.`)
  else {
    const obstacle = await findSharingObstacle(context)
    printLine(
      io,
      obstacle === undefined
        ? `${memory.id} is shared with the team of this repository.`
        : `${memory.id} is for the team of this repository. ${obstacle}`,
    )
  }
  return 0
}

function defineShareCommand(isShared: boolean): CliCommand {
  return {
    configure(command) {
      command
        .argument('<id>', 'the id of a memory, or a unique part of it')
        .option('--session', 'the id is the key of a session; its checkpoints are shared, not its messages')
    },
    run: (input) => change(input, isShared),
  }
}

export const shareCommand = defineShareCommand(true)
export const unshareCommand = defineShareCommand(false)
