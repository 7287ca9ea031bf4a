import { join } from 'node:path'
import { z } from 'zod'
import type { OwnEntries } from '../contract/settings-edit.ts'
import type { HookReach, SetupWorld } from '../contract/setup.ts'

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

const Entry = z.looseObject({
  command: z.string(),
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string()).optional(),
})

/** How most harnesses write a server: `command`, `args` and `env`; undefined for anything else. */
export function readMcpServer(value: unknown): McpServer | undefined {
  const entry = Entry.safeParse(value)
  if (!entry.success) return undefined
  const { command, args, env } = entry.data
  return { command, args, ...(env === undefined ? {} : { env }) }
}

/** Asks the server that an entry names, as the harness would start it. */
export function mcpReach(
  find: (text: string) => OwnEntries,
  read: (value: unknown) => McpServer | undefined,
): HookReach {
  const serverIn = (text: string) => read([...find(text).values()].flat()[0])
  return {
    findHome: (text) => serverIn(text)?.env?.HOLDFAST_HOME,
    findHttp: () => undefined,
    probes(text) {
      const server = serverIn(text)
      return server === undefined ? [] : [{ way: 'mcp', ...server, env: server.env ?? {} }]
    },
  }
}
