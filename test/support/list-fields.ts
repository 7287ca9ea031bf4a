import * as z from 'zod'

type Json = Readonly<Record<string, unknown>>
type Path = readonly (string | number)[]

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function branchesOf(schema: Json): readonly Json[] {
  const { anyOf, oneOf } = schema
  const branches = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [schema]
  return branches.filter(isJson)
}

/** What a member is called decides what an honest caller would put there. */
export type Examples = Readonly<Record<string, unknown>>

const TIME = '2026-01-01T00:00:00.000Z'

/** The smallest value that the schema lets in, as far as its own words and the examples tell. */
function exampleOf(schema: Json, name: string, examples: Examples): unknown {
  if (name in examples) return examples[name]
  if ('const' in schema) return schema['const']
  if (Array.isArray(schema['enum'])) return schema['enum'][0]
  const [first = schema] = branchesOf(schema)
  if (first !== schema) return exampleOf(first, name, examples)
  switch (schema['type']) {
    case 'object':
      return exampleObject(schema, examples)
    case 'array':
      return []
    case 'integer':
    case 'number':
      return typeof schema['minimum'] === 'number' ? Math.max(1, schema['minimum']) : 1
    case 'boolean':
      return false
    case 'string':
      return schema['format'] === 'date-time' || /(?:At|^at)$/.test(name) ? TIME : 'words'
    default:
      return 'words'
  }
}

function propertiesOf(schema: Json): Json {
  return isJson(schema['properties']) ? schema['properties'] : {}
}

function exampleObject(schema: Json, examples: Examples): Json {
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : []
  const members = Object.entries(propertiesOf(schema)).filter(([name]) => required.includes(name) || name in examples)
  return Object.fromEntries(
    members.map(([name, member]) => [name, exampleOf(isJson(member) ? member : {}, name, examples)]),
  )
}

/** A value with a key somewhere in it. */
export interface Filled {
  readonly label: string
  readonly value: unknown
}

function withAt(value: unknown, path: Path, put: unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined) return put
  if (typeof step === 'number') {
    const items: unknown[] = Array.isArray(value) ? [...value] : []
    items[step] = withAt(items[step], rest, put)
    return items
  }
  const members = isJson(value) ? value : {}
  return { ...members, [step]: withAt(members[step], rest, put) }
}

interface Filling {
  readonly base: unknown
  readonly examples: Examples
  readonly keyOf: (label: string) => readonly string[]
}

function* textCases(path: Path, label: string, { base, keyOf }: Filling): Generator<Filled> {
  yield { label, value: withAt(base, path, keyOf(label).join('\n')) }
}

/** One list: the whole key as one item, and a line in each. */
function* listCases(path: Path, label: string, filling: Filling): Generator<Filled> {
  yield* textCases([...path, 0], `${label}[0]`, filling)
  yield { label: `${label}[lines]`, value: withAt(filling.base, path, filling.keyOf(`${label}[lines]`)) }
}

function isText(schema: Json): boolean {
  return branchesOf(schema).some((branch) => branch['type'] === 'string' || Array.isArray(branch['enum']))
}

function itemsOf(schema: Json): Json | undefined {
  const list = branchesOf(schema).find((branch) => branch['type'] === 'array')
  return list !== undefined && isJson(list['items']) ? list['items'] : undefined
}

/** A list of objects: a line in the same member of each. */
function* rowCases(items: Json, path: Path, label: string, filling: Filling): Generator<Filled> {
  for (const branch of branchesOf(items)) {
    const row = exampleObject(branch, filling.examples)
    for (const [name, member] of Object.entries(propertiesOf(branch))) {
      if (!isJson(member) || !isText(member)) continue
      const own = `${label}[].${name}`
      const rows = filling.keyOf(own).map((line, index) => ({
        ...row,
        ...(row['id'] !== undefined && { id: `row-${label}-${name}-${index}` }),
        [name]: line,
      }))
      yield { label: own, value: withAt(filling.base, path, rows) }
    }
    const inner = { ...filling, base: withAt(filling.base, [...path, 0], row) }
    yield* objectCases(branch, [...path, 0], `${label}[0]`, inner)
  }
}

function* objectCases(schema: Json, path: Path, label: string, filling: Filling): Generator<Filled> {
  let listBefore: string | undefined
  for (const [name, member] of Object.entries(propertiesOf(schema))) {
    if (!isJson(member)) continue
    const own = `${label}.${name}`
    yield* memberCases(member, [...path, name], own, filling)
    const items = itemsOf(member)
    if (items === undefined || !isText(items)) continue
    if (listBefore !== undefined) {
      const lines = filling.keyOf(`${own}+${listBefore}`)
      const half = withAt(filling.base, [...path, listBefore], lines.slice(0, 5))
      yield { label: `${own}+${listBefore}`, value: withAt(half, [...path, name], lines.slice(5)) }
    }
    listBefore = name
  }
}

function* memberCases(schema: Json, path: Path, label: string, filling: Filling): Generator<Filled> {
  if (isText(schema)) yield* textCases(path, label, filling)
  const items = itemsOf(schema)
  if (items !== undefined)
    yield* isText(items) ? listCases(path, label, filling) : rowCases(items, path, label, filling)
  for (const branch of branchesOf(schema)) {
    if (branch['type'] !== 'object') continue
    const inner = { ...filling, base: withAt(filling.base, path, exampleObject(branch, filling.examples)) }
    yield* objectCases(branch, path, label, inner)
    if (isJson(branch['additionalProperties'])) {
      yield {
        label: `${label}{value}`,
        value: withAt(filling.base, [...path, 'some'], filling.keyOf(`${label}{value}`).join('\n')),
      }
      const named = filling.keyOf(`${label}{name}`).join('\n')
      yield { label: `${label}{name}`, value: withAt(filling.base, path, { [named]: 'words' }) }
    }
  }
}

/** Every way to put a private key into what a schema lets in: into each text, over the items of each list, over two lists. */
export function filledBySchema(schema: z.ZodType, label: string, options: Omit<Filling, 'base'>): readonly Filled[] {
  const json: Json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  const branches = branchesOf(json)
  return branches.flatMap((branch) => [
    ...objectCases(branch, [], label, { ...options, base: exampleObject(branch, options.examples) }),
  ])
}

/** Every text of a recorded value replaced by a key, and every list by its lines. */
export function filledByExample(value: unknown, label: string, keyOf: Filling['keyOf']): readonly Filled[] {
  function* cases(inner: unknown, path: Path): Generator<Filled> {
    const own = `${label}:${path.join('.')}`
    if (typeof inner === 'string') yield { label: own, value: withAt(value, path, keyOf(own).join('\n')) }
    if (Array.isArray(inner)) {
      if (inner.every((item) => typeof item === 'string'))
        yield { label: `${own}[lines]`, value: withAt(value, path, keyOf(`${own}[lines]`)) }
      for (const [index, item] of inner.entries()) yield* cases(item, [...path, index])
    } else if (isJson(inner)) for (const [name, member] of Object.entries(inner)) yield* cases(member, [...path, name])
  }
  return [...cases(value, [])]
}
