import type { Node } from 'web-tree-sitter'
import type { FunctionContext, FunctionFacts } from '../../kernel/code-facts.ts'
import { classifyBody, findConstantName, isNotImplemented, listStatements } from './body-shape.ts'
import type { LanguageShape } from './language-shape.ts'
import { hasCommentedCode, isIncidental, isMoveOnly, listIgnored, listSwallowed } from './read-neglect.ts'
import { findReturnedFunction } from './reduce-statements.ts'
import { excerpt, findAncestor, lineOf, namedChildren, textOf, visit } from './tree.ts'

const MAX_USES = 300
const NAMED_BY = new Set(['variable_declarator', 'pair', 'public_field_definition', 'field_definition'])

/** Types whose methods do nothing, or accept everything, by their name. */
const VARIANT =
  /(?:^|[a-z_])(?:Null|No_?op|Nop|Dummy|Fake|Mock|Stub|Empty|Allow(?:Any|All|Everything)|Always|Never|Disabled|Unlimited|Anonymous|Identity|Pass_?[Tt]hrough|Void|Unimplemented|Blackhole|Discard|Accept_?All|Permissive|In_?[Mm]emory)(?=[A-Z_]|$)/
const VARIANT_NAME = /^(?:no_?op|nop|empty|dummy|identity|always|never|pass_?through)|(?:no_?op|_noop)$/i
const OPEN_NAME =
  /^(?:Base|Abstract|I)(?=[A-Z])|(?:Base|Abstract|Interface|Mixin|Protocol|Adapter|Delegate|Template)$|^_?Base|^_?Abstract/
const LEFT_OPEN =
  /\bsub-?class(?:es|ed)?\b|\boverrid(?:e|den|ing|es)\b|\bderived\b|\babstract\b|must be (?:implemented|defined|provided)|\bchild class|\bimplementors?\b|\bshould be implemented (?:by|in)\b|\bconcrete\b/i
const CALLED_STUB =
  /\b(?:stub(?:bed)?|placeholder|dummy|fake(?:d)?|hard-?coded|mock(?:ed)? (?:data|response|value|implementation|result)|not (?:yet )?implemented|(?<!nothing )\bto ?do\b|fixme\b|temporary|temporarily|for now|for (?:the |a )?(?:demo|moment|time being|prototype|poc|mvp)\b|(?:in|after|with) (?:the|a|another) (?:next|later|follow-?up) (?:sprint|iteration|release|version|pr|step|commit|phase|milestone)\b|until .{0,30}(?:ready|done|implemented)|simulat(?:e|ed|ing)|pretend|in (?:a )?(?:real|production)\b|replace (?:this|with|later)|wire (?:this )?up|real implementation|always (?:returns? )?(?:true|false|succeeds?))/i

const ROUTE_METHOD = /^(?:get|post|put|patch|delete|all|options)$/

/** `delete /users/:id` for the last function in `router.delete('/users/:id', …)`. */
function findRoute(given: Node, node: Node): string | undefined {
  const method = given.parent?.childForFieldName('function')?.childForFieldName('property')?.text ?? ''
  const values = namedChildren(given)
  const path = values[0]?.text.slice(1, -1) ?? ''
  return ROUTE_METHOD.test(method) && path.startsWith('/') && values.at(-1)?.id === node.id
    ? `${method} ${path}`
    : undefined
}

