import type { Node } from 'web-tree-sitter'
import type { LanguageShape } from './language-shape.ts'
import { namedChildren, textOf } from './tree.ts'

const TRIES = new Set(['try_statement', 'try_with_resources_statement'])
const EXITS = new Set(['return_statement', 'throw_statement', 'raise_statement', 'return_expression'])
const IFS = new Set(['if_statement', 'if_expression'])
const WRAPPING_BLOCKS = new Set(['statement_block', 'block', 'statement_list', 'unsafe_block', 'else_clause'])

const unwrapStatement = (statement: Node): Node =>
  statement.type === 'expression_statement' ? (statement.firstNamedChild ?? statement) : statement

function isExit(statement: Node): boolean {
  const inner = unwrapStatement(statement)
  return EXITS.has(inner.type)
}

/** `if (true)`, `if False:`, `if 0 {`: which way it always goes. */
function decide(condition: Node | null): boolean | undefined {
  const text = condition === null ? '' : textOf(condition, 60).replace(/[()\s]/g, '')
  if (/^(?:true|True|1|!false|notFalse|!0)$/.test(text) || /(?:\|\||or)(?:true|True)$/.test(text)) return true
  return /^(?:false|False|0|!true|notTrue|!1)$/.test(text) || /^(?:false|False)(?:&&|and)/.test(text)
    ? false
    : undefined
}

function inside(block: Node | null, shape: LanguageShape): readonly Node[] {
  if (block === null) return []
  if (!WRAPPING_BLOCKS.has(block.type)) return [block]
  return namedChildren(block)
    .filter(({ type }) => !shape.comments.has(type))
    .flatMap((child) => (WRAPPING_BLOCKS.has(child.type) ? inside(child, shape) : [child]))
}

export interface ReducedBody {
  readonly statements: readonly Node[]
  /** A call in it may be made for the error that it throws. */
  readonly isTried: boolean
}

/** The statements that can run: without what follows a return, without branches never taken, `try` opened. */
export function reduceStatements(all: readonly Node[], shape: LanguageShape): ReducedBody {
  const statements: Node[] = []
  let isTried = false
  for (const statement of all) {
    const inner = unwrapStatement(statement)
    const isTry = TRIES.has(inner.type)
    const way = IFS.has(inner.type) ? decide(inner.childForFieldName('condition')) : undefined
    if (isTry) {
      const opened = reduceStatements(inside(inner.childForFieldName('body'), shape), shape)
      isTried = true
      statements.push(...opened.statements)
    } else if (way === undefined) statements.push(statement)
    else {
      const taken = inside(inner.childForFieldName(way ? 'consequence' : 'alternative'), shape)
      statements.push(...reduceStatements(taken, shape).statements)
    }
    const last = statements.at(-1)
    if (last !== undefined && isExit(last)) break
  }
  return { statements, isTried }
}

const PURE_CALL =
  /(?:^|[.:])(?:trim|strip|upper|lower|to(?:Upper|Lower)Case|to_(?:upper|lower)case|replace|replaceAll|replace_all|split|slice|substring|getHeader|header|headers|get|to_string|to_owned|toString|String|str|int|float|Number|parseInt|parseFloat|Boolean|bool|len|sorted|list|dict|now|Now|TrimSpace|ToLower|ToUpper|Header|Get|iter|as_str|format|getParameter|clone|max|min|join)$/

/** What a request says, read and not yet used. */
const READS_REQUEST = /=\s*await\s+(?:\w+\.)?(?:req|request)\.(?:json|text|formData)\(\);?$/

