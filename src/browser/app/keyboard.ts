import { PAGES } from './pages.ts'
import { go, link } from '../nav/router.ts'

const SEQUENCE_MS = 1_500

/** A field in which letters are text. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName)
}

/** Moves the focus to the next or previous entry of the page's list. */
function moveFocus(step: 1 | -1): void {
  const entries = [...document.querySelectorAll<HTMLElement>('main [data-nav]')]
  const at = entries.findIndex((entry) => entry === document.activeElement)
  const next = entries[at === -1 ? (step === 1 ? 0 : entries.length - 1) : at + step]
  next?.focus()
  next?.scrollIntoView({ block: 'nearest' })
}

interface Actions {
  readonly showHelp: () => void
  readonly closeAll: () => void
}

/** `/` search, `g` and a letter for a page, `j` and `k` in lists, `?` help, Esc. */
export function listenForKeys({ showHelp, closeAll }: Actions): () => void {
  let sequenceAt = Number.NEGATIVE_INFINITY
  const onKey = (event: KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented) return
    if (event.key === 'Escape') {
      if (isTyping(event.target) && event.target instanceof HTMLElement) event.target.blur()
      return closeAll()
    }
    if (isTyping(event.target) || document.querySelector('dialog[open]') !== null) return
    const isSecond = event.timeStamp - sequenceAt < SEQUENCE_MS
    sequenceAt = Number.NEGATIVE_INFINITY
    const page = isSecond ? PAGES.find(({ letter }) => letter === event.key) : undefined
    if (page !== undefined) go(link(page.name === '' ? [] : [page.name]))
    else if (event.key === 'g') sequenceAt = event.timeStamp
    else if (event.key === '/') {
      const box = document.querySelector<HTMLInputElement>('main input[type="search"]')
      if (box === null) go(link(['search']))
      else box.focus()
    } else if (event.key === 'j' || event.key === 'k') moveFocus(event.key === 'j' ? 1 : -1)
    else if (event.key === '?') showHelp()
    else return
    event.preventDefault()
  }
  addEventListener('keydown', onKey)
  return () => removeEventListener('keydown', onKey)
}
