import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { resolveHome } from '../../platform/base/home.ts'
import { boundedJson } from './bounded-json.ts'
import type { PluginHost } from './report.ts'

const FINAL_EVENT_MS = 1_000

export interface PluginOptions {
  /** Overrides `HOLDFAST_HOME` of the environment. */
  readonly home?: string
  readonly node?: string
  /** `hook.cjs` of the built package; searched near the plugin when absent. */
  readonly hook?: string
}

/**
 * The recorded Node, unless it is gone. A harness that is a single executable has its own runtime; only plain Node can run
 * `hook.cjs`.
 */
function findNode(options: PluginOptions, env: NodeJS.ProcessEnv): string {
  const known = [options.node, env.HOLDFAST_NODE].find((node) => node !== undefined && existsSync(node))
  return known ?? (process.versions.bun === undefined ? process.execPath : 'node')
}

/** Beside the plugin's bundle or above its folder; a harness that copies its plugins passes the path. */
function findHookScript(options: PluginOptions): string {
  const near = ['.', '..', '../..'].map((way) => join(import.meta.dirname, way, 'hook.cjs'))
  return options.hook ?? near.find((path) => existsSync(path)) ?? near[0] ?? 'hook.cjs'
}

export function detectPluginHost(options: PluginOptions): PluginHost {
  const env = process.env
  return {
    home: resolveHome(options.home === undefined ? env : { ...env, HOLDFAST_HOME: options.home }),
    env,
    pid: process.pid,
    hookScript: findHookScript(options),
    node: findNode(options, env),
    now: () => new Date().toISOString(),
  }
}

export function isCallable(value: unknown): value is (...args: readonly unknown[]) => unknown {
  return typeof value === 'function'
}

type Callback = (first: unknown, second: unknown) => unknown

/** Swallows every failure: the harness must continue as if the plugin did not exist. */
export function quietly(callback: Callback): Callback {
  return (first, second) => {
    try {
      const result = callback(first, second)
      return result instanceof Promise ? result.catch(() => undefined) : result
    } catch {
      // There is nowhere to report it: the harness's output belongs to its user.
      return undefined
    }
  }
}

interface FinalEvent {
  readonly harness: string
  readonly hook: string
  readonly payload: unknown
}

/** For a harness that ends without an event: a process that exits can only wait for a child. */
export function reportAtExit(surroundings: PluginHost, listFinalEvents: () => readonly FinalEvent[]): void {
  const { env, home, pid, node, hookScript } = surroundings
  process.once('exit', () => {
    try {
      for (const { harness, hook, payload } of listFinalEvents().slice(0, 3))
        spawnSync(node, [hookScript, harness, hook], {
          input: boundedJson(payload),
          env: { ...env, HOLDFAST_HOME: home.root, HOLDFAST_PID: String(pid) },
          stdio: ['pipe', 'ignore', 'ignore'],
          timeout: FINAL_EVENT_MS,
          windowsHide: true,
        })
    } catch {
      // The process is ending; the daemon will notice that it is gone.
    }
  })
}
