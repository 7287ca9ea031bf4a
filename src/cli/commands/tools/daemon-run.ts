import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { pathOutsideProjects } from '../../../platform/process/programs.ts'
import { isSet } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { builtFile } from '../../shared/built-files.ts'
import { printJson } from '../../shared/output.ts'

/** Its own process, though in the foreground: only the daemon's bundle may hold what opens the database. */
export const daemonRunCommand: CliCommand = {
  name: 'daemon run',
  summary: 'run it in the foreground',
  configure: () => undefined,
  async run({ options, context: { env: given, io, cwd } }) {
    const env = { ...given, PATH: pathOutsideProjects({ env: given, cwd }) }
    const child = spawn(process.execPath, [builtFile('daemon.js')], { stdio: ['ignore', 'inherit', 'inherit'], env })
    const forward = (signal: NodeJS.Signals) => child.kill(signal)
    process.on('SIGINT', forward).on('SIGTERM', forward)
    const [code]: readonly unknown[] = await once(child, 'exit')
    if (isSet(options, 'json')) printJson(io, { exitCode: code })
    return code === 0 ? 0 : 1
  },
}
