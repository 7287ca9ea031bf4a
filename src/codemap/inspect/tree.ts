import type { Node } from 'web-tree-sitter'

const MAX_TEXT_CHARS = 2_000

export function namedChildren(node: Node): readonly Node[] {
  return node.namedChildren.filter((child) => child !== null)
}

export function textOf(node: Node, maxChars: number = MAX_TEXT_CHARS): string {
  return node.text.slice(0, maxChars)
}

export const lineOf = (node: Node): number => node.startPosition.row + 1

/** One line, for a report. */
export function excerpt(node: Node): string {
  return textOf(node, 300).replace(/\s+/g, ' ').trim().slice(0, 100)
}

/** Visits a node and everything below it; `enter` returns whether to go deeper. */
export function visit(node: Node, enter: (node: Node) => boolean): void {
  if (!enter(node)) return
  for (const child of namedChildren(node)) visit(child, enter)
}

/** The nearest ancestor of one of the types. */
export function findAncestor(node: Node, types: ReadonlySet<string>): Node | undefined {
  for (let at = node.parent; at !== null; at = at.parent) if (types.has(at.type)) return at
  return undefined
}
