import { HoldfastError } from '../../../kernel/errors.ts'
import type { SpaceMember, SpaceStatus, SyncUseCases } from '../../../sync/use-cases.ts'
import { isSet } from '../../shared/arguments.ts'
import type { CliCommand, CommandInput, ExitCode } from '../../shared/command.ts'
import { count, getColors, oneLine, printJson, printLine, table } from '../../shared/output.ts'
import { createCounter } from '../../shared/progress.ts'
import { confirm } from '../../setup/setup-ports.ts'

const MEMBER_TEXT: Readonly<Record<SpaceMember['state'], string>> = {
  accepted: 'member',
  waiting: 'waits to be accepted: `holdfast sync accept`',
  left: 'has left',
  refused: 'has other keys than before: nothing of it is read',
}

async function addSpace(sync: SyncUseCases, { args, options, context }: CommandInput) {
  const input = { address: args[0] ?? '', cwd: context.cwd, isPlain: isSet(options, 'plain') }
  try {
    return await sync.addSpace({ ...input, isPublicAllowed: isSet(options, 'yesPublic') })
  } catch (thrown) {
    const isQuestion = thrown instanceof HoldfastError && thrown.code === 'forbidden'
    if (!isQuestion || !context.io.isInteractive || isSet(options, 'json')) throw thrown
    printLine(context.io, `${thrown.message} ${thrown.hint ?? ''}`)
    if (!(await confirm(context, 'Use it?'))) throw thrown
    return sync.addSpace({ ...input, isPublicAllowed: true })
  }
}

export const syncAddCommand: CliCommand = {
  configure(command) {
    command
      .argument('<where>', 'a folder, ssh://host/path, a git remote, or the address of a git repository')
      .option('--plain', 'git only: sign the records and do not encrypt them')
      .option('--yes-public', 'use a git remote that others may be able to read')
      .addHelpText(
        'after',
        '\nRun it once on each machine, then `holdfast sync run`, or wait: the daemon\nexchanges by itself. A folder or ssh is for the machines of one person and gets\neverything; a git remote gets only what you shared with the team.\nBoth are encrypted to the members.\n\nExamples:\n  $ holdfast sync add /media/stick/holdfast\n  $ holdfast sync add ssh://nas/home/me/holdfast\n  $ holdfast sync add origin --yes-public',
      )
  },
  async run(input) {
    const { options, context } = input
    const space = await addSpace(await context.sync(), input)
    if (isSet(options, 'json')) printJson(context.io, space)
    else {
      const { green } = getColors(context.io)
      printLine(context.io, `${green('✓')} ${space.address} is a space (${space.id}).`)
      printLine(context.io, 'Add it on the other machine too; `holdfast sync run` exchanges now.')
    }
    return 0
  },
}

export const syncRemoveCommand: CliCommand = {
  configure(command) {
    command
      .argument('<space>', 'its id or address, from `holdfast sync list`')
      .option('--keep', 'do not remove the records that this machine wrote')
      .addHelpText('after', '\nRecords that were received stay in the store of this machine.')
  },
  async run({ args, options, context }) {
    const { removed } = await (await context.sync()).removeSpace({
      space: args[0] ?? '',
      isKept: isSet(options, 'keep'),
    })
    if (isSet(options, 'json')) printJson(context.io, { removed })
    else printLine(context.io, `Left the space; ${count(removed, 'file')} removed there.`)
    return 0
  },
}

function describeExchange({ lastExchange, lastSuccessAt }: SpaceStatus): string {
  if (lastExchange === undefined) return 'no exchange yet'
  if (!lastExchange.isOk)
    return `failed ${lastExchange.at}: ${oneLine(lastExchange.error ?? '', 120)} (last success: ${lastSuccessAt ?? 'never'})`
  return `${lastExchange.at}: ${lastExchange.sent} sent, ${lastExchange.received} received`
}

