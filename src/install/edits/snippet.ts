import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HoldfastError } from '../../kernel/errors.ts'
import type { EntryEdit } from '../contract/settings-edit.ts'
import { applyInsertions, type Insertion, revertInsertions } from '../contract/settings-text.ts'
import type { SetupPorts } from '../contract/setup.ts'

/** Prose of ours between two marks, in a file that is not ours. */
interface MarkedProse {
  /** Of its marks. */
  readonly name: string
  /** In our block in every version, also if its heading was reworded; a block of these marks without it is of another program. */
  readonly sign: RegExp
}

const SNIPPET: MarkedProse = { name: 'holdfast:session-continuity', sign: /(?:)/ }

/** The marks are those of session-continuity-mcp. */
const BOOTSTRAP: MarkedProse = { name: 'session-continuity-bootstrap', sign: /\bholdfast\b/i }

function readProse({ skillsDir }: Pick<SetupPorts, 'skillsDir'>, name: string): string {
  const path = join(skillsDir, name)
  try {
    return `${readFileSync(path, 'utf8').trim()}\n`
  } catch (cause) {
    throw new HoldfastError('not-found', `${path} is missing: the installation of Holdfast is incomplete.`, {
      hint: 'Install Holdfast again.',
      cause,
    })
  }
}

/** The snippet itself, between its marks. */
export function readSnippet(ports: Pick<SetupPorts, 'skillsDir'>): string {
  return readProse(ports, 'snippet.md')
}

interface ProseBlock {
  readonly start: number
  /** After the newline of the closing mark. */
  readonly end: number
}

function listBlocks(text: string, { name }: MarkedProse): readonly ProseBlock[] {
  const open = `<!-- ${name} -->`
  const close = `<!-- /${name} -->`
  const blocks: ProseBlock[] = []
  let start = text.indexOf(open)
  while (start >= 0) {
    const closing = text.indexOf(close, start)
    const afterMark = closing < 0 ? text.length : closing + close.length
    const lineEnd = /^\r?\n/.exec(text.slice(afterMark, afterMark + 2))?.[0] ?? ''
    const end = afterMark + lineEnd.length
    blocks.push({ start, end })
    start = text.indexOf(open, end)
  }
  return blocks
}

function findBlock(text: string, prose: MarkedProse): ProseBlock | undefined {
  return listBlocks(text, prose).find(({ start, end }) => prose.sign.test(text.slice(start, end)))
}

function separatorAfter(text: string, eol: string): string {
  if (text === '' || /\n\r?\n$/.test(text)) return ''
  return text.endsWith('\n') ? eol : `${eol}${eol}`
}

function withoutBlock(text: string, prose: MarkedProse, insertions: readonly Insertion[]): string {
  const reverted = insertions.length === 0 ? undefined : revertInsertions(text, insertions)
  if (reverted !== undefined && findBlock(reverted, prose) === undefined) return reverted
  const verbatim = insertions.find((insertion) => text.includes(insertion.text))
  if (verbatim !== undefined) return text.replace(verbatim.text, () => '')
  const block = findBlock(text, prose)
  if (block === undefined) return text
  // A block of another version: the gap above it is the same.
  const before = text.slice(0, block.start)
  const gap = insertions
    .map((insertion) => /^[\r\n]*/.exec(insertion.text)?.[0] ?? '')
    .find((one) => before.endsWith(one))
  return before.slice(0, before.length - (gap?.length ?? 0)) + text.slice(block.end)
}

function proseEdit(options: {
  readonly kind: 'snippet' | 'bootstrap'
  readonly path: string
  readonly prose: MarkedProse
  readonly read: () => string
}): EntryEdit {
  const { kind, path, prose, read } = options
  return {
    id: kind,
    kind,
    shape: 'entry',
    path,
    keepsEdits: true,
    add(text) {
      const eol = text.includes('\r\n') ? '\r\n' : '\n'
      const added = separatorAfter(text, eol) + read().replaceAll('\n', eol)
      const insertions = [{ offset: text.length, text: added }]
      return { text: applyInsertions(text, insertions), insertions, created: [] }
    },
    remove: (text, edit) => withoutBlock(text, prose, edit?.insertions ?? []),
    find(text) {
      const block = findBlock(text, prose)
      if (block === undefined) return new Map()
      return new Map([[kind, [text.slice(block.start, block.end).replaceAll('\r\n', '\n').trim()]]])
    },
    findObstacle: (text) =>
      listBlocks(text, prose).length > 0 && findBlock(text, prose) === undefined
        ? `has a block \`${prose.name}\` of another program`
        : undefined,
  }
}

/** The snippet that makes an agent aware of the tools, at the end of the instructions that its harness reads. */
export function snippetEdit(options: { readonly path: string; readonly ports: SetupPorts }): EntryEdit {
  const { path, ports } = options
  return proseEdit({ kind: 'snippet', path, prose: SNIPPET, read: () => readSnippet(ports) })
}

/** Lines in the user's own instructions by which an agent offers the snippet in each project that lacks it. */
export function bootstrapEdit(options: {
  readonly path: string
  readonly ports: SetupPorts
  readonly harness: string
  /** The project's file of the snippet, relative to the project. */
  readonly projectFile: string
}): EntryEdit {
  const { path, ports, harness, projectFile } = options
  const read = () =>
    readProse(ports, 'bootstrap.md').replaceAll('{{harness}}', harness).replaceAll('{{file}}', projectFile)
  return proseEdit({ kind: 'bootstrap', path, prose: BOOTSTRAP, read })
}
