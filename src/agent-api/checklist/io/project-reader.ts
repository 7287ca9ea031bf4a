import { relative, sep } from 'node:path'
import { HoldfastError } from '../../../kernel/errors.ts'
import type { Files } from '../../../kernel/ports/ports.ts'
import { readProjectFile } from '../../../platform/files/project-file.ts'

/** Reads files of a project and nothing that a link in it leads to. What cannot be read is not there. */
export function projectReader(root: string): Pick<Files, 'readText'> {
  return {
    async readText(path, maxBytes) {
      try {
        return readProjectFile({ root, path: relative(root, path).split(sep).join('/') }, maxBytes)?.bytes.toString(
          'utf8',
        )
      } catch (thrown) {
        if (thrown instanceof HoldfastError) return undefined
        throw thrown
      }
    },
  }
}
