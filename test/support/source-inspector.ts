import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CodeInspector, Inspection } from '../../src/kernel/code-facts.ts'
import { findShape } from '../../src/codemap/inspect/language-shape.ts'
import { listByWalking, MAX_FILE_BYTES } from '../../src/codemap/parse/discover.ts'
import { createExtractor } from '../../src/codemap/parse/extract.ts'
import { detectLanguage } from '../../src/codemap/parse/languages.ts'
import { grammarFile } from './grammar-file.ts'

/** The inspector without its worker and cache: reads at once, in this process. */
export async function createSourceInspector(): Promise<CodeInspector> {
  const extractor = await createExtractor({ builtFile: grammarFile, monotonicMs: () => performance.now() })
  async function inspectFile(root: string, path: string): Promise<Inspection> {
    const language = detectLanguage(path)
    if (language === undefined || findShape(language.id) === undefined)
      return { path, notLookedAt: 'its language is not supported' }
    const { size } = lstatSync(join(root, path))
    if (size > MAX_FILE_BYTES) return { path, notLookedAt: `it has ${size} bytes, the limit is ${MAX_FILE_BYTES}` }
    const facts = await extractor.inspect(readFileSync(join(root, path), 'utf8'), language)
    return facts === undefined ? { path, notLookedAt: 'it took too long' } : { path, facts }
  }
  return {
    inspect: (root, paths) => Promise.all(paths.map((path) => inspectFile(root, path))),
    async outline(root) {
      const paths = listByWalking(root).filter((path) => detectLanguage(path) !== undefined)
      const symbols = []
      for (const file of paths) {
        const language = detectLanguage(file)
        if (language === undefined) continue
        const { definitions } = await extractor.extract(readFileSync(join(root, file), 'utf8'), language)
        symbols.push(...definitions.map(({ name }) => ({ name, file })))
      }
      return { paths, symbols }
    },
  }
}
