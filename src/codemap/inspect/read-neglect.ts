import type { Node } from 'web-tree-sitter'
import type { LanguageShape } from './language-shape.ts'
import { lineOf, namedChildren, textOf, visit } from './tree.ts'

/** Parameters that a framework passes whether they are wanted or not. */
const INCIDENTAL =
  /^(?:_.*|ctx|context|c|req|request|r|w|rw|res|resp|response|reply|next|event|evt|ev|e|t|f|args|kwargs|argv|opts?|options|config|cfg|settings|log|logger|props|sender|cls|db|session|tx|cmd|env|signal|app|done|cb|callback|index|idx|i|key|err|error|state|info|parent|root|source|frame|signum|self|this|user|currentUser|current_user|models?|apps|schema_editor|theme|ref|className|children|instance|created|timeout|bencher|out)$/i

/** The text of a body without comments and logging. */
function readWorkingText(body: Node, shape: LanguageShape): string {
  const cut: { readonly from: number; readonly to: number }[] = []
  visit(body, (node) => {
    const isStatement = /statement|macro_invocation/.test(node.type) && !/block|^(?:statement_list|return)/.test(node.type)
    const isLeftOut = shape.comments.has(node.type) || (isStatement && shape.logging.test(textOf(node, 200)))
    if (isLeftOut) cut.push({ from: node.startIndex - body.startIndex, to: node.endIndex - body.startIndex })
    return !isLeftOut
  })
  let text = ''
  let at = 0
  const whole = body.text
  for (const { from, to } of cut) {
    text += whole.slice(at, from)
    at = to
  }
  return text + whole.slice(at)
}

/** Parameters without any use, when they are most of them or the first. */
export function listIgnored(body: Node, params: readonly string[], shape: LanguageShape): readonly string[] {
  const telling = params.filter((name) => !INCIDENTAL.test(name))
  if (telling.length === 0 || body.text.length > 20_000) return []
  const text = readWorkingText(body, shape)
  if (/\barguments\b|\blocals\(\)/.test(text)) return []
  const words = new Set(text.match(/[A-Za-z_$][\w$]*/g) ?? [])
  const ignored = telling.filter((name) => !words.has(name))
  const [first = ''] = telling
  return ignored.length > 0 && (ignored.includes(first) || ignored.length * 2 >= telling.length) ? ignored : []
}

const HANDLERS = /^(?:catch_clause|except_clause)$/

/** Handlers of errors that do nothing and give no reason for it. */
export function listSwallowed(body: Node, shape: LanguageShape): readonly number[] {
  const lines: number[] = []
  visit(body, (node) => {
    if (!HANDLERS.test(node.type)) return true
    const block =
      node.childForFieldName('body') ?? namedChildren(node).findLast(({ type }) => /block/.test(type)) ?? undefined
    const children = block === undefined ? [] : namedChildren(block)
    const isEmpty = block !== undefined && children.every(({ type }) => type === 'pass_statement')
    const isSpecific = /^except_clause$/.test(node.type) && /^except\s+(?!Exception\b|BaseException\b)\w/.test(node.text)
    if (isEmpty && !isSpecific && !children.some(({ type }) => shape.comments.has(type))) lines.push(lineOf(node))
    return true
  })
  return lines
}