/** What a handler reads a request for; the answer to `GET /health` is constant by design. */
const routeParams = (name: string): number | undefined =>
  name.includes(' /') ? (name.startsWith('get ') ? (name.match(/[:{]\w/g)?.length ?? 0) : 1) : undefined

function findName(node: Node): string | undefined {
  const own = node.childForFieldName('name')
  if (own !== null) return own.text
  const parent = node.parent
  if (parent === null) return undefined
  if (NAMED_BY.has(parent.type)) {
    const name =
      parent.childForFieldName('name') ?? parent.childForFieldName('key') ?? parent.childForFieldName('property')
    return name?.text.replace(/^['"]|['"]$/g, '')
  }
  if (parent.type === 'literal_element' && parent.parent?.type === 'keyed_element')
    return parent.parent.firstNamedChild?.text
  if (parent.type === 'assignment_expression') return parent.childForFieldName('left')?.text.split('.').at(-1)
  if (parent.type === 'arguments') {
    const route = findRoute(parent, node)
    if (route !== undefined) return route
  }
  // `export const f = memo(() => …)`
  if (parent.type === 'arguments' && parent.parent?.parent?.type === 'variable_declarator')
    return parent.parent.parent.childForFieldName('name')?.text
  return undefined
}

function listParams(node: Node): readonly string[] {
  const list = node.childForFieldName('parameters') ?? node.childForFieldName('parameter')
  if (list === null) return []
  const names: string[] = []
  const entries = list.type === 'identifier' ? [list] : namedChildren(list)
  for (const entry of entries) {
    if (/self_parameter|comment|_separator|receiver/.test(entry.type)) continue
    const pattern = entry.childForFieldName('pattern') ?? entry.childForFieldName('name') ?? entry
    visit(pattern, (part) => {
      const isName = /^(?:identifier|shorthand_property_identifier_pattern)$/.test(part.type)
      if (isName) names.push(part.text)
      return !/^(?:type|type_\w+|\w+_type|assignment_pattern)$/.test(part.type)
    })
  }
  return names.filter((name) => name !== 'self' && name !== 'cls' && name !== 'this')
}

interface ContainerFacts {
  readonly name?: string
  readonly head: string
  readonly isInterface: boolean
  readonly hasParent: boolean
}

const NO_CONTAINER: ContainerFacts = { head: '', isInterface: false, hasParent: false }

/** Names for objects that are there to do nothing. */
const VARIANT_OBJECT = /default|fallback|silent|quiet|initial/i

/** `const analytics = { track() { … } }` at the top of a module: the object owns its functions as a class would. */
function findModuleObject(node: Node): string | undefined {
  const holder = node.parent?.type === 'pair' ? node.parent.parent : node.parent
  const declarator = holder?.type === 'object' ? holder.parent : undefined
  if (declarator?.type !== 'variable_declarator' || declarator.childForFieldName('type') !== null) return undefined
  const outside = declarator.parent?.parent?.type ?? ''
  const name = declarator.childForFieldName('name')?.text ?? ''
  return /^(?:program|export_statement)$/.test(outside) && !VARIANT_OBJECT.test(name) ? name : undefined
}

function describeContainer(node: Node, shape: LanguageShape): ContainerFacts {
  const object = findModuleObject(node)
  if (object !== undefined) return { ...NO_CONTAINER, name: object }
  const receiver = node.childForFieldName('receiver')
  if (receiver !== null) {
    const name = /(\w+)(?:\[[^\]]*\])?\s*\)?$/.exec(receiver.text)?.[1]
    return { ...NO_CONTAINER, ...(name !== undefined && { name }) }
  }
  const container = findAncestor(node, shape.containers)
  if (container === undefined || container.type === 'mod_item') return NO_CONTAINER
  const body = container.childForFieldName('body')
  const head = textOf(container, body === null ? 200 : Math.min(600, body.startIndex - container.startIndex))
  const name = (container.childForFieldName('type') ?? container.childForFieldName('name'))?.text.replace(/<.*/s, '')
  const bases = container.childForFieldName('superclasses')?.text.replace(/[()\s]|object|metaclass=\w+/g, '') ?? ''
  return {
    ...(name !== undefined && { name }),
    head,
    isInterface: /^(?:interface_declaration|interface_type|trait_item)$/.test(container.type),
    hasParent: /\bextends\b|\bimplements\b/.test(head) || bases !== '' || container.childForFieldName('trait') !== null,
  }
}

/** What stands before the function: decorators, annotations, attributes, modifiers. */
export function readPreface(node: Node): string {
  const holder = /decorated_definition|export_statement/.test(node.parent?.type ?? '') ? node.parent : node
  const own =
    holder === null
      ? ''
      : textOf(holder, Math.max(0, (node.childForFieldName('name') ?? node).startIndex - holder.startIndex))
  let attributes = ''
  for (
    let before = (holder ?? node).previousNamedSibling;
    before?.type === 'attribute_item';
    before = before.previousNamedSibling
  )
    attributes += `${before.text}\n`
  const inside = node.namedChildren.find((child) => child?.type === 'modifiers')
  return `${attributes}${own}${inside?.text ?? ''}`
}

function commentsIn(body: Node, shape: LanguageShape): string {
  const found: string[] = []
  visit(body, (node) => {
    if (shape.comments.has(node.type)) found.push(textOf(node, 300))
    return !shape.functions.has(node.type) || node.id === body.id
  })
  // A comment after the last statement on the same line belongs to the parent.
  const after = body.nextNamedSibling
  if (after !== null && shape.comments.has(after.type) && after.startPosition.row === body.endPosition.row)
    found.push(textOf(after, 300))
  return found.join('\n')
}

function readDocumentation(node: Node, body: Node): string {
  const before = (/decorated_definition|export_statement/.test(node.parent?.type ?? '') ? node.parent : node)
    ?.previousNamedSibling
  const above = before !== null && before !== undefined && /comment/.test(before.type) ? textOf(before, 1_000) : ''
  const first = body.firstNamedChild
  const inside =
    first?.type === 'expression_statement' && first.firstNamedChild?.type === 'string' ? textOf(first, 1_000) : ''
  return `${above}\n${inside}`
}

/** What is returned anyway does not excuse `_volume`, which the caller gives, but `_request`, which a framework gives. */
function isExpected(param: string, form: FunctionFacts['shape']): boolean {
  if (!param.startsWith('_')) return true
  return form === 'constant' && /^_\w\w/.test(param) && !isIncidental(param.slice(1))
}

export interface FunctionNode {
  readonly node: Node
  readonly body: Node
  readonly facts: FunctionFacts
}

function listGaps(body: Node, shape: LanguageShape): readonly number[] {
  const lines: number[] = []
  visit(body, (node) => {
    if (node.id !== body.id && shape.functions.has(node.type)) return false
    const isGap = node.id !== body.id && isNotImplemented(node, shape)
    // Python's bare NotImplementedError in a branch refuses an argument more often than it is unfinished.
    if (isGap && !(shape.id === 'python' && !/implement|todo/i.test(node.text.replace(/NotImplemented(?:Error)?/, ''))))
      lines.push(lineOf(node))
    return !isGap
  })
  return lines
}

/** The last statement only gives a value to a variable that ends with the function. */
function endsInLocal(body: Node, shape: LanguageShape): boolean {
  const last = listStatements(body, shape).at(-1)
  const inner = last?.type === 'expression_statement' ? last.firstNamedChild : last
  if (inner === null || inner === undefined || !shape.declarations.has(inner.type)) return false
  const left = inner.childForFieldName('left')
  return left === null || left.type === 'identifier'
}

function listUses(body: Node): readonly string[] {
  const names = new Set<string>()
  visit(body, ({ type, text }) => {
    if (type.endsWith('identifier') && type !== 'type_identifier' && names.size < MAX_USES) names.add(text)
    return true
  })
  return [...names]
}

function findContext(
  {
    node,
    body,
    name,
    shape,
    isLocal,
  }: { node: Node; body: Node; name: string; shape: LanguageShape; isLocal: boolean },
  container: ContainerFacts,
  subclassed: ReadonlySet<string>,
): FunctionContext {
  const preface = readPreface(node)
  // Without the modifiers: `@Override` leaves nothing to a subclass.
  const fromName = textOf(node, 1_000).slice((node.childForFieldName('name') ?? node).startIndex - node.startIndex)
  const own = `${readDocumentation(node, body)}\n${fromName}`
  if (/@(?:\w+\.)?abstract\w*|@(?:\w+\.)?overload|\babstract\b|\bdeclare\b/.test(preface)) return 'open'
  if (
    container.isInterface ||
    /\babstract class\b|\bABC\b|\bABCMeta\b|\bProtocol\b|TypedDict|NamedTuple/.test(container.head)
  )
    return 'open'
  if (container.name !== undefined && (OPEN_NAME.test(container.name) || subclassed.has(container.name))) return 'open'
  if (LEFT_OPEN.test(own)) return 'open'
  if (VARIANT_NAME.test(name) || VARIANT.test(name) || (container.name !== undefined && VARIANT.test(container.name)))
    return 'variant'
  const isInObject =
    (/^(?:pair|object)$/.test(node.parent?.type ?? '') && findModuleObject(node) === undefined) ||
    (node.parent?.type === 'assignment_expression' &&
      /\.\w+\.\w+|^\w+\./.test(
        node.parent.childForFieldName('left')?.text.replace(/^(?:module\.)?exports(?:\.|$)|\.prototype\b/g, '') ?? '',
      ))
  // Java marks what it overrides, and private and static methods override nothing.
  const mayOverride =
    container.hasParent &&
    shape.id !== 'java' &&
    !/\bprivate\b|\bstatic(?:method)?\b/.test(preface) &&
    !name.startsWith('#')
  if (isLocal || isInObject || /@Override\b|\boverride\b/.test(preface) || mayOverride) return 'override'
  return shape.id === 'python' && /@property|@\w+\.setter/.test(preface) ? 'override' : 'plain'
}

const CONSTRUCTORS = new Set(['constructor', '__init__', '__new__'])

const GENERATED = /\bcode generated\b.{0,80}\bdo not edit\b|@generated\b|\bauto-?generated (?:by|file|code|from)\b/i

/** Names of constants outside of functions. */
function listConstants(root: Node, shape: LanguageShape): ReadonlySet<string> {
  const names = new Set<string>()
  for (const child of namedChildren(root)) {
    const statement = child.type === 'export_statement' ? (child.childForFieldName('declaration') ?? child) : child
    const name = findConstantName(statement, shape, names)
    if (name !== undefined) names.add(name)
  }
  return names
}

/** Every named function of a file, in order. */
export function readFunctions(root: Node, shape: LanguageShape): readonly FunctionNode[] {
  const found: FunctionNode[] = []
  const subclassed = new Set<string>()
  visit(root, (node) => {
    if (
      /^(?:extends_clause|superclass|superclasses|argument_list|class_heritage|super_interfaces)$/.test(node.type) &&
      /class/.test(node.parent?.type ?? '')
    )
      for (const [word] of node.text.matchAll(/\w+/g)) subclassed.add(word)
    return true
  })
  const constants = listConstants(root, shape)
  const isGenerated = GENERATED.test(textOf(root, 1_000))
  visit(root, (node) => {
    const body = shape.functions.has(node.type) ? node.childForFieldName('body') : null
    const name = body === null ? undefined : findName(node)
    if (body === null || name === undefined || node.type === 'constructor_declaration' || CONSTRUCTORS.has(name))
      return true
    // `(limit) => async (request, next) => { … }`: what is returned is what does the work.
    const inner = shape.functions.has(body.type) ? body : findReturnedFunction(listStatements(body, shape), shape)
    const params = [...listParams(node), ...(inner === undefined ? [] : listParams(inner))]
    const container = describeContainer(node, shape)
    const { shape: form, detail } = classifyBody(inner?.childForFieldName('body') ?? body, shape, {
      params: new Set(params),
      constants,
    })
    found.push({
      node,
      body,
      facts: {
        name,
        ...(container.name !== undefined && { container: container.name }),
        line: lineOf(node),
        endLine: node.endPosition.row + 1,
        params: routeParams(name) ?? params.filter((param) => isExpected(param, form)).length,
        ignored: /^(?:normal|assembled|presence)$/.test(form) ? listIgnored(body, params, shape) : [],
        shape: form,
        detail: detail || excerpt(node),
        context: isGenerated
          ? 'open'
          : findContext(
              {
                node,
                body,
                name,
                shape,
                isLocal: form === 'empty' && findAncestor(node, shape.functions) !== undefined,
              },
              container,
              subclassed,
            ),
        isCalledStub:
          (form !== 'normal' && CALLED_STUB.test(`${commentsIn(body, shape)}\n${readDocumentation(node, body)}`)) ||
          hasCommentedCode(body, shape, /^(?:constant|empty|echo|log-only)$/.test(form) || endsInLocal(body, shape)),
        movesOnly: form === 'normal' && isMoveOnly(body),
        swallows: form === 'normal' ? listSwallowed(body, shape) : [],
        gaps: form === 'not-implemented' ? [] : listGaps(body, shape),
        uses: form === 'normal' ? listUses(body) : [],
      },
    })
    return listStatements(body, shape).length > 0
  })
  return found
}
