import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pluginFiles } from '../src/harness/claude-code/plugin.ts'
import { shippedFiles } from '../src/install/edits/own-file.ts'

/** The plugin for Claude Code and the marketplace that offers it, by path from the root. */
export function pluginPages(root: string, version: string): Readonly<Record<string, string>> {
  const license = readFileSync(join(root, 'LICENSE'), 'utf8')
  return pluginFiles({ version, license, skills: shippedFiles(join(root, 'skills')) })
}
