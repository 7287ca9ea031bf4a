import { Fragment, options, type VNode } from 'preact'

/** Control characters (ANSI begins with one) and marks that reorder text; a tab and a line break are harmless. */
const HOSTILE =
  // oxlint-disable-next-line no-control-regex -- control characters are what is replaced
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/
const EVERY_HOSTILE = new RegExp(HOSTILE.source, 'g')
/** A text node longer than this makes the browser's layout slow; `LongText` shows more in pieces. */
const MAX_CHARS = 24_000

/** The text as it may be shown: what would act is replaced by its name. */
function toInert(text: string): string {
  const shown =
    text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)} … (${text.length.toLocaleString('en')} characters)` : text
  if (!HOSTILE.test(shown)) return shown
  return shown.replace(EVERY_HOSTILE, (char) => {
    const code = char.charCodeAt(0)
    if (code < 0x20) return code === 0x0d ? '' : String.fromCharCode(0x2400 + code)
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
  })
}

/** One line of at most `max` characters. */
export function toOneLine(text: string, max = 200): string {
  const cut = text
    .slice(0, max * 4)
    .replace(/\s+/g, ' ')
    .trim()
  return cut.length > max || text.length > max * 4 ? `${cut.slice(0, max)}…` : cut
}

const SHOWN_PROPS = ['title', 'aria-label', 'value', 'placeholder'] as const

const makeInert = (child: unknown): unknown =>
  typeof child === 'string' ? toInert(child) : Array.isArray(child) ? child.map(makeInert) : child

/** Every text that reaches the document goes through here, so that no page can forget it. */
export function showTextInert(): void {
  options.vnode = ({ type, props }: VNode<Record<string, unknown>>) => {
    if (typeof type !== 'string' && type !== Fragment) return
    const isField = type === 'input' || type === 'textarea' || type === 'option'
    if (props.children !== undefined) Object.assign(props, { children: makeInert(props.children) })
    if (isField) return
    for (const name of SHOWN_PROPS) {
      const text = props[name]
      if (typeof text === 'string') props[name] = toInert(text)
    }
  }
}
