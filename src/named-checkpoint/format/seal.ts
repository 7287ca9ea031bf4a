import type { Seal } from './named-checkpoint.ts'

const SEAL_LINE = /\n?<!-- holdfast seal: ([0-9a-f]{16,128}) -->\s*$/

export function sealedText(text: string, seal: Seal): string {
  return `${text}\n<!-- holdfast seal: ${seal(text)} -->\n`
}

/** Whether the text is byte for byte what this Holdfast wrote. An edited file is valid and no longer ours. */
export function isOurs(text: string, seal: Seal): boolean {
  const found = SEAL_LINE.exec(text)
  return found !== null && found[1] === seal(text.slice(0, found.index))
}

export function withoutSeal(text: string): string {
  return text.replace(SEAL_LINE, '')
}
