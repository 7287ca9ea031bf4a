import { join } from 'node:path'
import * as z from 'zod'
import { asList, asObject } from '../../kernel/json-shape.ts'
import type { OwnEntries } from '../contract/settings-edit.ts'
import type { HookReach, SetupPorts } from '../contract/setup.ts'

/** Our name in a harness's list of servers, and so the prefix of our tools' names there. */
export const MCP_SERVER = 'holdfast'

/** How a harness starts our MCP server. */
export interface McpServerCommand {
  readonly command: string
  readonly args: readonly string[]
  /** Set when the home is not the default one. */
  readonly env?: Readonly<Record<string, string>>
}

export function buildMcpServer(ports: Pick<SetupPorts, 'nodePath' | 'distDir' | 'env' | 'home'>): McpServerCommand {
  return {
    command: ports.nodePath,
    args: [join(ports.distDir, '..', 'bin', 'holdfast'), 'mcp'],
    ...(ports.env.HOLDFAST_HOME ? { env: { HOLDFAST_HOME: ports.home.root } } : {}),
  }
}

const PROGRAM = /[\\/]bin[\\/]holdfast$/

/** Whether a command line is one that we write: `node …/bin/holdfast mcp`. Plain `holdfast mcp` was typed by a person. */
export function isOurMcpServer(command: unknown, args: readonly unknown[]): boolean {
  const [program, word] = args
  return typeof command === 'string' && typeof program === 'string' && PROGRAM.test(program) && word === 'mcp'
}

/** Whether an entry starts our server, with the command as text beside `args` or as one list of words. */
export function isOurMcpEntry(value: unknown): boolean {
  const { command, args } = asObject(value)
  if (!Array.isArray(command)) return isOurMcpServer(command, asList(args))
  const [program, ...rest]: readonly unknown[] = command
  return isOurMcpServer(program, [...rest, ...asList(args)])
}

const Entry = z.looseObject({
  command: z.string(),
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string()).optional(),
})

/** A server as most harnesses write it: `command`, `args` and `env`; undefined for anything else. */
export function readMcpServer(value: unknown): McpServerCommand | undefined {
  const entry = Entry.safeParse(value)
  if (!entry.success) return undefined
  const { command, args, env } = entry.data
  return { command, args, ...(env === undefined ? {} : { env }) }
}

/** Probes the server of an entry, started as the harness would start it. */
export function mcpReach(
  find: (text: string) => OwnEntries,
  read: (value: unknown) => McpServerCommand | undefined,
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
