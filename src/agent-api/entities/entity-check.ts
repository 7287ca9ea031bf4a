import type { CheckedEntity, Entity, EntityOrigin, ResolvedProject } from '../../kernel/agent-records.ts'
import { baseName, isScratch, isWithin } from '../../kernel/paths/paths.ts'
import type { AgentApiPorts } from '../ports.ts'

const WORD_CHARACTER = /[\p{L}\p{N}_$]/u
const AFTER_KEYWORD =
  /(?:^|[^\p{L}\p{N}_$])(?:function\*?|class|interface|type|enum|struct|union|trait|impl|record|def|fn|func|fun|sub|const|let|var|val|static|module|mod|namespace|package|object|protocol|macro_rules!|define|typedef|delegate|async|get|set|abstract|public|private|protected|internal|export|default)\s+(?:self\.)?$/u
/** Go's receiver, C's return type, a member at the start of its line. */
const AFTER_RECEIVER = /^\s*func\s*\([^)]*\)\s*$/u
const AFTER_TYPE = /^[\p{L}_][\p{L}\p{N}_:<>,*&\s[\]]*[\s*&]$/u
const BEFORE_PARAMETERS = /^\s*(?:<[^>]*>\s*)?\(/u
const BEFORE_ASSIGNMENT = /^\s*(?::[^=]*)?=(?!=)/u
/** Keywords before a call, which are not return types. */
const AFTER_CALL_WORD =
  /(?:^|\s)(?:return|await|new|throw|yield|else|case|in|of|not|and|or|delete|typeof|if|while|import|from)\s+$/u

/** Whether a line of source defines the word or only mentions it, by its surroundings. */
export function classifyUse(text: string, word: string): 'definition' | 'mention' | undefined {
  let found: 'mention' | undefined
  if (word === '' || text.length > 2_000) return found
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const before = text.slice(0, at)
    const after = text.slice(at + word.length)
    if (WORD_CHARACTER.test(before.slice(-1)) || WORD_CHARACTER.test(after.slice(0, 1))) continue
    found = 'mention'
    if (AFTER_KEYWORD.test(before) || AFTER_RECEIVER.test(before)) return 'definition'
    if (AFTER_CALL_WORD.test(before)) continue
    const isMember = before.trim() === '' && BEFORE_PARAMETERS.test(after) && /\{\s*$/.test(after)
    const isTyped = before.trim() !== '' && AFTER_TYPE.test(before) && BEFORE_PARAMETERS.test(after)
    if (isMember || isTyped || (before === '' && BEFORE_ASSIGNMENT.test(after))) return 'definition'
  }
  return found
}

const DECLARES =
  /\b(?:function|class|interface|type|enum|const|let|var|def|fn|func|struct|trait|module|namespace|record|object|val|table|static|async|public|private|protected|export)\b/i
const MAX_NAME_CHARS = 200

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_$]/u.test(character)
}

function hasName(line: string, name: string): boolean {
  for (let at = line.indexOf(name); at >= 0; at = line.indexOf(name, at + 1)) {
    const isOpenBefore = !isWordCharacter(name[0]) || !isWordCharacter(line[at - 1])
    const next = line[at + name.length]
    // `/users` is not `/users/:id`.
    const isOpenAfter =
      (!isWordCharacter(name.at(-1)) || !isWordCharacter(next)) && !(name.includes('/') && next === '/')
    if (isOpenBefore && isOpenAfter) return true
  }
  return false
}

