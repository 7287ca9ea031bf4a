import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/** A word that fewer packages than this write about is a name. */
const MIN_PACKAGES = 3
const DOCUMENT = /\.(?:md|d\.[cm]?ts)$/i
const DEPTH = 6

const Pieces = z.array(z.tuple([z.string(), z.coerce.number()]))
const WordLists = z.record(z.string(), z.array(z.string()))

/** How often the model's makers saw a word, as a share of all: the pieces of its vocabulary that are whole words. */
export function frequenciesIn(piecesFile: string): ReadonlyMap<string, number> {
  const shares = new Map<string, number>()
  for (const [piece, logShare] of Pieces.parse(JSON.parse(readFileSync(piecesFile, 'utf8')))) {
    const word = /^\u2581([A-Za-z]{3,20})$/.exec(piece)?.[1]?.toLowerCase()
    if (word !== undefined) shares.set(word, (shares.get(word) ?? 0) + Math.exp(logShare))
  }
  return shares
}

function documentsUnder(folder: string, depth = 0): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      return depth < DEPTH && entry.name !== 'node_modules' ? documentsUnder(path, depth + 1) : []
    }
    return entry.isFile() && DOCUMENT.test(entry.name) ? [path] : []
  })
}

function packagesIn(modules: string): readonly string[] {
  return readdirSync(modules)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) => (name.startsWith('@') ? readdirSync(join(modules, name)).map((own) => join(name, own)) : [name]))
}

/** What programmers write about: words in the documents of several installed packages. */
export function documentedWords(modules: string): readonly string[] {
  const packages = new Map<string, number>()
  for (const name of packagesIn(modules)) {
    const words = new Set<string>()
    for (const file of documentsUnder(join(modules, name))) {
      for (const [word] of readFileSync(file, 'utf8').matchAll(/(?<![A-Za-z0-9_])[A-Z]?[a-z]{2,19}(?![A-Za-z0-9_])/g)) {
        words.add(word.toLowerCase())
      }
    }
    for (const word of words) packages.set(word, (packages.get(word) ?? 0) + 1)
  }
  return [...packages].filter(([word, count]) => count >= MIN_PACKAGES && word.length >= 3).map(([word]) => word)
}

/** Everyday English: SCOWL's sizes 10 to 35. */
export function everydayWords(lists: unknown): readonly string[] {
  const byName = WordLists.parse(lists)
  return ['english/10', 'english/20', 'english/35']
    .flatMap((name) => byName[name] ?? [])
    .filter((word) => /^[a-z]{3,20}$/.test(word))
}
