import { renameSync } from 'node:fs'
import type { Home } from './base/home.ts'
import { writeFileAtomic } from './files/atomic-file.ts'
import { readIfPresent } from './files/read-if-present.ts'

type NoticeHome = Pick<Home, 'startNoticesFile' | 'startNoticesPrintedFile'>

/** What hooks at a session's start print while the daemon cannot start: a hook has no connector to render it with. */
export type StartNotices = Readonly<Record<string, string>>

export const noticeKey = (harness: string, hook: string) => `${harness} ${hook}`

/** Each text is printed once, whichever session prints it. */
export function saveStartNotices(home: NoticeHome, notices: StartNotices): void {
  const text = JSON.stringify(notices)
  if (readIfPresent(home.startNoticesPrintedFile) !== text)
    writeFileAtomic(home.startNoticesFile, text, { mode: 0o600 })
}

/** What this hook is to print; undefined when another one has printed it, or there is nothing. */
export function takeStartNotice(home: NoticeHome, harness: string, hook: string): string | undefined {
  const text = readIfPresent(home.startNoticesFile)
  if (text === undefined) return undefined
  const notices: unknown = JSON.parse(text)
  const entry = Object.entries(notices ?? {}).find(([key]) => key === noticeKey(harness, hook))
  if (typeof entry?.[1] !== 'string') return undefined
  renameSync(home.startNoticesFile, home.startNoticesPrintedFile)
  return entry[1]
}
