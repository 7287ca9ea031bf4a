import { claudeCode, claudeProgram } from './claude-code.ts'
import { codex, codexProgram } from './codex.ts'
import { geminiCli, geminiProgram } from './gemini-cli.ts'
import { cacheDir } from './install-client.ts'
import { openClaw, openClawPrograms } from './openclaw.ts'
import { openCode, openCodeProgram } from './opencode.ts'

/** Every real client that a suite here drives. */
const clients = [
  { ...claudeCode, program: claudeProgram },
  { ...codex, program: codexProgram },
  { ...geminiCli, program: geminiProgram },
  { ...openCode, program: openCodeProgram },
  { ...openClaw, program: openClawPrograms },
]

/** Installs what is missing, and returns the cache. A client that cannot be had is an error that names it. */
export async function prepareClients(tell: (line: string) => void): Promise<string> {
  for (const client of clients) {
    await client.program()
    tell(`client ${client.id} ${client.version}: ready`)
  }
  return cacheDir()
}
