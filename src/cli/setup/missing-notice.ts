import { existsSync, readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { readManifest } from '../../install/manifest.ts'
import { describeMissingProgram, findMissingPrograms } from '../../install/missing-programs.ts'
import type { Home } from '../../platform/base/home.ts'
import { ensurePrivateDir, writeFileAtomic } from '../../platform/files/atomic-file.ts'

/** What to print after a command, once for each state of the installation; undefined when all programs are there. */
export function takeMissingNotice(home: Home): string | undefined {
  try {
    const lines = findMissingPrograms(readManifest(home)).map(describeMissingProgram)
    const said = existsSync(home.saidFile) ? readFileSync(home.saidFile, 'utf8') : ''
    const text = lines.join('\n')
    if (text === said) return undefined
    if (text === '') {
      rmSync(home.saidFile, { force: true })
      return undefined
    }
    ensurePrivateDir(dirname(home.saidFile), home.root)
    writeFileAtomic(home.saidFile, text)
    return `${lines.map((line) => `! ${line.charAt(0).toUpperCase()}${line.slice(1)}.`).join('\n')}\n  Holdfast was moved, deleted or reinstalled. \`holdfast doctor --fix\` repairs it.`
  } catch {
    // `doctor` reports a manifest that cannot be read; a notice must not fail the command.
    return undefined
  }
}
