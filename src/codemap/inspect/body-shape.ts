import type { Node } from 'web-tree-sitter'
import type { BodyShape } from '../../kernel/code-facts.ts'
import type { LanguageShape } from './language-shape.ts'
import {
  findReturnedFunction,
  isInertLocal,
  isPresenceCheck,
  isPresenceGuard,
  reduceStatements,
} from './reduce-statements.ts'
import { excerpt, namedChildren, textOf } from './tree.ts'

export interface Body {
  readonly shape: BodyShape
  readonly detail: string
}

const BLOCKS = new Set(['statement_block', 'block', 'statement_list', 'constructor_body', 'class_body'])
const CALLS = new Set(['call_expression', 'call', 'method_invocation', 'new_expression', 'object_creation_expression'])
const NAMES = new Set(['identifier', 'shorthand_property_identifier', 'self', 'field_identifier'])

/** The statements of a function, without comments and without Python's documentation string. */
export function listStatements(body: Node, shape: LanguageShape): readonly Node[] {
  if (!BLOCKS.has(body.type)) return [body]
  const statements = namedChildren(body)
    .filter(({ type }) => !shape.comments.has(type))
    .flatMap((child) => (child.type === 'statement_list' ? listStatements(child, shape) : [child]))
  const [first] = statements
  const isDocumentation =
    shape.id === 'python' && first?.type === 'expression_statement' && first.firstNamedChild?.type === 'string'
  return isDocumentation ? statements.slice(1) : statements
}

function unwrap(node: Node, shape: LanguageShape): Node {
  const [inner] = namedChildren(node).filter(({ type }) => !shape.comments.has(type))
  return shape.wrappers.has(node.type) && inner !== undefined ? unwrap(inner, shape) : node
}

function readCallee(call: Node): string {
  const callee = call.childForFieldName('function') ?? call.childForFieldName('constructor')
  if (callee !== null) return `${call.type === 'new_expression' ? 'new ' : ''}${textOf(callee, 80)}`
  const object = call.childForFieldName('object')
  const name = call.childForFieldName('name') ?? call.childForFieldName('type')
  const prefix = call.type === 'object_creation_expression' ? 'new ' : object === null ? '' : `${textOf(object, 60)}.`
  return `${prefix}${name === null ? '' : textOf(name, 60).replace(/<.*/s, '')}`
}

/** `matches(password) or True`, `false && check()`: one side decides. */
function isDecided(value: Node): boolean {
  if (value.type !== 'binary_expression' && value.type !== 'boolean_operator') return false
  const sides = namedChildren(value).map(({ text }) => text)
  const has = (word: RegExp) => sides.some((side) => word.test(side))
  const operator = value.childForFieldName('operator')?.text ?? ''
  return (/^(?:\|\||or)$/.test(operator) && has(/^[tT]rue$/)) || (/^(?:&&|and)$/.test(operator) && has(/^[fF]alse$/))
}

/** `<p>Invoices</p>`: one element of the page with a text in it. */
function isFixedElement(element: Node): boolean {
  const text = textOf(element, 400)
  return (
    text.length < 300 &&
    !text.includes('{') &&
    /^<(?:[a-z]\w*|>)/.test(text) &&
    !/<(?:svg|path|img|input|a|br|hr|[A-Z])\b/.test(text) &&
    (text.match(/<\w/g) ?? []).length <= 2
  )
}

