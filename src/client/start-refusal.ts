import { readFileSync, statSync } from 'node:fs'
import type { ErrorCode } from '../kernel/errors.ts'
import { wallMs } from '../platform/base/clock.ts'
import type { Home } from '../platform/base/home.ts'

/** Why a daemon does not start that another start does not change. */
export const LASTING_REFUSALS: ReadonlySet<string> = new Set<ErrorCode>([
  'store-not-yours',
  'store-too-new',
  'settings-unreadable',
])

/** Somebody may have changed the store elsewhere: a minute is as long as a hook's event waits for that in the spool. */
const HELD_BACK_MS = 60_000

/** Without the schema of start-failure.ts, which a hook cannot load. */
function codeIn(file: string): string | undefined {
  const kept: unknown = JSON.parse(readFileSync(file, 'utf8'))
  if (typeof kept !== 'object' || kept === null || !('code' in kept)) return undefined
  return typeof kept.code === 'string' ? kept.code : undefined
}

/**
 * Whether the last daemon refused to start a moment ago, and neither the configuration, the person nor the program changed since:
 * every hook would else start one that refuses again.
 */
export function isStartHeldBack(
  home: Pick<Home, 'root' | 'startFailureFile' | 'configFile' | 'personFile'>,
  script: string,
): boolean {
  // Not the time of the last write, which a file that is moved there brings along.
  const changedAtMs = (path: string) => statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0
  try {
    const refusedAtMs = statSync(home.startFailureFile).mtimeMs
    const ageMs = wallMs() - refusedAtMs
    // One from the future says that the clock was set back.
    if (ageMs > HELD_BACK_MS || ageMs < -HELD_BACK_MS) return false
    // The folder changes with a file that is removed.
    const causes = [home.root, home.configFile, home.personFile, script]
    if (causes.some((path) => changedAtMs(path) > refusedAtMs)) return false
    return LASTING_REFUSALS.has(codeIn(home.startFailureFile) ?? '')
  } catch {
    // None, or one that cannot be read: to start one is how to find out.
    return false
  }
}
