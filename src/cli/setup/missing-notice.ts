import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { readManifest } from '../../install/manifest.ts'
import { describeMissingProgram, findMissingPrograms } from '../../install/missing-programs.ts'
import type { Home } from '../../platform/base/home.ts'
import { takeNoNodeLoss } from '../../platform/no-node.ts'
import { readIfPresent } from '../../platform/files/read-if-present.ts'
import { ensurePrivateDir, writeFileAtomic } from '../../platform/files/atomic-file.ts'

function toNotice(sentence: string): string {
  return `! ${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`
}

/** What to print after a command about a time in which hooks found no Node; once. */
function takeLossNotice(home: Home): string | undefined {
  const loss = takeNoNodeLoss(home)
  if (loss === undefined) return undefined
  return `${toNotice(loss)}\n  \`holdfast import\` reads that time from the transcripts of the harness.`
}

/** What to print after a command, once for each state of the installation and each loss; undefined when there is nothing. */
export function takeMissingNotice(home: Home): string | undefined {
  try {
    const notices = [takeProgramNotice(home), takeLossNotice(home)].filter((notice) => notice !== undefined)
    return notices.length === 0 ? undefined : notices.join('\n')
  } catch {
    // `doctor` reports a manifest that cannot be read; a notice must not fail the command.
    return undefined
  }
}

/** Undefined when all programs are there. */
function takeProgramNotice(home: Home): string | undefined {
  const lines = findMissingPrograms(readManifest(home)).map(describeMissingProgram)
  const said = readIfPresent(home.saidFile) ?? ''
  const text = lines.join('\n')
  if (text === said) return undefined
  if (text === '') {
    rmSync(home.saidFile, { force: true })
    return undefined
  }
  ensurePrivateDir(dirname(home.saidFile), home.root)
  writeFileAtomic(home.saidFile, text)
  return `${lines.map(toNotice).join('\n')}\n  Holdfast or Node was moved, deleted or replaced. \`holdfast doctor --fix\` repairs it.`
}