/** Whether the value is the same at every call; `known` are variables with constant values. */
function isConstant(node: Node, shape: LanguageShape, known: ReadonlySet<string>): boolean {
  const value = unwrap(node, shape)
  if (value.type === 'template_string') return value.namedChildCount === 0 || !textOf(value).includes('${')
  if (value.type === 'string') return !namedChildren(value).some(({ type }) => type === 'interpolation')
  if (shape.constants.has(value.type)) return true
  if (isDecided(value)) return true
  // `{ login: () => {} }`
  if (shape.functions.has(value.type)) {
    const body = value.childForFieldName('body')
    return body?.type === 'statement_block' && listStatements(body, shape).length === 0
  }
  if (/^jsx_(?:element|self_closing_element)$/.test(value.type)) return isFixedElement(value)
  if (NAMES.has(value.type)) return known.has(value.text) || /^(?:undefined|None|nil|NULL)$/.test(value.text)
  if (/^binary_(?:expression|operator)$/.test(value.type))
    return namedChildren(value).every((child) => isConstant(child, shape, known))
  if (shape.collections.has(value.type))
    return namedChildren(value).every(
      (child, n) =>
        isConstant(child, shape, known) ||
        (n === 0 &&
          /^(?:pair|keyed_element|field_initializer|composite_literal|struct_expression)$/.test(value.type)) ||
        /^(?:type_identifier|\w+_type|property_identifier)$/.test(child.type),
    )
  if (value.type === 'macro_invocation') {
    const text = textOf(value).replace(/"[^"]*"/g, '0')
    return (
      /^vec!\s*\[[\s\d',]*\]$/.test(text) ||
      /^(?:serde_json::)?json!\s*\((?:[\s\d{}[\],:.-]|true|false|null)*\)$/.test(text)
    )
  }
  if (!CALLS.has(value.type) || !shape.constantCalls.test(readCallee(value))) return false
  const given = value.childForFieldName('arguments')
  return given === null || namedChildren(given).every((argument) => isConstant(argument, shape, known))
}

/** `const users = [{ id: 1 }]`: the name, when the value is constant. */
export function findConstantName(
  statement: Node,
  shape: LanguageShape,
  known: ReadonlySet<string>,
): string | undefined {
  const inner = statement.type === 'expression_statement' ? (statement.firstNamedChild ?? statement) : statement
  if (!shape.declarations.has(inner.type)) return undefined
  const declarator = namedChildren(inner).find(({ type }) => /declarator|var_spec/.test(type)) ?? inner
  const name =
    declarator.childForFieldName('name') ??
    declarator.childForFieldName('left') ??
    declarator.childForFieldName('pattern')
  const value = declarator.childForFieldName('value') ?? declarator.childForFieldName('right')
  return name !== null && value !== null && isConstant(value, shape, known) ? name.text : undefined
}

function isFailure(statement: Node, shape: LanguageShape, pattern: RegExp): boolean {
  const inner =
    statement.type === 'expression_statement' && statement.firstNamedChild !== null
      ? statement.firstNamedChild
      : statement
  const isRejected = shape.id === 'ecma' && statement.type === 'return_statement'
  return (
    (shape.failures.has(statement.type) || shape.failures.has(inner.type) || isRejected) &&
    pattern.test(textOf(statement, 400).trim())
  )
}

export const isNotImplemented = (statement: Node, shape: LanguageShape): boolean =>
  isFailure(statement, shape, shape.notImplemented)

/** `res.status(200).json({ ok: true })`, `c.JSON(200, gin.H{…})`: an answer that is a statement. */
const ANSWER =
  /^(?:return\s+|await\s+)*(?:res|response|reply|ctx|c|w|ctx\.res)(?:\.(?:status|code|type|header|set)\([^()]*\))*\.(?:json|send|sendStatus|end|text|html|JSON|String|SendString|Status|NoContent|IndentedJSON|Write|WriteHeader)$|^json\.NewEncoder\(w\)\.Encode$/
/** `password.to_string()`, `str(value)`: the input in another type. */
const CONVERSION =
  /^(?:(?=\w+\.)|(?:str|String|string|list|dict|bytes|String\.valueOf)\()(\w+)(?:\.(?:to_string|to_owned|clone|into|toString|copy|to_vec|as_ref)\(\)|\))$/
/** A step of a chain that only calls the next one. */
const PASS_ON =
  /^(?:return\s+|await\s+)*(?:next\(\s*\)|next\.ServeHTTP\(\s*\w+\s*,\s*\w+\s*\)|c(?:tx)?\.(?:Next|next)\(\s*\)|call_next\(\s*\w+\s*\)|(?:self\.)?get_response\(\s*\w+\s*\)|next\.run\(\s*\w+\s*\)(?:\.await)?|(?:filterC|c)hain\.doFilter\(\s*\w+\s*,\s*\w+\s*\));?$/

function isConstantAnswer(statement: Node, shape: LanguageShape, known: ReadonlySet<string>): boolean {
  const inner = statement.type === 'expression_statement' ? (statement.firstNamedChild ?? statement) : statement
  const call = unwrap(inner, shape)
  if (!CALLS.has(call.type) || !ANSWER.test(readCallee(call))) return false
  const given = call.childForFieldName('arguments')
  return given !== null && namedChildren(given).every((argument) => isFixed(argument, shape, known))
}

/** `http.StatusOK` is as fixed as 200. */
const isFixed = (node: Node, shape: LanguageShape, known: ReadonlySet<string>): boolean =>
  /^http\.Status\w+$/.test(node.text) || isConstant(node, shape, known)

function returnedValue(statement: Node, shape: LanguageShape): Node | 'nothing' | undefined {
  const inner =
    statement.type === 'expression_statement' && statement.firstNamedChild !== null
      ? statement.firstNamedChild
      : statement
  if (shape.returns.has(inner.type)) return inner.firstNamedChild ?? 'nothing'
  // The body of an arrow function, or the last expression of a Rust block.
  return /statement|declaration|assignment/.test(statement.type) ? undefined : statement
}

const FUNCTION_BODY = (node: Node): Node | null => node.childForFieldName('body')

/** Fields of a parameter, and what is only multiplied by 1. */
function isGivenPart(
  node: Node,
  shape: LanguageShape,
  params: ReadonlySet<string>,
  known: ReadonlySet<string>,
): boolean {
  const value = unwrap(node, shape)
  const text = textOf(value, 200)
  const [root = ''] = /^[A-Za-z_]\w*/.exec(text) ?? []
  if (params.has(root) && /^[A-Za-z_]\w*(?:\??\.\w+(?:\(\))?)*$/.test(text)) return true
  const operator = value.childForFieldName('operator')?.text
  if (operator === '*' || operator === '+')
    return (
      namedChildren(value).some((side) => known.has(`${side.text}=1`)) &&
      namedChildren(value).every((side) => isGivenPart(side, shape, params, known) || known.has(side.text))
    )
  if (isConstant(value, shape, known)) return true
  if (
    /^(?:spread_element|pair|keyed_element|literal_element|field_initializer|field_initializer_list|object|dictionary|literal_value|composite_literal|struct_expression|shorthand_field_initializer|keyword_argument|array|list|argument_list|arguments|base_field_initializer)$/.test(
      value.type,
    )
  )
    return namedChildren(value).every(
      (child, n) =>
        (n === 0 &&
          /^(?:pair|keyed_element|field_initializer|composite_literal|struct_expression|keyword_argument)$/.test(
            value.type,
          )) ||
        /^(?:\w*type_identifier|\w+_type|property_identifier)$/.test(child.type) ||
        isGivenPart(child, shape, params, known),
    )
  if (value.type === 'shorthand_property_identifier' || value.type === 'identifier')
    return params.has(text) || known.has(text)
  if (!CALLS.has(value.type) && value.type !== 'unary_expression') return false
  if (value.type === 'unary_expression')
    return namedChildren(value).every((child) => isGivenPart(child, shape, params, known))
  const callee = readCallee(value)
  const given = value.childForFieldName('arguments')
  return (
    /^(?:new (?!(?:URL|Date|RegExp|Promise|Set|Map|Blob|Intl|Proxy|Function|Worker)\b)[A-Z]\w*|[A-Z]\w*|Promise\.resolve|Ok|Some)$/.test(
      callee,
    ) &&
    given !== null &&
    isGivenPart(given, shape, params, known)
  )
}

/** An object of parameters and constants, with nothing computed. */
function isAssembled(
  value: Node,
  shape: LanguageShape,
  params: ReadonlySet<string>,
  known: ReadonlySet<string>,
): boolean {
  const inner = unwrap(value, shape)
  const isMade =
    /^(?:object|dictionary|composite_literal|struct_expression|unary_expression|expression_list)$/.test(inner.type) ||
    CALLS.has(inner.type)
  return isMade && isGivenPart(inner, shape, params, known)
}

export interface BodyNames {
  readonly params: ReadonlySet<string>
  /** Constants of the module. */
  readonly constants: ReadonlySet<string>
}

/** The effect of a function's body, without logging and waiting. */
export function classifyBody(body: Node, shape: LanguageShape, { params, constants }: BodyNames): Body {
  const { statements, isTried } = reduceStatements(listStatements(body, shape), shape)
  const isLog = (statement: Node) => shape.logging.test(textOf(statement, 200))
  const working = statements.filter(
    (statement) => !shape.noise.test(textOf(statement, 200).trim()) && !isLog(statement),
  )
  const [first] = working
  if (first === undefined) {
    const logged = statements.find(isLog)
    return logged === undefined
      ? { shape: 'empty', detail: 'its body is empty' }
      : { shape: 'log-only', detail: `it only logs: ${excerpt(logged)}` }
  }
  if (isNotImplemented(first, shape)) return { shape: 'not-implemented', detail: excerpt(first) }
  if (working.length === 1 && isFailure(first, shape, shape.unsupported))
    return { shape: 'unsupported', detail: excerpt(first) }
  const returned = findReturnedFunction(working, shape)
  const inside = returned === undefined ? null : FUNCTION_BODY(returned)
  if (inside !== null) return classifyBody(inside, shape, { params, constants })
  const known = new Set<string>(constants)
  const derived = new Set<string>(params)
  let isGuarded = false
  for (const statement of working.slice(0, -1)) {
    const name = findConstantName(statement, shape, known)
    if (name !== undefined) {
      known.add(name)
      if (/=\s*1(?:\.0*)?;?$/.test(textOf(statement, 100))) known.add(`${name}=1`)
    } else if (isInertLocal(statement, shape, isTried)) {
      const [, local = ''] =
        /^(?:const |let |var |final |mut )*(?:[A-Z]\w*(?:<[^=]*>)? )?(\w+)/.exec(textOf(statement, 100)) ?? []
      derived.add(local)
    } else if (isPresenceGuard(statement, shape, derived)) isGuarded = true
    else return { shape: 'normal', detail: '' }
  }
  const last = working.at(-1) ?? first
  const found = classifyLast(last, { shape, params, known, constants, isOnly: working.length === 1 })
  if (!isGuarded) return found
  const isChecked =
    found.shape === 'echo' ||
    (found.shape === 'constant' && /^(?:true|True|nil|None|null|Ok\(\(\)\)|Ok\(true\)|true, nil)$/.test(found.detail))
  return isChecked
    ? { shape: 'presence', detail: `it only looks whether something was given: ${excerpt(last)}` }
    : found
}

interface LastStatement {
  readonly shape: LanguageShape
  readonly params: ReadonlySet<string>
  readonly known: ReadonlySet<string>
  readonly constants: ReadonlySet<string>
  readonly isOnly: boolean
}

function classifyLast(last: Node, { shape, params, known, constants, isOnly }: LastStatement): Body {
  if (PASS_ON.test(textOf(last, 200).trim())) return { shape: 'echo', detail: excerpt(last) }
  if (isConstantAnswer(last, shape, known)) return { shape: 'constant', detail: excerpt(last) }
  if (isNotImplemented(last, shape)) return { shape: 'not-implemented', detail: excerpt(last) }
  if (isAlwaysFailing(last, shape)) return { shape: 'unsupported', detail: excerpt(last) }
  const value = returnedValue(last, shape)
  if (value === undefined) return { shape: 'normal', detail: '' }
  if (value === 'nothing') return { shape: 'empty', detail: 'it only returns' }
  if (isConstant(value, shape, known)) {
    const isOfModule = NAMES.has(value.type) && constants.has(value.text)
    return { shape: 'constant', detail: `${excerpt(value)}${isOfModule ? ', a constant of the module' : ''}` }
  }
  const inner = unwrap(value, shape)
  const parts = inner.type === 'expression_list' || inner.type === 'call_expression' ? namedChildren(inner) : [inner]
  const [head] =
    inner.type === 'call_expression' && /^(?:Ok|Some)\(/.test(inner.text) ? namedChildren(parts[1] ?? inner) : parts
  const isEcho = head !== undefined && NAMES.has(head.type) && params.has(head.text) && inner.type !== 'call_expression'
  const isPart = (node: Node) => isConstant(node, shape, new Set([...known, ...params]))
  const isListed =
    /^(?:expression_list|tuple_expression|tuple)$/.test(head?.type ?? '') ||
    inner.type === 'expression_list' ||
    inner.type === 'tuple'
  if (isListed && isPart(inner.type === 'call_expression' && head !== undefined ? head : inner))
    return { shape: 'echo', detail: excerpt(inner) }
  const [, converted = ''] = CONVERSION.exec(inner.text) ?? []
  if (params.has(converted) && isOnly) return { shape: 'echo', detail: excerpt(inner) }
  const isWrappedEcho = head !== undefined && /^(?:Ok|Some)\(/.test(inner.text) && params.has(head.text)
  if ((isEcho || isWrappedEcho) && isOnly) return { shape: 'echo', detail: excerpt(head) }
  if (isPresenceCheck(inner, params))
    return { shape: 'presence', detail: `it only looks whether something was given: ${excerpt(inner)}` }
  if (isAssembled(inner, shape, params, known)) return { shape: 'assembled', detail: excerpt(inner) }
  return { shape: 'normal', detail: '' }
}

/** `unreachable!()`, `panic("…")` or `throw` where the work should be. */
function isAlwaysFailing(statement: Node, shape: LanguageShape): boolean {
  const text = textOf(statement, 200).trim()
  return (
    shape.failures.has(unwrapFailure(statement).type) &&
    /^(?:throw\s|raise\s|panic\(|(?:panic|unreachable)!\()/.test(text)
  )
}

const unwrapFailure = (statement: Node): Node =>
  statement.type === 'expression_statement' ? (statement.firstNamedChild ?? statement) : statement
