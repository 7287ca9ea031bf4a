import { useEffect, useState } from 'preact/hooks'

/** `/page/<random>` for a browser that is logged in; `/ui` in a link that was copied. */
const prefix = /^\/(?:page\/[^/]+|ui)/.exec(location.pathname)?.[0] ?? ''
const STORED_PREFIX = 'holdfast-page'

/** Where the page is: `sessions/KEY` and the parameters after `?`. */
export interface Place {
  readonly segments: readonly string[]
  readonly params: URLSearchParams
}

export interface PageProps {
  readonly place: Place
  /** The folder whose project is selected; undefined for all projects. */
  readonly cwd: string | undefined
}

function readPlace(): Place {
  const segments = location.pathname
    .slice(prefix.length)
    .split('/')
    .filter((segment) => segment !== '')
    .map(decodeURIComponent)
  return { segments, params: new URLSearchParams(location.search) }
}

type Params = Readonly<Record<string, string | number | undefined>>

/** A link inside the dashboard; the project that is selected stays selected. */
export function link(segments: readonly string[], params: Params = {}): string {
  const query = new URLSearchParams()
  const cwd = readPlace().params.get('cwd')
  const all: Params = { ...(cwd !== null && { cwd }), ...params }
  for (const [name, value] of Object.entries(all))
    if (value !== undefined && value !== '') query.set(name, String(value))
  const path = `${prefix}/${segments.map(encodeURIComponent).join('/')}`
  return query.size === 0 ? path : `${path}?${query}`
}

const CHANGED = 'holdfast-place'

export function go(url: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') history.pushState(undefined, '', url)
  else history.replaceState(undefined, '', url)
  dispatchEvent(new Event(CHANGED))
  if (how === 'push') scrollTo(0, 0)
}

/** Changes parameters of the present page and nothing else. */
export function setParams(change: Params): void {
  go(link(readPlace().segments, { ...Object.fromEntries(readPlace().params), ...change }), 'replace')
}

export function usePlace(): Place {
  const [place, setPlace] = useState(readPlace)
  useEffect(() => {
    const update = () => setPlace(readPlace())
    addEventListener('popstate', update)
    addEventListener(CHANGED, update)
    return () => {
      removeEventListener('popstate', update)
      removeEventListener(CHANGED, update)
    }
  }, [])
  return place
}

/** Clicks on our own links do not load a page; a modifier key or another target does what the browser does. */
export function catchLinks(event: MouseEvent): void {
  const anchor = event.target instanceof Element ? event.target.closest('a') : null
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
  if (anchor === null || !isPlain || anchor.target !== '' || event.defaultPrevented) return
  if (anchor.origin !== location.origin || !anchor.pathname.startsWith(`${prefix}/`) || anchor.hasAttribute('download'))
    return
  if (anchor.hash !== '' && anchor.pathname === location.pathname) return
  event.preventDefault()
  go(anchor.href)
}

/** The address to copy: it works in any browser of this machine that is logged in. */
export const copyableLink = (): string =>
  `${location.origin}/ui${location.pathname.slice(prefix.length)}${location.search}`

/**
 * Whether this page has a session. A copied link (`/ui/…`) has none: it continues at the page that was open last, which is
 * worthless to a browser without its cookie.
 */
export function enter(hasToken: boolean): boolean {
  if (hasToken) {
    localStorage.setItem(STORED_PREFIX, prefix)
    return true
  }
  const stored = localStorage.getItem(STORED_PREFIX)
  if (stored !== null && /^\/page\/[\w-]+$/.test(stored) && prefix === '/ui')
    location.replace(`${stored}${location.pathname.slice(prefix.length)}${location.search}`)
  return false
}

export const leave = (): void => localStorage.removeItem(STORED_PREFIX)
