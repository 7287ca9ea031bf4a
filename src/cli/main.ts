import { HoldfastError } from '../kernel/errors.ts'
import { homeOf } from '../platform/base/home.ts'
import { reportFailure } from './shared/failure.ts'
import { processIo } from './process-io.ts'
import { runCli, wantsJson } from './run.ts'

const io = processIo(process)

/** Undefined where the folder was deleted meanwhile: then the system names none. */
function findCwd(): string | undefined {
  try {
    return process.cwd()
  } catch {
    return undefined
  }
}

function refuseWithoutFolder(words: readonly string[]) {
  const gone = new HoldfastError('not-found', 'The folder that this command was started in is gone.', {
    hint: 'Go to another one (`cd ~`), then run it again.',
  })
  return reportFailure(gone, { io, home: homeOf(process.env), asJson: wantsJson(words), showStack: false })
}

const words = process.argv.slice(2)
const cwd = findCwd()
const exitCode = cwd === undefined ? refuseWithoutFolder(words) : await runCli(words, { env: process.env, cwd, io })
await io.flush()
// Not left to the event loop: a socket kept warm for the next call would hold the prompt back.
process.exit(exitCode)
