import { join } from 'node:path'
import type { FilePiece } from '../contract/settings-edit.ts'
import type { SetupWorld } from '../contract/setup.ts'
import { filePiece } from './own-file.ts'
import { readSkills } from './skills.ts'
import { readSnippet } from './snippet.ts'

/** The lines for instructions, as a file of their own where a harness reads a folder of rules. */
export function rulesPiece(options: {
  readonly path: string
  readonly world: SetupWorld
  readonly head?: string
}): FilePiece {
  const { path, world, head = '' } = options
  return filePiece({ id: 'rules', kind: 'snippet', path, content: `${head}${readSnippet(world)}` })
}

/** Each shipped skill as a command that a person calls by name, for a harness whose commands are plain Markdown. */
export function skillCommandPieces(options: {
  readonly folder: string
  readonly world: SetupWorld
}): readonly FilePiece[] {
  const { folder, world } = options
  return readSkills(world).map(({ name, description, body }) =>
    filePiece({
      id: `commands/${name}.md`,
      kind: 'commands',
      path: join(folder, `${name}.md`),
      content: `${description}\n\n${body.trim()}\n`,
    }),
  )
}