/** `Parser.parse()` is declared as `parse`; routes and tables keep their name. */
function writtenName(name: string): string {
  const trimmed = name.trim().slice(0, MAX_NAME_CHARS)
  if (/[\s/]/.test(trimmed)) return trimmed
  const last = trimmed
    .replace(/\(.*\)$/, '')
    .split(/[.#:]+/)
    .findLast((part) => part !== '')
  return last ?? trimmed
}

/** `GET /users` may be written as `'/users'` alone. */
function listSpellings(name: string): readonly string[] {
  const route = /^[A-Z]+\s+(\/\S*)$/.exec(name.trim())?.[1]
  return [writtenName(name), ...(route === undefined ? [] : [route])]
}

/** The 1-based line with the name: the definition nearest to `nearLine`, else a declaration, else `nearLine` or the nearest mention. */
export function findInSource(text: string, name: string, nearLine = 1): number | undefined {
  const names = listSpellings(name).filter((spelling) => spelling !== '')
  const lines = text.split('\n')
  const found = lines.flatMap((line, index) =>
    names.some((spelling) => hasName(line, spelling)) ? [{ line: index + 1, text: line }] : [],
  )
  const definitions = found.filter(({ text: line }) =>
    names.some((spelling) => classifyUse(line, spelling) === 'definition'),
  )
  const declarations = found.filter(({ text: line }) => DECLARES.test(line))
  const candidates = [definitions, found.filter(({ line }) => line === nearLine), declarations, found]
  const nearest = (candidates.find((group) => group.length > 0) ?? []).toSorted(
    (a, b) => Math.abs(a.line - nearLine) - Math.abs(b.line - nearLine),
  )[0]
  return nearest?.line
}

const IMPORTS =
  /^\s*(?:import\b|from\s.*\bimport\b|use\s|(?:const|let|var)\s*\{.*=\s*(?:await\s+)?(?:require|import)\()/

const COMMENT = /^\s*(?:\/\/|\/\*|\*|#(?!\s*define\b|\[)|--|%)/
const DEFINES_MEMBER = /\b(?:function|fun|def|fn|func|sub)\b[^()]*$|::$/

/** Every mention in the line is a call, as far as one line can show it. */
function isCall(line: string, name: string): boolean {
  if (!/^[\p{L}\p{N}_$]+$/u.test(name)) return false
  const word = String.raw`(?<![\p{L}\p{N}_$])${name.replaceAll('$', String.raw`\$`)}(?![\p{L}\p{N}_$])`
  const parts = line.split(new RegExp(word, 'u'))
  return parts
    .slice(1)
    .every(
      (after, n) =>
        /^\s*(?:<[^>]*>\s*)?\([^()]*(?:\([^()]*\)[^()]*)*\)(?!\s*(?:\{|=>|:))/.test(after) &&
        !DEFINES_MEMBER.test(parts[n] ?? ''),
    )
}

/** Whether the file only imports the name, calls it or has it in a comment. */
function isOnlyUsed(text: string, { name, type }: Pick<Entity, 'name' | 'type'>): boolean {
  if (!/^(?:function|method|class|interface|type|constant)$/.test(type)) return false
  const written = writtenName(name)
  const named = text.split('\n').filter((line) => hasName(line, written))
  return (
    findDefinition(text, written) === undefined &&
    named.length > 0 &&
    (named.some((line) => IMPORTS.test(line)) || named.every((line) => COMMENT.test(line) || isCall(line, written)))
  )
}

/** The 1-based line nearest to `nearLine` that defines the name. */
function findDefinition(text: string, name: string, nearLine = 1): number | undefined {
  const lines = text.split('\n')
  const defining = lines.flatMap((line, index) => (classifyUse(line, name) === 'definition' ? [index + 1] : []))
  return defining.toSorted((a, b) => Math.abs(a - nearLine) - Math.abs(b - nearLine))[0]
}

const MAX_SOURCE_BYTES = 1_000_000
const AT_ONCE = 8
/** Other locations to search for a missing entity. */
const MAX_LOCATIONS = 5

type EntitySource =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable' }

/** As stored, before the check. */
export interface KnownEntity extends Entity {
  readonly origin: EntityOrigin
}

export type CheckEntities = (
  entities: readonly KnownEntity[],
  project: ResolvedProject,
) => Promise<readonly CheckedEntity[]>

/** Checks entities against the current code; reads each file once. */
export function createEntityCheck(
  ports: Pick<AgentApiPorts, 'files' | 'codemap' | 'history' | 'realPath'>,
): CheckEntities {
  async function readSource(file: string, { worktree }: ResolvedProject): Promise<EntitySource> {
    const path = `${worktree}/${file}`
    if (isScratch(file)) return { kind: 'unreadable' }
    const facts = await ports.files.facts(path)
    if (facts === undefined) return { kind: 'missing' }
    // A link may point outside of the worktree.
    const real = await ports.realPath(path)
    if (facts.size > MAX_SOURCE_BYTES || !isWithin(real, worktree)) return { kind: 'unreadable' }
    const text = await ports.files.readText(path, MAX_SOURCE_BYTES)
    return text === undefined ? { kind: 'unreadable' } : { kind: 'text', text }
  }

  /** Index and git only suggest locations; the file itself decides. */
  async function lookElsewhere(entity: KnownEntity, project: ResolvedProject): Promise<CheckedEntity> {
    const name = writtenName(entity.name)
    // Other symbols with that name in the index are entities of their own.
    const indexed = entity.origin === 'index' ? [] : (await ports.codemap.symbols(project.worktree)).symbols
    const renamed = (await ports.history.filesNamed(project.worktree, [baseName(entity.file)])) ?? []
    const locations = [
      ...indexed.filter((symbol) => symbol.name === name).map(({ file, line }) => ({ file, line })),
      ...renamed.map((file) => ({ file, line: undefined })),
    ].filter(({ file }) => file !== entity.file)
    for (const { file, line } of locations.slice(0, MAX_LOCATIONS)) {
      const source = await readSource(file, project)
      const found = source.kind === 'text' ? findDefinition(source.text, name, line ?? entity.line) : undefined
      if (found !== undefined) return { ...entity, state: 'moved', foundAt: { file, line: found } }
    }
    return { ...entity, state: 'gone' }
  }

  async function checkOne(entity: KnownEntity, source: EntitySource, project: ResolvedProject): Promise<CheckedEntity> {
    if (!project.isOnDisk || source.kind === 'unreadable') return { ...entity, state: 'unknown' }
    const line = source.kind === 'text' ? findInSource(source.text, entity.name, entity.line) : undefined
    if (line === undefined || (source.kind === 'text' && isOnlyUsed(source.text, entity)))
      return lookElsewhere(entity, project)
    return entity.line === undefined || line === entity.line
      ? { ...entity, state: 'holds' }
      : { ...entity, state: 'moved', foundAt: { file: entity.file, line } }
  }

  return async (entities, project) => {
    const checked = new Map<KnownEntity, CheckedEntity>()
    const byFile = new Map<string, KnownEntity[]>()
    for (const entity of entities) {
      const here = byFile.get(entity.file)
      if (here === undefined) byFile.set(entity.file, [entity])
      else here.push(entity)
    }
    const files = [...byFile]
    // A few files at a time: a registry may name thousands.
    for (let start = 0; start < files.length; start += AT_ONCE) {
      await Promise.all(
        files.slice(start, start + AT_ONCE).map(async ([file, here]) => {
          const source = await readSource(file, project)
          for (const entity of here) checked.set(entity, await checkOne(entity, source, project))
        }),
      )
    }
    return entities.map((entity) => checked.get(entity) ?? { ...entity, state: 'unknown' })
  }
}
