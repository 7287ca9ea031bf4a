import { existsSync } from 'node:fs'
import { shellWord } from '../../kernel/shell/shell-word.ts'
import type { Installation } from '../../install/manifest.ts'
import { setups } from '../../harness/setups.ts'

/** What puts a connection right, from wherever that is read, as the rest of a sentence. */
export function wayToRenew({ harness, scope, cwd }: Pick<Installation, 'harness' | 'scope' | 'cwd'>): string {
  const usual = setups.find(({ id }) => id === harness)?.scopes[0]
  const words = `--harness ${harness}${scope === usual && cwd === undefined ? '' : ` --scope ${scope}`}`
  if (cwd === undefined) return `run \`holdfast init ${words}\``
  if (existsSync(cwd)) return `run \`holdfast init ${words}\` in ${cwd}`
  return `${cwd} is gone; \`holdfast uninstall --harness ${harness} --project ${shellWord(cwd)}\` forgets what was connected there`
}
