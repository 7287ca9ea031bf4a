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

/** The text without these elements and what they hold. One that is never closed stays: it is somebody's text. Linear in the text. */
export function withoutElements(text: string, elements: readonly string[]): string {
  return elements.reduce(withoutElement, text)
}
