import type { ItemStatus, MarkStatus } from '../../kernel/checklist.ts'

/** How an item says what it is: `[x] text` in a list, `✅ text` in a list, or a line that begins with ✅. */
export type MarkerStyle = 'box' | 'bullet-check' | 'bare-check'

export interface Marker {
  readonly style: MarkerStyle
  readonly status: ItemStatus
  /** As written: `[x]`, `✅`. */
  readonly written: string
  /** What follows the marker and its spaces. */
  readonly text: string
}

const BOX = /^(\[((?![[\]])\P{M}\p{M}?)\])[ \t]+(\S.*)$/u
const CHECK = /^(✅\uFE0F?)[ \t]*(\S.*)$/u

const STATUS_OF: Readonly<Record<string, ItemStatus>> = {
  x: 'done',
  X: 'done',
  '✓': 'done',
  '✔': 'done',
  '☑': 'done',
  '~': 'blocked',
  '>': 'in_progress',
  '/': 'in_progress',
  '✅': 'verified',
}

function statusOfSign(sign: string): ItemStatus {
  if (/^\s$/u.test(sign)) return 'pending'
  return STATUS_OF[sign.replace('\uFE0F', '')] ?? 'other'
}

/** Reads one line of a paragraph. `isItemStart`: the line is where a list item's own text begins. */
export function readMarker(line: string, isItemStart: boolean): Marker | undefined {
  const box = isItemStart ? BOX.exec(line) : null
  if (box !== null) {
    const [, written = '', sign = '', text = ''] = box
    return { style: 'box', status: statusOfSign(sign), written, text: text.trim() }
  }
  const check = CHECK.exec(line)
  if (check === null) return undefined
  const [, written = '', text = ''] = check
  return { style: isItemStart ? 'bullet-check' : 'bare-check', status: 'verified', written, text: text.trim() }
}

/** How this document writes things that can be written in more than one way. */
export interface Habit {
  readonly done: string
  readonly verified: string
}

export function habitOf(written: readonly string[]): Habit {
  return {
    done: written.includes('[X]') && !written.includes('[x]') ? '[X]' : '[x]',
    verified: written.some((sign) => sign.startsWith('[✅')) ? '[✅]' : '✅',
  }
}

function written(status: MarkStatus, habit: Habit): string {
  switch (status) {
    case 'pending':
      return '[ ]'
    case 'in_progress':
      return '[/]'
    case 'done':
      return habit.done
    case 'blocked':
      return '[~]'
    case 'verified':
      return habit.verified
  }
}

/** What stands in the marker's place from now on. A line that only began with ✅ becomes a list item, or it would be none. */
export function markerFor(status: MarkStatus, style: MarkerStyle, habit: Habit): string {
  if (style !== 'bare-check') return written(status, habit)
  return status === 'verified' ? '✅' : `- ${written(status, habit)}`
}
