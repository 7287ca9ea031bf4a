import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { builtFile } from '../../shared/built-files.ts'
import type { CliCommand } from '../../shared/command.ts'

/** `bin/holdfast` runs plain `mcp` without this file; it serves `mcp --help` and `mcp` with options. */
export const mcpCommand: CliCommand = {
  configure(command) {
    command.addHelpText(
      'after',
      '\nExample:\n  claude mcp add holdfast -- holdfast mcp\n\nThe daemon serves the same tools at http://127.0.0.1:<port>/mcp, with the token\nin the Holdfast home.',
    )
  },
  async run({ context: { env, cwd } }) {
    const child = spawn(process.execPath, [builtFile('mcp-pipe.cjs')], { stdio: 'inherit', env, cwd })
    const [code]: readonly unknown[] = await once(child, 'exit')
    return code === 0 ? 0 : 1
  },
}
