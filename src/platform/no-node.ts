import { renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { systemClock } from './base/clock.ts'
import type { Home } from './base/home.ts'
import { ensurePrivateDir, writeFileAtomic } from './files/atomic-file.ts'
import { readIfPresent } from './files/read-if-present.ts'

const IS_NAME = /^[a-z][a-z-]{0,40}$/
const IS_PATH = /^\/[\w./@+-]{1,200}$/

/** The note that launcher-fallback.sh leaves when no supported Node is found; its time is that of the first lost event. */
function describeNote(file: string): string | undefined {
  const note = readIfPresent(file)
  if (note === undefined) return undefined
  const [harness = '', node = ''] = note.split('\n')
  const since = statSync(file).mtime.toISOString()
  // The text is injected, and the launcher has both from outside.
  const whose = IS_NAME.test(harness) ? ` of ${harness}` : ''
  const named = IS_PATH.test(node) ? `${node} was missing or too old, and ` : ''
  return `hook events${whose} were lost between ${since} and ${systemClock.now()}: ${named}PATH had no Node that Holdfast supports`
}

const END = 'What was said and done then may be missing from what Holdfast knows.'

/** For the next session; afterwards, the next command still reports it. */
export function findNoNodeNotice(
  home: Pick<Home, 'noNodeFile' | 'noNodeReportedFile'>,
): { readonly text: string; readonly confirm: () => void } | undefined {
  const loss = describeNote(home.noNodeFile)
  if (loss === undefined) return undefined
  return {
    text: `Holdfast: ${loss}. ${END}`,
    confirm: () => renameSync(home.noNodeFile, home.noNodeReportedFile),
  }
}

/** What the next session is informed of. */
export function saveHookGap({ hookGapFile, root }: Pick<Home, 'hookGapFile' | 'root'>, text: string): void {
  ensurePrivateDir(dirname(hookGapFile), root)
  writeFileAtomic(hookGapFile, `${readIfPresent(hookGapFile) ?? ''}${text}\n`)
}

/** For the next command, as a sentence; afterwards, the next session is still informed of it. */
export function takeNoNodeLoss(
  home: Pick<Home, 'noNodeFile' | 'noNodeReportedFile' | 'hookGapFile' | 'root'>,
): string | undefined {
  const fresh = describeNote(home.noNodeFile)
  if (fresh !== undefined) saveHookGap(home, `Holdfast: ${fresh}. ${END}`)
  const loss = fresh ?? describeNote(home.noNodeReportedFile)
  for (const file of [home.noNodeFile, home.noNodeReportedFile]) rmSync(file, { force: true })
  return loss
}
