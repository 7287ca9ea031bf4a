import { type Dirent, readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { getErrorCode } from '../../platform/base/errno.ts'
import type { FileEdit, EditKind } from '../contract/settings-edit.ts'
import type { HookReach, SetupPorts } from '../contract/setup.ts'
import { readSnippet } from './snippet.ts'

/** The snippet as a file of its own, for a harness that reads a folder of rules. */
export function rulesEdit(options: {
  readonly path: string
  readonly ports: SetupPorts
  readonly head?: string
}): FileEdit {
  const { path, ports, head = '' } = options
  return fileEdit({ id: 'rules', kind: 'snippet', path, content: `${head}${readSnippet(ports)}` })
}

/** Each shipped skill as a command, for a harness whose commands are plain Markdown. */
export function skillCommandEdits(options: {
  readonly folder: string
  readonly ports: SetupPorts
}): readonly FileEdit[] {
  const { folder, ports } = options
  return readSkills(ports).map(({ name, description, body }) =>
    fileEdit({
      id: `commands/${name}.md`,
      kind: 'commands',
      path: join(folder, `${name}.md`),
      content: `${description}\n\n${body.trim()}\n`,
    }),
  )
}

/** A shipped skill: instructions that an agent loads when their description fits, or that a person calls by name. */
export interface Skill {
  readonly name: string
  readonly description: string
  /** The instructions, without the front matter. */
  readonly body: string
}

const FRONT_MATTER = /^---\r?\n([\s\S]*?)\r?\n---\r?\n+/

export function readSkills({ skillsDir }: Pick<SetupPorts, 'skillsDir'>): readonly Skill[] {
  return shippedFiles(skillsDir).flatMap(({ name, content }) => {
    const folder = /^([^/]+)\/SKILL\.md$/.exec(name)?.[1]
    if (folder === undefined) return []
    const matter = FRONT_MATTER.exec(content)?.[1] ?? ''
    const description = /^description: (.*)$/m.exec(matter)?.[1]?.trim() ?? ''
    return [{ name: folder, description, body: content.replace(FRONT_MATTER, '') }]
  })
}

/** Every shipped skill, in the folder where the harness looks for them. */
export function skillEdits(options: { readonly folder: string; readonly ports: SetupPorts }): readonly FileEdit[] {
  const { folder, ports } = options
  return shippedFiles(ports.skillsDir)
    .filter(({ name }) => name.includes('/'))
    .map(({ name, content }) =>
      fileEdit({ id: `skills/${name}`, kind: 'skills', path: join(folder, ...name.split('/')), content }),
    )
}

export function fileEdit(edit: Omit<FileEdit, 'shape' | 'reach'> & { readonly reach?: HookReach }): FileEdit {
  return { shape: 'file', ...edit }
}

function listEntries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive: true })
  } catch (thrown) {
    if (getErrorCode(thrown) === 'ENOENT') return []
    throw thrown
  }
}

export interface ShippedFile {
  /** Relative to the folder, with `/` as the separator. */
  readonly name: string
  readonly content: string
}

/** Every text file of a folder of the package, ordered by name; empty when there is no such folder. */
export function shippedFiles(folder: string): readonly ShippedFile[] {
  return listEntries(folder)
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ name: relative(folder, path).split(sep).join('/'), content: readFileSync(path, 'utf8') }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** A folder of the package, copied file by file: a link into the package could break with any npm command. */
export function folderEdits(options: {
  readonly kind: EditKind
  readonly from: string
  readonly to: string
}): readonly FileEdit[] {
  const { kind, from, to } = options
  return shippedFiles(from).map(({ name, content }) =>
    fileEdit({ id: `${kind}/${name}`, kind, path: join(to, ...name.split('/')), content }),
  )
}