function printSpace({ context }: CommandInput, space: SpaceStatus): void {
  const { io } = context
  const { bold, yellow } = getColors(io)
  const form = space.isPlain ? ', not encrypted' : ''
  printLine(io, `${bold(space.id)} ${space.address} (${space.kind}${form})`)
  printLine(io, `  last exchange: ${describeExchange(space)}`)
  const { isOk = true, hint } = space.lastExchange ?? {}
  if (!isOk && hint !== undefined) printLine(io, `  ${hint}`)
  if (space.isWaiting)
    printLine(io, `  ${yellow('waiting')}: another member must exchange once, so that this machine gets the key`)
  if (!space.mayShare)
    printLine(io, `  ${yellow('not sent')}: what you shared, because your role in the team is reader`)
  if (space.waitingEvents > 0 || space.waitingBatches > 0)
    printLine(io, `  to send: ${count(space.waitingEvents, 'event')}, ${space.waitingBatches} sealed batches`)
  for (const { name, machine, state, since } of space.members)
    printLine(io, `  ${name} (${machine.slice(0, 8)}): ${MEMBER_TEXT[state]}; first seen ${since}`)
  for (const { name, machine, first, last, reason } of space.refused)
    printLine(io, `  ${yellow('refused')}: records ${first} to ${last} of ${name ?? machine}: ${reason}`)
}

export const syncRunCommand: CliCommand = {
  configure(command) {
    command
      .argument('[space]', 'only this space (default: all)')
      .addHelpText(
        'after',
        '\nEnds when the exchange is done.\nExit code: 1 if an exchange failed or records were refused.',
      )
  },
  async run(input): Promise<ExitCode> {
    const { args, options, context } = input
    const sync = await context.sync()
    const only = args[0] === undefined ? {} : { space: args[0] }
    const progress = createCounter(context.io)
    try {
      for (let isFirst = true; ; isFirst = false) {
        const { isDone, sent, received } = await sync.runSync({
          ...only,
          ...(isFirst ? { cwd: context.cwd } : { isWaitOnly: true }),
          waitMs: 1_000,
        })
        progress.show(`${sent} sent, ${received} received`)
        if (isDone) break
      }
    } finally {
      progress.end()
    }
    const status = await sync.syncStatus()
    const spaces = status.spaces.filter(
      ({ id, address }) => only.space === undefined || [id, address].includes(only.space),
    )
    if (isSet(options, 'json')) printJson(context.io, { ...status, spaces })
    else for (const space of spaces) printSpace(input, space)
    const isWell = spaces.every(({ lastExchange, refused }) => lastExchange?.isOk === true && refused.length === 0)
    return isWell ? 0 : 1
  },
}

export const syncStatusCommand: CliCommand = {
  configure(command) {
    command.addHelpText('after', '\nMembers, the last exchange, what is waiting, and what was refused.')
  },
  async run(input) {
    const { options, context } = input
    const status = await (await context.sync()).syncStatus()
    if (isSet(options, 'json')) printJson(context.io, status)
    else {
      printLine(context.io, `This machine: ${status.machine.name} (${status.machine.id.slice(0, 8)})`)
      if (status.spaces.length === 0) printLine(context.io, 'No space. Add one with `holdfast sync add <dir>`.')
      for (const space of status.spaces) printSpace(input, space)
    }
    return 0
  },
}

export const syncListCommand: CliCommand = {
  configure(command) {
    command.addHelpText('after', '\nThe other commands accept these ids.')
  },
  async run({ options, context }) {
    const { spaces } = await (await context.sync()).syncStatus()
    if (isSet(options, 'json'))
      printJson(
        context.io,
        spaces.map(({ id, kind, address, isPlain, addedAt }) => ({ id, kind, address, isPlain, addedAt })),
      )
    else if (spaces.length === 0) printLine(context.io, 'No space. Add one with `holdfast sync add <dir>`.')
    else
      context.io.out(table([['id', 'kind', 'address'], ...spaces.map(({ id, kind, address }) => [id, kind, address])]))
    return 0
  },
}

export const syncAcceptCommand: CliCommand = {
  configure(command) {
    command
      .argument('<space>', 'the id or address of the space')
      .argument('<machine>', 'the name of the machine, or a prefix of its id')
      .addHelpText('after', '\nOnly needed when the setting sync.acceptMachines is `ask`.')
  },
  async run({ args, options, context }) {
    const member = await (await context.sync()).acceptMachine({ space: args[0] ?? '', machine: args[1] ?? '' })
    if (isSet(options, 'json')) printJson(context.io, member)
    else printLine(context.io, `${member.name} is accepted; the next exchange gives it the key.`)
    return 0
  },
}
