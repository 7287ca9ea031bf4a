import type { Node } from 'web-tree-sitter'
import type { LanguageShape } from './language-shape.ts'
import { lineOf, namedChildren, textOf, visit } from './tree.ts'

/** Parameters that a framework passes whether they are wanted or not. */
const INCIDENTAL =
  /^(?:_.*|ctx|context|c|req|request|r|w|rw|res|resp|response|reply|next|event|evt|ev|e|t|f|args|kwargs|argv|opts?|options|config|cfg|settings|log|logger|props|sender|cls|db|session|tx|cmd|env|signal|app|done|cb|callback|index|idx|i|key|err|error|state|info|parent|root|source|frame|signum|self|this|user|currentUser|current_user|models?|apps|schema_editor|theme|ref|className|children|instance|created|timeout|bencher|out)$/i

export const isIncidental = (name: string): boolean => INCIDENTAL.test(name)

/** The text of a body without comments and logging. */
function readWorkingText(body: Node, shape: LanguageShape): string {
  const cut: { readonly from: number; readonly to: number }[] = []
  visit(body, (node) => {
    const isStatement =
      /statement|macro_invocation/.test(node.type) && !/block|^(?:statement_list|return)/.test(node.type)
    const isDocumentation = node.type === 'expression_statement' && node.firstNamedChild?.type === 'string'
    const isLeftOut =
      shape.comments.has(node.type) || isDocumentation || (isStatement && shape.logging.test(textOf(node, 200)))
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
/** Python's `except` for these answers a question, such as whether a key or file exists. */
const ANSWERS =
  /^except\s+\(?(?:[\w.]*\.)?(?:(?:Key|Index|Lookup|Value|Type|Attribute|Name|Import|ModuleNotFound|FileNotFound|FileExists|ProcessLookup|StopIteration|Unicode\w*|Assertion|ZeroDivision|BrokenPipe|ConnectionReset)Error|StopIteration|StopAsyncIteration|KeyboardInterrupt|CancelledError|GeneratorExit|Empty|Full|\w*(?:NotFound|DoesNotExist|AlreadyExists|Conflict|Exists)\w*)\b/

/** Handlers of errors that do nothing and give no reason for it. */
export function listSwallowed(body: Node, shape: LanguageShape): readonly number[] {
  const lines: number[] = []
  visit(body, (node) => {
    if (!HANDLERS.test(node.type)) return true
    const block =
      node.childForFieldName('body') ?? namedChildren(node).findLast(({ type }) => /block/.test(type)) ?? undefined
    const children = block === undefined ? [] : namedChildren(block)
    const isEmpty = block !== undefined && children.every(({ type }) => type === 'pass_statement')
    const isAnswer = node.type === 'except_clause' && ANSWERS.test(node.text)
    if (isEmpty && !isAnswer && !children.some(({ type }) => shape.comments.has(type))) lines.push(lineOf(node))
    return true
  })
  return lines
}

const MOVES =
  /^(?:base64|btoa|atob|b64encode|b64decode|urlsafe_b64encode|encode|decode|encodeToString|EncodeToString|DecodeString|getEncoder|getDecoder|from|toString|to_string|to_vec|to_owned|read|readFile|readFileSync|ReadFile|ReadAll|readAllBytes|read_to_string|read_to_end|write|writeFile|writeFileSync|write_bytes|read_bytes|read_text|stringify|split|reverse|join|reversed|hex|replace|getBytes|valueOf|concat|String|str|bytes|clone|copy|len|open|get|Ok|Some)$/
const WORKS =
  /for_statement|while_statement|for_expression|while_expression|loop_expression|for_in|enhanced_for|comprehension|augmented|compound/

/** Whether a body calls only functions that read, copy or encode. */
export function isMoveOnly(body: Node): boolean {
  let calls = 0
  let isPlain = true
  visit(body, (node) => {
    if (WORKS.test(node.type) || /[^|&]\s[\^%]\s|<<|>>/.test(node.type === 'binary_expression' ? node.text : ''))
      isPlain = false
    if (/^(?:call_expression|call|method_invocation|object_creation_expression|new_expression)$/.test(node.type)) {
      calls += 1
      const callee =
        node.childForFieldName('name') ??
        node.childForFieldName('function') ??
        node.childForFieldName('constructor') ??
        node.childForFieldName('type')
      const name = callee === null ? '' : (/(\w+)$/.exec(textOf(callee, 400))?.[1] ?? '')
      if (!MOVES.test(name)) isPlain = false
    }
    return isPlain
  })
  return isPlain && calls > 0
}

const CODE_LINE =
  /^\s*(?:\/\/|#)\s*(?:(?:(?:await|return|if|for|const|let|var|throw|raise|err|self|this)\b.*[(=;{:]|\}|[\w.]+\s*(?::?=|[=!]==?)\s*\S.*|(?:(?:await|return|yield)\s+)?[\w.]+\([^)]*\);?|[\w.:]+\(.*[;{,]|\w+\.\w+\(.*\)))\s*$/

/** Python: comments behind the last statement are not in the body. */
function readTrailing(body: Node): readonly string[] {
  // The text of the root begins behind the empty lines at the start of the file.
  const { text, startIndex } = body.tree.rootNode
  const from = body.endIndex - startIndex
  const after = text.slice(from, from + 2_000).split('\n')
  const column = body.startPosition.column
  const end = after.findIndex(
    (line, n) => n > 0 && line.trim() !== '' && !(line.search(/\S/) >= column && /^\s*#/.test(line)),
  )
  return after.slice(1, end < 0 ? undefined : end)
}

/** As much code in comments as outside of them. */
export function hasCommentedCode(body: Node, shape: LanguageShape, isTrivial: boolean): boolean {
  let count = 0
  visit(body, (node) => {
    if (!shape.comments.has(node.type)) return true
    count += node.text.split('\n').filter((line) => CODE_LINE.test(line)).length
    return false
  })
  if (shape.id === 'python') count += readTrailing(body).filter((line) => CODE_LINE.test(line)).length
  if (isTrivial) return count > 0
  if (count < 2) return false
  const lines = readWorkingText(body, shape)
    .split('\n')
    .filter((line) => /\w/.test(line)).length
  return count >= lines
}
