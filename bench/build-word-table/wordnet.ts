import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** More senses of a word are rare ones. */
const SENSES = 3
/** How much each relation counts, divided by the rank of the sense. */
const WEIGHT = { form: 2, synonym: 1, kind: 0.6, derived: 0.7, similar: 0.5, lastWord: 0.6 } as const
/** Kinds of kinds count less by step; those of verbs soon mean anything. */
const KIND_DECAY = 0.6
const KIND_STEPS = { n: 3, v: 1, a: 1, r: 1 } as const
const MAX_WORDS = 3
const FILES = { n: 'noun', v: 'verb', a: 'adj', r: 'adv' } as const
type PartOfSpeech = keyof typeof FILES
const PARTS: readonly PartOfSpeech[] = ['n', 'v', 'a', 'r']
const ENDINGS = [
  ['ies', 'y'],
  ['es', ''],
  ['s', ''],
  ['ed', ''],
  ['ed', 'e'],
  ['ing', ''],
  ['ing', 'e'],
] as const

interface Synset {
  readonly words: readonly string[]
  readonly pointers: readonly { readonly relation: string; readonly to: string }[]
}

function readSynset(line: string): Synset {
  const fields = line.split(' | ', 1)[0]?.split(' ') ?? []
  const size = Number.parseInt(fields[3] ?? '0', 16)
  const words = Array.from({ length: size }, (_, at) => (fields[4 + 2 * at] ?? '').replace(/\(.*\)/, '').toLowerCase())
  const start = 4 + 2 * size
  const pointers = Array.from({ length: Number(fields[start]) }, (_, at) => {
    const [relation = '', offset = '', part = ''] = fields.slice(start + 1 + 4 * at)
    return { relation, to: `${part === 's' ? 'a' : part}${offset}` }
  })
  return { words, pointers }
}

function linesOf(folder: string, file: string): readonly string[] {
  const lines = readFileSync(join(folder, file), 'latin1').split('\n')
  return lines.filter((line) => line !== '' && !line.startsWith('  '))
}

/** For words of the vocabulary: those that WordNet relates to it, with weights. `folder` is its `dict`. */
export function readRelations(folder: string, vocabulary: ReadonlySet<string>) {
  const synsets = new Map<string, Synset>()
  const senses = new Map<string, readonly string[]>()
  for (const part of PARTS) {
    for (const line of linesOf(folder, `data.${FILES[part]}`))
      synsets.set(`${part}${line.slice(0, 8)}`, readSynset(line))
    for (const line of linesOf(folder, `index.${FILES[part]}`)) {
      const fields = line.trim().split(/\s+/)
      const offsets = fields.slice(-Number(fields[2])).map((offset) => `${part}${offset}`)
      senses.set(`${part} ${fields[0]}`, offsets.slice(0, SENSES))
    }
  }

  const isKnown = (word: string) => PARTS.some((part) => senses.has(`${part} ${word}`))
  const findBase = (word: string) =>
    [word, ...ENDINGS.flatMap(([end, stem]) => (word.endsWith(end) ? [word.slice(0, -end.length) + stem] : []))].find(
      (base) => base.length > 1 && isKnown(base),
    )
  const get = (id: string): Synset => synsets.get(id) ?? { words: [], pointers: [] }

  return (word: string): ReadonlyMap<string, number> => {
    const related = new Map<string, number>()
    const add = (other: string, weight: number) => {
      if (other === word) return
      if (vocabulary.has(other)) return void related.set(other, (related.get(other) ?? 0) + weight)
      const parts = other.split(/[_-]/)
      const last = parts.at(-1) ?? ''
      if (parts.length < 2 || parts.length > MAX_WORDS || last === word || !vocabulary.has(last)) return
      related.set(last, (related.get(last) ?? 0) + weight * WEIGHT.lastWord)
    }
    const addAll = (id: string, weight: number) => {
      for (const other of get(id).words) add(other, weight)
    }
    const base = findBase(word)
    if (base === undefined) return related
    if (base !== word && vocabulary.has(base)) add(base, WEIGHT.form)
    for (const part of PARTS) {
      for (const [rank, id] of (senses.get(`${part} ${base}`) ?? []).entries()) {
        const share = 1 / (1 + rank)
        addAll(id, WEIGHT.synonym * share)
        let kinds = [id]
        for (let step = 0, weight = WEIGHT.kind * share; step < KIND_STEPS[part]; step++, weight *= KIND_DECAY) {
          kinds = kinds.flatMap((kind) =>
            get(kind).pointers.flatMap(({ relation, to }) => (relation.startsWith('@') ? [to] : [])),
          )
          for (const kind of kinds) addAll(kind, weight)
        }
        for (const { relation, to } of get(id).pointers) {
          if (relation === '+' || relation === '\\')
            addAll(to, (WEIGHT.derived * share) / Math.max(1, get(to).words.length))
          if (relation === '&') addAll(to, WEIGHT.similar * share)
        }
      }
    }
    return related
  }
}
