import { join } from 'node:path'
import type { FilePiece } from '../contract/settings-edit.ts'
import type { SetupWorld } from '../contract/setup.ts'
import { filePiece, shippedFiles } from './own-file.ts'

/** A skill as it is shipped: instructions that an agent loads when their description fits, or a person calls by name. */
export interface Skill {
  readonly name: string
  readonly description: string
  /** What to do, without the front matter. */
  readonly body: string
}

const FRONT_MATTER = /^---\r?\n([\s\S]*?)\r?\n---\r?\n+/

export function readSkills({ skillsDir }: Pick<SetupWorld, 'skillsDir'>): readonly Skill[] {
  return shippedFiles(skillsDir).flatMap(({ name, content }) => {
    const folder = /^([^/]+)\/SKILL\.md$/.exec(name)?.[1]
    if (folder === undefined) return []
    const matter = FRONT_MATTER.exec(content)?.[1] ?? ''
    const description = /^description: (.*)$/m.exec(matter)?.[1]?.trim() ?? ''
    return [{ name: folder, description, body: content.replace(FRONT_MATTER, '') }]
  })
}

/** Every shipped skill, under the folder where the harness looks for them. */
export function skillPieces(options: { readonly folder: string; readonly world: SetupWorld }): readonly FilePiece[] {
  const { folder, world } = options
  return shippedFiles(world.skillsDir)
    .filter(({ name }) => name.includes('/'))
    .map(({ name, content }) =>
      filePiece({ id: `skills/${name}`, kind: 'skills', path: join(folder, ...name.split('/')), content }),
    )
}
