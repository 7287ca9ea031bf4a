import { HoldfastError } from '../kernel/errors.ts'
import { resolveHome } from '../platform/base/home.ts'
import { reportFailure } from './shared/failure.ts'
import { processIo } from './process-io.ts'
import { runCli, wantsJson } from './run.ts'

const io = processIo(process)

/** Undefined when the current folder was deleted. */
function findCwd(): string | undefined {
  try {
    return process.cwd()
  } catch {
    return undefined
  }
}

function refuseWithoutFolder(words: readonly string[]) {
  const gone = new HoldfastError('not-found', 'The current folder no longer exists.', {
    hint: 'Change to another folder (`cd ~`), then run the command again.',
  })
  return reportFailure(gone, { io, home: resolveHome(process.env), asJson: wantsJson(words), showStack: false })
}

const words = process.argv.slice(2)
const cwd = findCwd()
const exitCode = cwd === undefined ? refuseWithoutFolder(words) : await runCli(words, { env: process.env, cwd, io })
await io.flush()
// An explicit exit: a kept-alive socket would delay the end of the process.
process.exit(exitCode)
