import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { builtFile } from '../../shared/built-files.ts'
import type { CliCommand } from '../../shared/command.ts'

/** Without options `bin/holdfast` runs the pipe itself; here it is for help, and for whoever writes `mcp --json`. */
export const mcpCommand: CliCommand = {
  name: 'mcp',
  summary: 'the MCP server that harnesses start: speaks JSON-RPC on stdin and stdout',
  configure(command) {
    command.addHelpText(
      'after',
      '\nExample:\n  claude mcp add holdfast -- holdfast mcp\n\nOver HTTP the same tools are at http://127.0.0.1:<port>/mcp, with the token of the Holdfast home.',
    )
  },
  async run({ context: { env, cwd } }) {
    const child = spawn(process.execPath, [builtFile('mcp-pipe.cjs')], { stdio: 'inherit', env, cwd })
    const [code]: readonly unknown[] = await once(child, 'exit')
    return code === 0 ? 0 : 1
  },
}
