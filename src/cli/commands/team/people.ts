import { InvalidArgumentError, Option } from 'commander'
import { HoldfastError } from '../../../kernel/errors.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { formatInviteLink } from '../../../team/invite-link.ts'
import { readMembership } from '../../../team/io/client/membership-file.ts'
import { createTeamClient, type TeamClient } from '../../../team/io/client/team-client.ts'
import { isTeamRole, TEAM_ROLES, type TeamRole } from '../../../team/team-role.ts'
import { isSet, numberOption } from '../../shared/arguments.ts'
import type { CliCommand, CommandInput } from '../../shared/command.ts'
import { count, formatAge, oneLine, printJson, printLine, table } from '../../shared/output.ts'
import { confirm } from '../../setup/setup-ports.ts'
import { formatBytes, openTeamManager, requireMembership } from './team-access.ts'

const SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400 }
const DEFAULT_EXPIRY_SECONDS = 7 * 86_400
const MAX_EXPIRY_SECONDS = 90 * 86_400

function durationSeconds(text: string): number {
  const [, amount = '', unit = ''] = /^(\d{1,4})([mhd])$/.exec(text) ?? []
  const seconds = Number(amount) * (SECONDS[unit] ?? 0)
  if (seconds >= 60 && seconds <= MAX_EXPIRY_SECONDS) return seconds
  throw new InvalidArgumentError('It must be a time such as 30m, 24h or 7d, at most 90d.')
}

function readRole(value: unknown, fallback: TeamRole): TeamRole {
  if (value === undefined) return fallback
  if (isTeamRole(value)) return value
  throw new HoldfastError('invalid-input', `A role is one of ${TEAM_ROLES.join(', ')}.`)
}

export const teamInviteCommand: CliCommand = {
  configure(command) {
    command
      .addOption(new Option('--role <role>', 'what the person may do (default: member)').choices(TEAM_ROLES))
      .option('--own-machine', 'for another machine of yours; it gets your private records')
      .option('--expires <time>', 'how long the link works: 30m, 24h, 7d (default: 7d)', durationSeconds)
      .addHelpText('after', '\nThe link works once. Anyone who has it can join:\nsend it over a private channel.')
  },
  async run({ options, context: { home, io } }) {
    const isForOwnMachine = isSet(options, 'ownMachine')
    const { server, client } = isForOwnMachine ? openOwn({ home }) : openTeamManager(home)
    const role = readRole(options.role, 'member')
    const expiresSeconds = numberOption(options, 'expires') ?? DEFAULT_EXPIRY_SECONDS
    const code = await client.createInvite({ role, expiresSeconds, isForOwnMachine })
    const link = formatInviteLink({ server, code })
    if (isSet(options, 'json')) printJson(io, { link, expiresSeconds, ...(!isForOwnMachine && { role }) })
    else printLine(io, link)
    return 0
  },
}

function openOwn({ home }: Pick<CommandInput['context'], 'home'>): {
  readonly server: string
  readonly client: TeamClient
} {
  const { server, key } = requireMembership(home)
  return { server, client: createTeamClient({ server, key }) }
}

export const teamMembersCommand: CliCommand = {
  configure: () => undefined,
  async run({ options, context: { home, io } }) {
    const people = await openTeamManager(home).client.listPeople()
    if (isSet(options, 'json')) printJson(io, people)
    else {
      const now = systemClock.now()
      const me = readMembership(home)?.person
      io.out(
        table(
          people.map(({ person, name, role, joinedAt }) => [
            person,
            oneLine(name, 40),
            role,
            `joined ${formatAge(joinedAt, now)}`,
            person === me ? '(you)' : '',
          ]),
        ),
      )
      if (people.length === 0) printLine(io, 'The team has no members yet.')
    }
    return 0
  },
}

