import { existsSync, readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { HoldfastError } from '../kernel/errors.ts'
import { isObject } from '../kernel/json-shape.ts'
import { ensurePrivateDir, writeFileAtomic } from './files/atomic-file.ts'

export interface SettingChange {
  readonly key: string
  /** Undefined removes the key. */
  readonly value: unknown
  /** Default: the folder of the file. */
  readonly root?: string
}

function readSections(file: string): Record<string, unknown> {
  if (!existsSync(file)) return {}
  try {
    const parsed: unknown = JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, '') || '{}')
    if (isObject(parsed)) return { ...parsed }
  } catch (cause) {
    throw new HoldfastError('settings-unreadable', `${file} is not JSON.`, { hint: 'Correct the file first.', cause })
  }
  throw new HoldfastError('settings-unreadable', `${file} does not hold a JSON object.`)
}

/** Sets one dotted key in a configuration file, or removes it; a file that becomes empty is deleted. Below `root` no link is followed. */
export function writeSetting(file: string, { key, value, root }: SettingChange): void {
  const [section = '', name = ''] = key.split('.')
  const sections = readSections(file)
  const before = sections[section]
  const { [name]: _old, ...others } = isObject(before) ? before : {}
  const keys = value === undefined ? others : { ...others, [name]: value }
  if (Object.keys(keys).length > 0) sections[section] = keys
  else delete sections[section]
  if (Object.keys(sections).length === 0) return rmSync(file, { force: true })
  ensurePrivateDir(dirname(file), root)
  writeFileAtomic(file, `${JSON.stringify(sections, undefined, 2)}\n`)
}
