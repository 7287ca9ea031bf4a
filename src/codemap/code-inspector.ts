import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { CodeInspector, Inspection } from '../kernel/code-facts.ts'
import { getErrorMessage } from '../kernel/errors.ts'
import { BoundedMap } from '../kernel/structures/bounded-map.ts'
import { resolveRealPath } from '../platform/locator.ts'
import { MAX_FILE_BYTES } from './parse/discover.ts'
import { detectLanguage } from './parse/languages.ts'
import { parseFiles } from './parse/parse-pool.ts'
import { listProjectFiles } from './project-files.ts'
import { type ScanRequest, scanSymbols } from './scan.ts'
import { findShape } from './inspect/language-shape.ts'

const MAX_KNOWN = 2_000
const MAX_BATCH_MS = 10_000

type InspectorOptions = Pick<ScanRequest, 'cacheDir' | 'parser' | 'clock'>

/** Why a file cannot be inspected; undefined when it can. */
function findObstacle(file: string, path: string): string | undefined {
  const facts = lstatSync(file, { throwIfNoEntry: false })
  if (facts === undefined) return 'it does not exist'
  if (!facts.isFile()) return facts.isSymbolicLink() ? 'it is a link' : 'it is not a file'
  const language = detectLanguage(path)
  if (language === undefined || findShape(language.id) === undefined) return 'its language is not supported'
  return facts.size > MAX_FILE_BYTES ? `it has ${facts.size} bytes, the limit is ${MAX_FILE_BYTES}` : undefined
}

function readStamp(file: string): string {
  const facts = lstatSync(file, { throwIfNoEntry: false })
  return `${facts?.ino} ${facts?.size} ${facts?.mtimeMs} ${facts?.ctimeMs}`
}

const TOO_LARGE = 'the project is too large to read now; run `holdfast index` once'
const NO_PARSER = 'the parser is not available'

/** Where the parser's built files are not at hand. */
export const MISSING_INSPECTOR: CodeInspector = {
  inspect: async (_root, paths) => paths.map((path) => ({ path, notLookedAt: NO_PARSER })),
  outline: async () => ({ paths: [], symbols: [], incomplete: NO_PARSER }),
}

type CodeOutline = Awaited<ReturnType<CodeInspector['outline']>>

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((path, at) => path === other[at])
}

/** Reads files by syntax tree, in a worker; a file that did not change is not read again. */
export function createCodeInspector(options: InspectorOptions): CodeInspector {
  const known = new BoundedMap<string, { readonly stamp: string; readonly inspection: Inspection }>(MAX_KNOWN)
  const parser = { ...options.parser, maxWorkers: 1, maxBatchMs: MAX_BATCH_MS }
  /** Of the project that was asked for last: a briefing reads it again and again, mostly unchanged. */
  let last: { readonly root: string; readonly key: string; readonly outline: CodeOutline } | undefined

  async function inspectNow(root: string, paths: readonly string[]): Promise<readonly Inspection[]> {
    if (paths.length === 0) return []
    const jobs = paths.map((path) => ({ path, file: join(root, path), isInspected: true }))
    try {
      return (await parseFiles(jobs, parser)).map(({ path, contentHash, code }): Inspection => {
        if (code !== undefined) return { path, facts: code }
        const notLookedAt =
          contentHash === undefined ? 'it could not be read' : 'it is generated, binary, or took too long to parse'
        return { path, notLookedAt }
      })
    } catch (thrown) {
      return paths.map((path) => ({ path, notLookedAt: getErrorMessage(thrown) }))
    }
  }

  return {
    async inspect(given, paths) {
      const root = await resolveRealPath(given)
      const results = new Map<string, Inspection>()
      const stamps = new Map<string, string>()
      for (const path of paths) {
        const file = join(root, path)
        const obstacle = findObstacle(file, path)
        const stamp = readStamp(file)
        const before = known.get(file)
        if (obstacle !== undefined) results.set(path, { path, notLookedAt: obstacle })
        else if (before?.stamp === stamp) results.set(path, before.inspection)
        else stamps.set(path, stamp)
      }
      for (const inspection of await inspectNow(root, [...stamps.keys()])) {
        const { path } = inspection
        results.set(path, inspection)
        known.set(join(root, path), { stamp: stamps.get(path) ?? '', inspection })
      }
      return paths.flatMap((path) => results.get(path) ?? [])
    },

    async outline(given) {
      const root = await resolveRealPath(given)
      const files = await listProjectFiles({ root, clock: options.clock })
      const { paths } = files
      try {
        const known = last?.root === root && isSameList(last.outline.paths, paths) ? last : undefined
        const scan = await scanSymbols(files, { ...options, root, parser }, known?.key)
        if (scan === 'unchanged' && known !== undefined) return known.outline
        if (scan === undefined || scan === 'unchanged') {
          // The same list again is the same answer.
          if (known?.outline.incomplete === TOO_LARGE) return known.outline
          const outline = { paths, symbols: [], incomplete: TOO_LARGE }
          last = { root, key: '', outline }
          return outline
        }
        const symbols = scan.files.flatMap(({ path, definitions }) =>
          definitions.map(({ name }) => ({ name, file: path })),
        )
        const incomplete = scan.skipped === 0 ? {} : { incomplete: `${scan.skipped} files are too large or too many` }
        const outline = { paths, symbols, ...incomplete }
        last = scan.key === undefined ? undefined : { root, key: scan.key, outline }
        return outline
      } catch (thrown) {
        return { paths, symbols: [], incomplete: getErrorMessage(thrown) }
      }
    },
  }
}
