import { processIo } from './process-io.ts'
import { runCli } from './run.ts'

const io = processIo(process)
const exitCode = await runCli(process.argv.slice(2), { env: process.env, cwd: process.cwd(), io })
await io.flush()
// Not left to the event loop: a socket kept warm for the next call would hold the prompt back.
process.exit(exitCode)
