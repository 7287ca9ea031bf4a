import { hostname } from 'node:os'
import { HoldfastError } from '../../../kernel/errors.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { readMachine, readStoreOwner } from '../../../platform/machine.ts'
import { ensurePrivateDir } from '../../../platform/files/atomic-file.ts'
import { parseInviteLink } from '../../../team/invite-link.ts'
import { deleteMembership, readMembership, writeMembership } from '../../../team/io/client/membership-file.ts'
import { createTeamClient } from '../../../team/io/client/team-client.ts'
import { isSet, textOption } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { count, printJson, printLine, table } from '../../shared/output.ts'
import { confirm } from '../../setup/setup-ports.ts'
import { formatBytes, requireMembership } from './team-access.ts'

export const teamJoinCommand: CliCommand = {
  configure(command) {
    command
      .argument('<link>', 'the link that `holdfast team invite` printed, in quotes')
      .option('--name <text>', 'how colleagues see you (default: account@host)')
      .addHelpText('after', '\nExample:\n  holdfast team join "https://team.example.org/join#…"')
  },
  async run({ args, options, context }) {
    const { home, io, config } = context
    const { server, code } = parseInviteLink(args[0] ?? '')
    const joined = readMembership(home)
    if (joined !== undefined) {
      throw new HoldfastError('conflict', `This home has joined ${joined.teamName} on ${joined.server}.`, {
        hint: 'Run `holdfast team leave` first.',
      })
    }
    ensurePrivateDir(home.root)
    const { id, name } = readStoreOwner(home, config.store.person)
    const admission = await createTeamClient({ server }).join({
      code,
      person: id,
      name: textOption(options, 'name') ?? name,
      // Of the host, also in a container: its logs continue when the container is replaced.
      machine: readMachine(home, false).hostId,
      machineName: hostname().slice(0, 64) || 'unnamed',
    })
    writeMembership(home, { server, ...admission, joinedAt: systemClock.now() })
    const { team, teamName, person, machine, role } = admission
    if (isSet(options, 'json')) printJson(io, { server, team, teamName, person, machine, role })
    else {
      printLine(io, `This machine has joined ${teamName} as ${role}.`)
      printLine(io, 'Memories stay private until `holdfast share`. `holdfast team members` lists the people.')
    }
    return 0
  },
}

export const teamLeaveCommand: CliCommand = {
  configure(command) {
    command
      .option('--forget', 'only delete the membership here, for a server that no longer exists')
      .option('--yes', 'do not ask')
      .addHelpText(
        'after',
        '\nOn your last machine in the team this deletes your private records on the\nserver. Shared records stay there; nothing is deleted on this machine.',
      )
  },
  async run({ options, context }) {
    const { home, io } = context
    const membership = requireMembership(home)
    const { server, key, person, machine, teamName } = membership
    const asJson = isSet(options, 'json')
    if (isSet(options, 'forget')) {
      deleteMembership(home)
      if (asJson) printJson(io, { team: membership.team, isForgotten: true })
      else
        printLine(io, `The membership in ${teamName} was deleted here. Its key still works until an admin revokes it.`)
      return 0
    }
    const client = createTeamClient({ server, key })
    const machines = await client.listMachines()
    const isLast = !machines.some((one) => one.person === person && one.machine !== machine && one.leftAt === undefined)
    const question = isLast
      ? `Leave ${teamName}? It is your last machine there: your private records on the server are deleted.`
      : `Leave ${teamName} with this machine?`
    if (!isSet(options, 'yes') && !(await confirm(context, question))) return 1
    const report = isLast ? await client.removePerson(person) : await client.revokeMachine(machine)
    deleteMembership(home)
    if (asJson) printJson(io, report)
    else {
      printLine(io, `This machine has left ${teamName}.`)
      if ('privateBatches' in report)
        printLine(
          io,
          `Deleted on the server: ${count(report.privateBatches, 'private batch', 'private batches')} (${formatBytes(report.privateBytes)}).`,
        )
    }
    return 0
  },
}

export const teamStatusCommand: CliCommand = {
  configure(command) {
    command.addHelpText('after', '\nExit code: 0 if this machine is in a team and its server answers, 1 otherwise.')
  },
  async run({ options, context: { home, io } }) {
    const membership = readMembership(home)
    const asJson = isSet(options, 'json')
    if (membership === undefined) {
      if (asJson) printJson(io, { isMember: false })
      else printLine(io, 'This machine has not joined a team. An admin makes a link with `holdfast team invite`.')
      return 1
    }
    const { server, key, teamName, person, machine, role } = membership
    const local = { isMember: true, server, teamName, person, machine, role }
    try {
      const standing = await createTeamClient({ server, key }).readStanding()
      if (asJson) printJson(io, { ...local, ...standing, isReachable: true })
      else {
        io.out(
          table([
            ['team', `${standing.teamName} (${server})`],
            ['person', standing.person],
            ['machine', standing.machine],
            ['role', standing.role],
            ['stored', `${formatBytes(standing.usedBytes)} of ${formatBytes(standing.quotaBytes)}`],
            ['server', standing.serverVersion],
          ]),
        )
      }
      return 0
    } catch (thrown) {
      if (!(thrown instanceof HoldfastError)) throw thrown
      const { code, message, hint } = thrown
      if (asJson)
        printJson(io, { ...local, isReachable: false, error: { code, message, ...(hint !== undefined && { hint }) } })
      else {
        io.out(
          table([
            ['team', `${teamName} (${server})`],
            ['person', person],
            ['machine', machine],
            ['role', role],
          ]),
        )
        printLine(io, message)
        if (hint !== undefined) printLine(io, hint)
      }
      return 1
    }
  },
}
