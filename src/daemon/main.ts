import { join } from 'node:path'
import { HoldfastError, getErrorMessage } from '../kernel/errors.ts'
import { systemClock } from '../platform/base/clock.ts'
import { loadConfig } from '../platform/config.ts'
import { createRedactors } from '../platform/redactors.ts'
import { type Home, resolveHome } from '../platform/base/home.ts'
import { createLog } from '../platform/log.ts'
import { createCodeInspector } from '../codemap/code-inspector.ts'
import { piecesFile } from '../storage/pieces-ltm.ts'
import { collectIdleMemory } from '../platform/process/idle-memory.ts'
import { systemProcesses } from '../platform/process/processes.ts'
import { removeAbandonedScratch, removeFormerScratch } from '../platform/scratch-dir.ts'
import { clearStartFailure, saveStartFailure } from '../platform/start-failure.ts'
import { noticeKey, type StartNotices } from '../platform/start-notices.ts'
import { connectors } from '../harness/registry.ts'
import { refreshByProgram } from './housekeeping/index-refresh.ts'
import { createImportRun } from './housekeeping/import-run.ts'
import { openApp } from './wiring/open-app.ts'
import { createOutboxDelivery } from './housekeeping/outbox-delivery.ts'
import { watchProgram } from './process/lifecycle.ts'
import { type RunningDaemon, startDaemon } from './start.ts'

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** In the format of every harness, for each of its hooks that can inject. */
function renderNotices(text: string): StartNotices {
  const forUser = text.replace(/^Holdfast: /, '')
  return Object.fromEntries(
    connectors.flatMap((connector) =>
      connector.hooks.flatMap(({ hook }) => {
        const output = connector.writeInjection(hook, text, forUser)
        return output === undefined ? [] : [[noticeKey(connector.id, hook), output] as const]
      }),
    ),
  )
}

/** Records a failed start, so that hooks do not keep starting a daemon that cannot read its configuration. */
function recordingFailure<T>(home: Home, load: () => T): T {
  try {
    return load()
  } catch (thrown) {
    saveStartFailure(home, thrown, { pid: process.pid, renderNotices })
    throw thrown
  }
}

async function main(): Promise<void> {
  // Files of the daemon are private, whatever umask it inherits.
  process.umask(0o077)
  const { env } = process
  // Set for this process by its starter; the programs that it runs must not inherit it.
  delete env['MALLOC_ARENA_MAX']
  const home = resolveHome(env)
  const clock = systemClock
  const isCurrent = watchProgram(import.meta.filename)
  const { config, warnings } = recordingFailure(home, () => loadConfig({ home, env }))
  const log = createLog({ file: home.daemonLog, level: config.log.level, clock })
  for (const warning of warnings) log.warn(warning)

  /** A project may enable it even if the user's file does not. That file may have become unreadable since the start. */
  function readsEnvFiles(worktree: string): boolean {
    if (config.redaction.envFiles) return true
    try {
      return loadConfig({ home, env, cwd: worktree }).config.redaction.envFiles
    } catch {
      return false
    }
  }

  let daemon: RunningDaemon | undefined
  let signals = 0
  const onSignal = (signal: NodeJS.Signals) => {
    signals += 1
    if (signals > 1 || daemon === undefined) process.exit(1)
    void daemon.stop(signal)
  }
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal)
  // Acknowledged events are durable, and the next hook starts a new daemon: better than running in an unknown state.
  process.on('uncaughtException', (error) => {
    log.error('daemon crashed', {
      error: getErrorMessage(error),
      stack: error.stack?.split('\n').slice(1, 6).join(' '),
    })
    process.exit(1)
  })

  const memory = collectIdleMemory()
  const program = join(import.meta.dirname, '..', 'bin', 'holdfast')
  const result = await startDaemon({
    home,
    config,
    clock,
    log,
    isCurrent,
    dashboardDir: join(import.meta.dirname, 'dashboard'),
    importRun: createImportRun({ program, log }),
    onUse: () => memory.touch(),
    indexRefresh: {
      refresh: refreshByProgram({ program, log }),
      getRefreshMs: async (root) => loadConfig({ home, env, cwd: root }).config.index.refreshMs,
    },
    ...(config.outbox.url !== '' && {
      deliverEvents: createOutboxDelivery({
        home,
        url: config.outbox.url,
        clock,
        log,
        processes: systemProcesses,
        redactors: createRedactors({ clock, enabled: readsEnvFiles }),
        pid: process.pid,
        random: Math.random,
      }),
    }),
    // Acknowledged events are durable, and the paths may now belong to another home: nothing may run any more, not even
    // the cleanup of `process.exit`, which closes databases of the store thread and can abort in the middle of a query.
    onHomeLost: () => process.kill(process.pid, 'SIGKILL'),
    openApp: (lock) =>
      openApp({
        home,
        lock,
        config,
        clock,
        log,
        loadConfig: (cwd) => loadConfig({ home, env, cwd }).config,
        piecesFile: piecesFile(env),
        env,
        inspector: createCodeInspector({
          cacheDir: join(home.root, 'codemap'),
          parser: {
            workerFile: join(import.meta.dirname, 'codemap-worker.js'),
            grammarsDir: join(import.meta.dirname, 'grammars'),
          },
          clock,
        }),
        redactors: createRedactors({ clock, enabled: readsEnvFiles }),
      }),
  }).catch((error: unknown) => {
    saveStartFailure(home, error, { pid: process.pid, renderNotices })
    throw error
  })
  if (result.kind === 'already-running') {
    const { endpoint } = result
    say(
      endpoint === undefined
        ? 'Another daemon is starting.'
        : `A daemon runs at 127.0.0.1:${endpoint.port} (pid ${endpoint.pid}).`,
    )
    return
  }
  daemon = result.daemon
  // The start itself leaves garbage.
  memory.touch()
  removeAbandonedScratch(home)
  removeFormerScratch()
  clearStartFailure(home)
  // When a hook started it, stdout is its log, which is JSON.
  if (process.stdout.isTTY) say(`Listening at 127.0.0.1:${daemon.endpoint.port} (pid ${process.pid}).`)
  await daemon.stopped
}

try {
  await main()
  process.exit(0)
} catch (error) {
  const hint = error instanceof HoldfastError && error.hint !== undefined ? ` ${error.hint}` : ''
  process.stderr.write(`The daemon did not start. ${getErrorMessage(error)}${hint}\n`)
  process.exit(1)
}
