import type { CommandPurpose } from '../../kernel/checkpoint.ts'
import { isCheck } from '../../kernel/shell/command-key.ts'

/** How a check goes depends on the code, so what is known of it holds on its branch; other commands fail on any. */
export function scopeOf(key: string, purpose: CommandPurpose, branch: string | undefined): string {
  return isCheck({ purpose }) ? `${branch ?? ''}\n${key}` : key
}

/** Every scope under which something may be known of commands that run on this branch. */
export function scopesOf(keys: readonly string[], branch: string | undefined): readonly string[] {
  return keys.flatMap((key) => [key, scopeOf(key, 'test', branch)])
}

const STALE_AFTER_MS = 14 * 86_400_000

/** Too long ago to say anything about what would happen now. */
export function isStale(seenAt: string, now: string): boolean {
  return Date.parse(now) - Date.parse(seenAt) > STALE_AFTER_MS
}
