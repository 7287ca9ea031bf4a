import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../../kernel/errors.ts'
import type { Log } from '../../kernel/ports/ports.ts'
import { writeFileAtomic } from '../../platform/files/atomic-file.ts'
import { ensureBallast } from '../../platform/files/ballast.ts'
import type { Home } from '../../platform/base/home.ts'
import {
  clearLostHooks,
  type LostHooks,
  prepareLostHooks,
  readLostHooks,
  toldNameOf,
} from '../../platform/lost-hooks.ts'

export interface FullDisk {
  /** Sets aside what a full disk will be met with; again, once there is room, after one was. */
  prepare(): Promise<void>
  /** What to tell the next session, and how to note that it was told. Undefined when nothing was lost. */
  notice(): { readonly text: string; readonly told: () => void } | undefined
}

function noticeOf({ count, since, until, sessions }: LostHooks): string {
  const events = count === 1 ? '1 hook event was' : `${count} hook events were`
  const whose =
    sessions.length === 0
      ? ''
      : ` of ${sessions.length === 1 ? 'session' : 'sessions'} ${sessions.slice(0, 3).join(', ')}`
  const more = sessions.length > 3 ? ` and ${sessions.length - 3} more` : ''
  return `Holdfast: ${events} lost${whose}${more} between ${since} and ${until} because the disk was full. What was said and done then may be missing from what Holdfast knows.`
}

export function createFullDisk(home: Home, log: Log): FullDisk {
  /** Where `doctor` and `status` go on finding it. */
  function keepSummary(lost: LostHooks): void {
    mkdirSync(home.quarantineDir, { recursive: true, mode: 0o700 })
    writeFileAtomic(join(home.quarantineDir, toldNameOf(lost)), `${JSON.stringify(lost)}\n`)
  }

  function told(lost: LostHooks): void {
    try {
      keepSummary(lost)
      clearLostHooks(home, lost.until)
    } catch (error) {
      log.warn('lost events are told again', { error: messageOf(error) })
    }
  }

  return {
    async prepare() {
      prepareLostHooks(home)
      await ensureBallast(home)
    },
    notice() {
      try {
        const lost = readLostHooks(home)
        return lost && { text: noticeOf(lost), told: () => told(lost) }
      } catch (error) {
        log.warn('lost events not read', { error: messageOf(error) })
        return undefined
      }
    },
  }
}