export const teamMachinesCommand: CliCommand = {
  configure(command) {
    command.option('--all', 'include machines that left')
  },
  async run({ options, context: { home, io } }) {
    const machines = (await openTeamManager(home).client.listMachines()).filter(
      ({ leftAt }) => isSet(options, 'all') || leftAt === undefined,
    )
    if (isSet(options, 'json')) printJson(io, machines)
    else {
      io.out(
        table(
          machines.map(({ machine, person, name, leftAt, seenOn }) => [
            machine,
            oneLine(name, 30),
            person,
            leftAt === undefined ? `seen ${seenOn ?? 'never'}` : `left ${leftAt.slice(0, 10)}`,
          ]),
        ),
      )
      if (machines.length === 0) printLine(io, 'There are no machines.')
    }
    return 0
  },
}

export const teamReadsCommand: CliCommand = {
  configure: () => undefined,
  async run({ options, context: { home, io } }) {
    const reads = await openOwn({ home }).client.listReads()
    if (isSet(options, 'json')) printJson(io, reads)
    else {
      io.out(
        table(
          reads.map(({ day, reader, owner, machine, repository, times, first, last }) => [
            day,
            reader,
            `read ${owner}`,
            machine.slice(0, 8),
            repository.slice(0, 12),
            `records ${first}–${last}`,
            `${times}×`,
          ]),
        ),
      )
      if (reads.length === 0) printLine(io, 'No member has read the records of another one yet.')
    }
    return 0
  },
}

const ROTATION = 'The next exchange of a member rotates the key of the space.'

export const teamKeyCommand: CliCommand = {
  configure(command) {
    command
      .argument('<revoke>', 'the action: revoke')
      .argument('<machine>', 'the id of a machine (`holdfast team machines`), or a prefix of it')
  },
  async run({ args, options, context: { home, io } }) {
    const [act, wanted = ''] = args
    if (act !== 'revoke')
      throw new HoldfastError('invalid-input', 'The only action is revoke: `holdfast team key revoke <machine>`.')
    const { client } = openTeamManager(home)
    const found = (await client.listMachines()).filter(
      ({ machine, leftAt }) => leftAt === undefined && machine.startsWith(wanted),
    )
    const [one] = found
    if (one === undefined || found.length > 1) {
      throw new HoldfastError(
        one === undefined ? 'not-found' : 'invalid-input',
        `"${wanted}" matches ${count(found.length, 'machine')}.`,
        {
          hint: '`holdfast team machines` lists them.',
        },
      )
    }
    const revoked = await client.revokeMachine(one.machine)
    if (isSet(options, 'json')) printJson(io, revoked)
    else printLine(io, `${one.name} (${one.machine}) cannot reach the team any more. ${ROTATION}`)
    return 0
  },
}

export const teamRoleCommand: CliCommand = {
  configure(command) {
    command
      .argument('<person>', 'the id of a person (`holdfast team members`)')
      .argument('<role>', TEAM_ROLES.join(', '))
  },
  async run({ args, options, context: { home, io } }) {
    const [person = '', role] = args
    const wanted = readRole(role, 'member')
    await openTeamManager(home).client.changeRole(person, wanted)
    if (isSet(options, 'json')) printJson(io, { person, role: wanted })
    else printLine(io, `${person} is ${wanted} now.`)
    return 0
  },
}

export const teamRemoveCommand: CliCommand = {
  configure(command) {
    command
      .argument('<person>', 'the id of a person (`holdfast team members`)')
      .option('--yes', 'do not ask')
      .addHelpText(
        'after',
        '\nRevokes their keys at once, and deletes their private records on the server.\nShared records stay.',
      )
  },
  async run({ args, options, context }) {
    const { home, io } = context
    const [person = ''] = args
    if (
      !isSet(options, 'yes') &&
      !(await confirm(context, `Remove ${person} and delete their private records on the server?`))
    )
      return 1
    const departure = await openTeamManager(home).client.removePerson(person)
    if (isSet(options, 'json')) printJson(io, departure)
    else {
      const { keys, privateLogs, privateBatches, privateBytes, sharedBatches } = departure
      printLine(io, `${person} is removed: ${count(keys, 'key')} revoked.`)
      printLine(
        io,
        `Deleted: ${count(privateBatches, 'private batch', 'private batches')} of ${count(privateLogs, 'log')} (${formatBytes(privateBytes)}). Kept: ${count(sharedBatches, 'shared batch', 'shared batches')}.`,
      )
      printLine(io, ROTATION)
    }
    return 0
  },
}
