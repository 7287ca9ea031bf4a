import { once } from 'node:events'
import { join } from 'node:path'
import { HoldfastError } from '../../../kernel/errors.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { ensurePrivateDir } from '../../../platform/files/atomic-file.ts'
import { createLog } from '../../../platform/log.ts'
import { writeOperator } from '../../../team/io/client/membership-file.ts'
import { parseServerAddress } from '../../../team/invite-link.ts'
import { collect, isSet, listOption, numberOption, textOption, wholeNumber } from '../../shared/arguments.ts'
import type { CliCommand, CommandInput } from '../../shared/command.ts'
import { printJson, printLine } from '../../shared/output.ts'

const DEFAULT_PORT = 7_420
const DEFAULT_QUOTA_MB = 10_240
const DEFAULT_CONNECTIONS = 16
const DEFAULT_BATCH_KB = 8_192
const KILOBYTE = 1_024
const MEGABYTE = 1_048_576

function findStores({ options, context: { env } }: CommandInput): readonly string[] {
  const typed = listOption(options, 'store')
  const stores = typed.length > 0 ? typed : (env.HOLDFAST_TEAM_STORE ?? '').split(/\s+/).filter((url) => url !== '')
  if (stores.length === 0) {
    throw new HoldfastError('invalid-input', 'A team server needs the address of its PostgreSQL.', {
      hint: 'Give `--store postgres://user@host/database`, or set HOLDFAST_TEAM_STORE, which does not show its password in the process list.',
    })
  }
  if (stores.every((url) => /^postgres(?:ql)?:\/\//.test(url))) return stores
  // Not quoted: it may hold a password.
  throw new HoldfastError('invalid-input', 'The store of a team server is a PostgreSQL database.', {
    hint: 'Its address begins with postgres://.',
  })
}

/** Resolves at the first signal to end. A second one ends the process at once. */
async function waitForEnd(): Promise<void> {
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
}

export const teamServeCommand: CliCommand = {
  configure(command) {
    command
      .option('--store <url>', 'PostgreSQL of the team; repeat it to spread repositories over several', collect)
      .option('--port <n>', `port (default: ${DEFAULT_PORT})`, wholeNumber(0, 65_535))
      .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
      .option(
        '--behind-proxy',
        'a TLS proxy is before this server: allow other addresses than loopback, trust X-Forwarded-For',
      )
      .option('--url <address>', 'the https address used in invite links')
      .option('--name <text>', 'name of the team, which the first start creates')
      .option(
        '--quota <megabytes>',
        `stored bytes for each person of a new team (default: ${DEFAULT_QUOTA_MB})`,
        wholeNumber(1, 100_000_000),
      )
      .option('--connections <n>', `connections to each store (default: ${DEFAULT_CONNECTIONS})`, wholeNumber(2, 1_000))
      .option('--max-batch <kilobytes>', `largest request (default: ${DEFAULT_BATCH_KB})`, wholeNumber(64, 65_536))
      .option('--reset-operator', 'create a new operator key for this home and revoke the old one')
      .addHelpText(
        'after',
        '\nThe server speaks plain HTTP on loopback: put a TLS proxy in front of it\n(docs/team.md). With --json it prints one document when it is ready, and runs\nuntil it gets SIGINT or SIGTERM.\n\nExample:\n  $ holdfast team serve --store postgres://holdfast@db/team \\\n      --url https://team.example.org',
      )
  },
  async run(input) {
    const { options, context } = input
    const { home, io } = context
    const stores = findStores(input)
    const given = textOption(options, 'url')
    const address = given === undefined ? undefined : parseServerAddress(given)
    const end = waitForEnd()
    ensurePrivateDir(home.logDir, home.root)
    const log = createLog({ file: join(home.logDir, 'team-server.log'), level: 'info', clock: systemClock })
    // Loaded on demand: PostgreSQL's driver and the HTTP server are for this command only.
    const { serveTeam } = await import('../../../team/io/server/serve-team.ts')
    const server = await serveTeam({
      stores,
      host: textOption(options, 'host') ?? '127.0.0.1',
      port: numberOption(options, 'port') ?? DEFAULT_PORT,
      isBehindProxy: isSet(options, 'behindProxy'),
      teamName: textOption(options, 'name') ?? 'team',
      quotaBytes: (numberOption(options, 'quota') ?? DEFAULT_QUOTA_MB) * MEGABYTE,
      connections: numberOption(options, 'connections') ?? DEFAULT_CONNECTIONS,
      maxBatchBytes: (numberOption(options, 'maxBatch') ?? DEFAULT_BATCH_KB) * KILOBYTE,
      resetsOperator: isSet(options, 'resetOperator'),
      clock: systemClock,
      log,
    })
    const url = address ?? `http://127.0.0.1:${server.port}`
    if (server.operator !== undefined) writeOperator(home, { server: url, ...server.operator })
    if (isSet(options, 'json'))
      printJson(io, { url, port: server.port, pid: process.pid, isNewTeam: server.operator !== undefined })
    else {
      printLine(io, `The team server listens on port ${server.port}; its address is ${url}.`)
      if (server.operator !== undefined)
        printLine(io, 'Invite the first admin from this account: `holdfast team invite --role admin`.')
    }
    await end
    await server.stop()
    return 0
  },
}
