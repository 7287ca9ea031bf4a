function isOpening(text: string, at: number, element: string): boolean {
  const next = text[at + element.length + 1]
  return next === '>' || next === ' ' || next === '\n'
}

function withoutElement(text: string, element: string): string {
  const close = `</${element}>`
  const kept: string[] = []
  let from = 0
  for (let open = text.indexOf(`<${element}`); open >= 0; ) {
    let next = open + 1
    if (isOpening(text, open, element)) {
      const end = text.indexOf(close, open)
      if (end < 0) break
      kept.push(text.slice(from, open))
      from = end + close.length
      next = from
    }
    open = text.indexOf(`<${element}`, next)
  }
  return kept.join('') + text.slice(from)
}

/** The text without these elements and their content. An element that is never closed stays: it is the user's text. Linear in the text. */
export function withoutElements(text: string, elements: readonly string[]): string {
  return elements.reduce(withoutElement, text)
}

const OPENING = /^\[holdfast [0-9a-f]{8,64}: /
const CLOSING = /^\[\/holdfast [0-9a-f]{8,64}\]/
const MARK = '| '

/**
 * The text without anything that Holdfast injected: our own text must never be taken for words of the user. A block is
 * its fence, the marked lines inside and the heading above; a block that was cut off ends with its last marked line.
 */
export function withoutOwnText(text: string): string {
  if (!text.includes('[holdfast ')) return text
  const kept: string[] = []
  let isInside = false
  for (const line of text.split('\n')) {
    if (OPENING.test(line)) {
      if (kept.at(-1)?.includes('## ') === true) kept.pop()
      isInside = true
    } else if (isInside && CLOSING.test(line)) {
      isInside = false
      const after = line.replace(CLOSING, '')
      if (after.trim() !== '') kept.push(after)
    } else if (!isInside || !line.startsWith(MARK)) {
      isInside = false
      kept.push(line)
    }
  }
  return kept.join('\n')
}
