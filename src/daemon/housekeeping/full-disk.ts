import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { getErrorMessage } from '../../kernel/errors.ts'
import type { Log } from '../../kernel/ports/ports.ts'
import { writeFileAtomic } from '../../platform/files/atomic-file.ts'
import { findNoNodeNotice } from '../../platform/no-node.ts'
import { reserveSpace } from '../../platform/files/reserved-space.ts'
import type { Home } from '../../platform/base/home.ts'
import {
  clearLostHooks,
  type LostHooks,
  prepareLostHooks,
  readLostHooks,
  formatReportName,
} from '../../platform/lost-hooks.ts'

export interface FullDisk {
  /** Reserves the space that is used when the disk is full; again once there is room. */
  prepare(): Promise<void>
  /** The notice for the next session, and what to call once it was injected. Undefined when nothing was lost. */
  notice(): { readonly text: string; readonly confirm: () => void } | undefined
}

function renderNotice({ count, since, until, sessions }: LostHooks): string {
  const events = count === 1 ? '1 hook event was' : `${count} hook events were`
  const whose =
    sessions.length === 0
      ? ''
      : ` of ${sessions.length === 1 ? 'session' : 'sessions'} ${sessions.slice(0, 3).join(', ')}`
  const more = sessions.length > 3 ? ` and ${sessions.length - 3} more` : ''
  return `Holdfast: ${events} lost${whose}${more} between ${since} and ${until} because the disk was full. What was said and done then may be missing from what Holdfast knows.`
}

export function createFullDisk(home: Home, log: Log): FullDisk {
  /** For `doctor` and `status`. */
  function saveSummary(lost: LostHooks): void {
    mkdirSync(home.quarantineDir, { recursive: true, mode: 0o700 })
    writeFileAtomic(join(home.quarantineDir, formatReportName(lost)), `${JSON.stringify(lost)}\n`)
  }

  function confirm(lost: LostHooks): void {
    try {
      saveSummary(lost)
      clearLostHooks(home, lost.until)
    } catch (error) {
      log.warn('lost events are reported again', { error: getErrorMessage(error) })
    }
  }

  /** Written by `doctor --fix` and `init`, when hooks run again after a time in which they could not. */
  function noticeGap(): ReturnType<FullDisk['notice']> {
    if (!existsSync(home.hookGapFile)) return undefined
    const text = readFileSync(home.hookGapFile, 'utf8').trim()
    return { text, confirm: () => rmSync(home.hookGapFile, { force: true }) }
  }

  return {
    async prepare() {
      prepareLostHooks(home)
      await reserveSpace(home)
    },
    notice() {
      try {
        const lost = readLostHooks(home)
        return lost === undefined
          ? (noticeGap() ?? findNoNodeNotice(home))
          : { text: renderNotice(lost), confirm: () => confirm(lost) }
      } catch (error) {
        log.warn('lost events not read', { error: getErrorMessage(error) })
        return undefined
      }
    },
  }
}
