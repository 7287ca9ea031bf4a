import { useEffect, useRef } from 'preact/hooks'
import { PAGES } from './pages.ts'

const KEYS = [
  ['/', 'search'],
  ['j, k', 'next and previous entry of a list'],
  ['Enter', 'open the entry'],
  ['← → + − 0', 'in a timeline: move, zoom, show everything'],
  ['?', 'this list'],
  ['Esc', 'close, or leave a field'],
] as const

export function KeyHelp({ close }: { readonly close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} aria-labelledby="keys-title" onClose={close}>
      <h2 id="keys-title">Keys</h2>
      <dl class="keys">
        {KEYS.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
        {PAGES.map(({ letter, title }) => (
          <div key={letter}>
            <dt>
              <kbd>g</kbd> <kbd>{letter}</kbd>
            </dt>
            <dd>{title}</dd>
          </div>
        ))}
      </dl>
      <div class="dialog-actions">
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
    </dialog>
  )
}
