import { join } from 'node:path'
import { stringify } from 'smol-toml'
import type { FilePiece } from '../../install/contract/settings-edit.ts'
import { filePiece } from '../../install/edits/own-file.ts'
import { readSkills, type Skill } from '../../install/edits/skills.ts'
import type { Scope, SetupWorld } from '../../install/contract/setup.ts'
import { folderOf } from './places.ts'

/** A skill as a command that a person calls: `/holdfast:checkpoint`. */
export function commandText({ description, body }: Skill): string {
  return `${stringify({ description, prompt: `${body.trim()}\n\n{{args}}\n` })}\n`
}

export function commandPieces(world: SetupWorld, scope: Scope): readonly FilePiece[] {
  return readSkills(world).map((skill) =>
    filePiece({
      id: `commands/${skill.name}.toml`,
      kind: 'commands',
      path: join(folderOf(world, scope), 'commands', 'holdfast', `${skill.name}.toml`),
      content: commandText(skill),
    }),
  )
}
