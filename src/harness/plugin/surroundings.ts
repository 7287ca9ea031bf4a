import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { homeOf } from '../../platform/base/home.ts'
import { boundedJson } from './bounded-json.ts'
import type { Surroundings } from './report.ts'

const LAST_WORD_MS = 1_000

export interface PluginOptions {
  /** Replaces the environment's `HOLDFAST_HOME`. */
  readonly home?: string
  readonly node?: string
  /** `hook.cjs` of the built package; looked for near the plugin when absent. */
  readonly hook?: string
}

/** A harness that is one program has a runtime of its own; only under plain Node is that the Node to use. */
function nodeOf(options: PluginOptions, env: NodeJS.ProcessEnv): string {
  return options.node ?? env.HOLDFAST_NODE ?? (process.versions.bun === undefined ? process.execPath : 'node')
}

/** Beside the plugin's bundle, or above its folder; a harness that copies its plugins has to be told. */
function hookScriptOf(options: PluginOptions): string {
  const near = ['.', '..', '../..'].map((way) => join(import.meta.dirname, way, 'hook.cjs'))
  return options.hook ?? near.find((path) => existsSync(path)) ?? near[0] ?? 'hook.cjs'
}

export function surroundingsOf(options: PluginOptions): Surroundings {
  const env = process.env
  return {
    home: homeOf(options.home === undefined ? env : { ...env, HOLDFAST_HOME: options.home }),
    env,
    pid: process.pid,
    hookScript: hookScriptOf(options),
    node: nodeOf(options, env),
    now: () => new Date().toISOString(),
  }
}

export function isCallable(value: unknown): value is (...args: readonly unknown[]) => unknown {
  return typeof value === 'function'
}

type Callback = (first: unknown, second: unknown) => unknown

/** Whatever goes wrong in here, the harness goes on as if we were not there. */
export function quietly(callback: Callback): Callback {
  return (first, second) => {
    try {
      const result = callback(first, second)
      return result instanceof Promise ? result.catch(() => undefined) : result
    } catch {
      // Nowhere to say it: the harness's output is its user's.
      return undefined
    }
  }
}

interface LastWord {
  readonly harness: string
  readonly hook: string
  readonly payload: unknown
}

/** For a harness that ends without a word: a process that exits can wait for a child, and for nothing else. */
export function tellAtExit(surroundings: Surroundings, lastWords: () => readonly LastWord[]): void {
  const { env, home, pid, node, hookScript } = surroundings
  process.once('exit', () => {
    try {
      for (const { harness, hook, payload } of lastWords().slice(0, 3))
        spawnSync(node, [hookScript, harness, hook], {
          input: boundedJson(payload),
          env: { ...env, HOLDFAST_HOME: home.root, HOLDFAST_PID: String(pid) },
          stdio: ['pipe', 'ignore', 'ignore'],
          timeout: LAST_WORD_MS,
          windowsHide: true,
        })
    } catch {
      // The process is ending; the daemon will see that it is gone.
    }
  })
}
