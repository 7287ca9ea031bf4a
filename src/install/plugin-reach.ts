import { existsSync } from 'node:fs'
import { launcherCommand } from './edits/launcher-command.ts'
import { type HookReach, PROBE_HOOK, type SetupWorld } from './contract/setup.ts'

const HOME = /"home":\s*("(?:[^"\\]|\\.)*")/

function readHome(text: string): string | undefined {
  const literal = HOME.exec(text)?.[1]
  if (literal === undefined) return undefined
  const home: unknown = JSON.parse(literal)
  return typeof home === 'string' ? home : undefined
}

/** How a plugin that runs inside its harness reaches us: asked by the way it takes when the daemon is away, which a command can take too. */
export function pluginReach(harness: string, world: SetupWorld, findHome: HookReach['findHome'] = readHome): HookReach {
  return {
    findHome,
    findHttp: () => undefined,
    probes(text) {
      const home = findHome(text)
      const command = launcherCommand({
        harness,
        hook: PROBE_HOOK,
        distDir: world.distDir,
        nodePath: world.nodePath,
        platform: world.platform,
        exists: existsSync,
        ...(home === undefined ? {} : { holdfastHome: home }),
      })
      return [{ way: 'command', command }]
    },
  }
}
