import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HoldfastError } from '../../kernel/errors.ts'
import type { EntryEdit } from '../contract/settings-edit.ts'
import { applyInsertions, type Insertion, revertInsertions } from '../contract/settings-text.ts'
import type { SetupPorts } from '../contract/setup.ts'

const OPEN = '<!-- holdfast:session-continuity -->'
const CLOSE = '<!-- /holdfast:session-continuity -->'

/** The snippet itself, between its marks. */
export function readSnippet({ skillsDir }: Pick<SetupPorts, 'skillsDir'>): string {
  const path = join(skillsDir, 'snippet.md')
  try {
    return `${readFileSync(path, 'utf8').trim()}\n`
  } catch (cause) {
    throw new HoldfastError('not-found', `${path} is missing: the installation of Holdfast is incomplete.`, {
      hint: 'Install Holdfast again.',
      cause,
    })
  }
}

interface SnippetBlock {
  readonly start: number
  /** After the newline of the closing mark. */
  readonly end: number
}

function findBlock(text: string): SnippetBlock | undefined {
  const start = text.indexOf(OPEN)
  if (start < 0) return undefined
  const close = text.indexOf(CLOSE, start)
  if (close < 0) return { start, end: text.length }
  const end = close + CLOSE.length
  const lineEnd = /^\r?\n/.exec(text.slice(end, end + 2))?.[0] ?? ''
  return { start, end: end + lineEnd.length }
}

function separatorAfter(text: string, eol: string): string {
  if (text === '' || /\n\r?\n$/.test(text)) return ''
  return text.endsWith('\n') ? eol : `${eol}${eol}`
}

function withoutBlock(text: string, insertions: readonly Insertion[]): string {
  const reverted = insertions.length === 0 ? undefined : revertInsertions(text, insertions)
  if (reverted !== undefined && findBlock(reverted) === undefined) return reverted
  const verbatim = insertions.find((insertion) => text.includes(insertion.text))
  if (verbatim !== undefined) return text.replace(verbatim.text, () => '')
  const block = findBlock(text)
  if (block === undefined) return text
  // A block of another version: the gap above it is the same.
  const before = text.slice(0, block.start)
  const gap = insertions
    .map((insertion) => /^[\r\n]*/.exec(insertion.text)?.[0] ?? '')
    .find((one) => before.endsWith(one))
  return before.slice(0, before.length - (gap?.length ?? 0)) + text.slice(block.end)
}

/** The snippet that makes an agent aware of the tools, at the end of the instructions that its harness reads. */
export function snippetEdit(options: { readonly path: string; readonly ports: SetupPorts }): EntryEdit {
  const { path, ports } = options
  return {
    id: 'snippet',
    kind: 'snippet',
    shape: 'entry',
    path,
    keepsEdits: true,
    add(text) {
      const eol = text.includes('\r\n') ? '\r\n' : '\n'
      const added = separatorAfter(text, eol) + readSnippet(ports).replaceAll('\n', eol)
      const insertions = [{ offset: text.length, text: added }]
      return { text: applyInsertions(text, insertions), insertions, created: [] }
    },
    remove: (text, edit) => withoutBlock(text, edit?.insertions ?? []),
    find(text) {
      const block = findBlock(text)
      if (block === undefined) return new Map()
      return new Map([['snippet', [text.slice(block.start, block.end).replaceAll('\r\n', '\n').trim()]]])
    },
  }
}