/** A local variable whose value is made without any effect. */
export function isInertLocal(statement: Node, shape: LanguageShape, isTried: boolean): boolean {
  const inner = unwrapStatement(statement)
  if (!shape.declarations.has(inner.type)) return false
  const text = textOf(inner, 1_000)
  if (READS_REQUEST.test(text)) return true
  if (/\bawait\b|\?;\s*$|=>|\bfunction\b|<-/.test(text)) return false
  const left = inner.childForFieldName('left')
  if (left !== null && /[.[]/.test(textOf(left, 100))) return false
  const callees = [...text.matchAll(/([\w.:]+)(?:<[^<>()]*>)?\(/g)].map(([, callee = '']) => callee)
  return callees.length === 0 || (!isTried && callees.every((callee) => PURE_CALL.test(callee)))
}

const PRESENCE =
  /^(?:(?:Boolean|bool|len)\()?([A-Za-z_$]\w*)(?:\??\.(?:length|len\(\)|size\(\)|isEmpty\(\)|is_empty\(\)|is_none\(\)|is_some\(\)|isBlank\(\)|trim\(\)|strip\(\)|is_some_and\(\)))*\)?(?:(?:[!=]==?|>=?|<|isnot|is)(?:null|undefined|None|nil|""|''|0|1))?$/
/** A header or a token, and not a result that was derived from it before. */
const PRESENT_PART =
  /^(?:Boolean\()?(\w+)(?:\??\.\w+(?:\(\))?)*\??[.[(]['"]?\w*(?:header|headers|authorization|token|signature|api_?key|cookies?)\w*(?:[.[(]\w*\(?['"][\w-]+['"][)\]]?)?['"]?[)\]]*(?:\(['"][\w-]+['"]\))?(?:[!=]==?(?:null|undefined|None|nil|""|''))?$/i

/** Without closing brackets that nothing opens. */
function balance(text: string): string {
  const isOver = text.endsWith(')') && text.split(')').length > text.split('(').length
  return isOver ? balance(text.slice(0, -1)) : text
}

/** Whether a condition only checks that a parameter has a value. */
export function isPresenceCheck(condition: Node, params: ReadonlySet<string>): boolean {
  const parts = textOf(condition, 400)
    .split(/&&|\|\||\band\b|\bor\b/)
    .map((part) => {
      const bare = part.replace(/\s|\bnot\b(?!\s+None)/g, '').replace(/^[(!]+/, '')
      return balance(bare)
        .replace(/^typeof(\w+)[!=]==?['"]\w+['"]$/, '$1')
        .replace(/^isinstance\((\w+),[\w.]+\)$/, '$1')
    })
  return parts.every((part) => {
    const [, name = ''] = PRESENCE.exec(part) ?? PRESENT_PART.exec(part) ?? []
    return params.has(name)
  })
}

/** `if (!token) return false`: leaves when something is missing, and does nothing else. */
export function isPresenceGuard(statement: Node, shape: LanguageShape, params: ReadonlySet<string>): boolean {
  const inner = unwrapStatement(statement)
  if (!IFS.has(inner.type) || inner.childForFieldName('alternative') !== null) return false
  const condition = inner.childForFieldName('condition')
  const then = inside(inner.childForFieldName('consequence'), shape)
  const last = then.at(-1)
  return (
    condition !== null && last !== undefined && then.length <= 2 && isExit(last) && isPresenceCheck(condition, params)
  )
}

/** What a factory returns: `(role) => { return (req, res, next) => … }`, `return http.HandlerFunc(func…)`, a decorator. */
export function findReturnedFunction(statements: readonly Node[], shape: LanguageShape): Node | undefined {
  const isFunction = ({ type }: Node) =>
    shape.functions.has(type) || /^(?:func_literal|closure_expression|lambda_expression)$/.test(type)
  const last = statements.at(-1)
  if (last === undefined) return undefined
  const inner = unwrapStatement(last)
  const value = EXITS.has(inner.type) ? inner.firstNamedChild : inner
  if (value === null) return undefined
  if (statements.length === 1) {
    if (isFunction(value)) return value
    const given = value.childForFieldName('arguments')
    const only = given === null ? [] : namedChildren(given)
    const [argument] = only
    const isHandler = value.childForFieldName('function')?.text.endsWith('HandlerFunc') === true
    return isHandler && only.length === 1 && argument !== undefined && isFunction(argument) ? argument : undefined
  }
  if (statements.length !== 2 || value.type !== 'identifier') return undefined
  const [first] = statements
  const definition = first?.type === 'decorated_definition' ? first.childForFieldName('definition') : first
  return definition !== null &&
    definition !== undefined &&
    isFunction(definition) &&
    definition.childForFieldName('name')?.text === value.text
    ? definition
    : undefined
}
