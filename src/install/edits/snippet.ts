import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HoldfastError } from '../../kernel/errors.ts'
import type { EntryPiece } from '../contract/settings-edit.ts'
import { applyInsertions, type Insertion, revertInsertions } from '../contract/settings-text.ts'
import type { SetupWorld } from '../contract/setup.ts'

const OPEN = '<!-- holdfast:session-continuity -->'
const CLOSE = '<!-- /holdfast:session-continuity -->'

/** The lines themselves, between their marks. */
export function readSnippet({ skillsDir }: Pick<SetupWorld, 'skillsDir'>): string {
  const path = join(skillsDir, 'snippet.md')
  try {
    return `${readFileSync(path, 'utf8').trim()}\n`
  } catch (cause) {
    throw new HoldfastError('not-found', `${path} is missing: this Holdfast is not whole.`, {
      hint: 'Install Holdfast again.',
      cause,
    })
  }
}

interface Block {
  readonly start: number
  /** Behind the line end of the closing mark. */
  readonly end: number
}

function findBlock(text: string): Block | undefined {
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
  // Another version of ours stands there: what set it apart from the text above is the same.
  const before = text.slice(0, block.start)
  const gap = insertions
    .map((insertion) => /^[\r\n]*/.exec(insertion.text)?.[0] ?? '')
    .find((one) => before.endsWith(one))
  return before.slice(0, before.length - (gap?.length ?? 0)) + text.slice(block.end)
}

/** The few lines that tell an agent of the tools, at the end of the instructions that its harness reads. */
export function snippetPiece(options: { readonly path: string; readonly world: SetupWorld }): EntryPiece {
  const { path, world } = options
  return {
    id: 'snippet',
    kind: 'snippet',
    shape: 'entry',
    path,
    keepsEdits: true,
    add(text) {
      const eol = text.includes('\r\n') ? '\r\n' : '\n'
      const added = separatorAfter(text, eol) + readSnippet(world).replaceAll('\n', eol)
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
