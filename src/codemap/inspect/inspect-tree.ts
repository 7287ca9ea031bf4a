import type { Node } from 'web-tree-sitter'
import type { CodeFacts } from '../../kernel/code-facts.ts'
import type { LanguageShape } from './language-shape.ts'
import { readFunctions } from './read-functions.ts'
import { readLiterals } from './read-literals.ts'
import { readNotes } from './read-notes.ts'
import { readMocks, readTests } from './read-tests.ts'
import { visit } from './tree.ts'

const MAX_FUNCTIONS = 2_000

/** What a syntax tree shows of unfinished work. */
export function inspectTree(root: Node, source: string, shape: LanguageShape): CodeFacts {
  const comments: Node[] = []
  const strings: Node[] = []
  visit(root, (node) => {
    if (shape.comments.has(node.type)) comments.push(node)
    else if (shape.strings.has(node.type)) strings.push(node)
    else return true
    return false
  })
  const functions = readFunctions(root, shape).slice(0, MAX_FUNCTIONS)
  const tests = readTests({ root, functions, source }, shape)
  return {
    functions: functions.map(({ facts }) => facts),
    tests,
    notes: readNotes(comments),
    literals: readLiterals(strings),
    mocks: readMocks({ root, functions, tests, source }, shape),
    hasErrors: root.hasError,
  }
}
