import { join } from 'node:path'
import type { SetupWorld } from '../setup.ts'

/** The name under which harnesses know us, and so the prefix of our tools' names there. */
export const MCP_SERVER = 'holdfast'

/** How a harness starts our MCP server. */
export interface McpServer {
  readonly command: string
  readonly args: readonly string[]
  /** Set when the home is not where the server would look by itself. */
  readonly env?: Readonly<Record<string, string>>
}

export function mcpServer(world: Pick<SetupWorld, 'nodePath' | 'distDir' | 'env' | 'home'>): McpServer {
  return {
    command: world.nodePath,
    args: [join(world.distDir, '..', 'bin', 'holdfast'), 'mcp'],
    ...(world.env.HOLDFAST_HOME ? { env: { HOLDFAST_HOME: world.home.root } } : {}),
  }
}

const PROGRAM = /[\\/]bin[\\/]holdfast$/

/** Whether a command line is one that we write: `node …/bin/holdfast mcp`. `holdfast mcp` was typed by somebody. */
export function isOurMcpServer(command: unknown, args: readonly unknown[]): boolean {
  const [program, word] = args
  return typeof command === 'string' && typeof program === 'string' && PROGRAM.test(program) && word === 'mcp'
}
