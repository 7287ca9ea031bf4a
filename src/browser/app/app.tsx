import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { CallError, get, post } from '../data/call.ts'
import type { ProjectRow } from '../data/contract.ts'
import { useQuery } from '../data/use-query.ts'
import { CopyButton, Icon, Loading, Problem } from '../parts/basics.tsx'
import { ConfirmDialog } from '../parts/confirm.tsx'
import { formatProject, lastSegment } from '../parts/format.ts'
import { stopFollowing } from '../data/live.ts'
import { KeyHelp } from './key-help.tsx'
import { listenForKeys } from './keyboard.ts'
import { AwayNotice, LiveSign } from './live-sign.tsx'
import { PAGES, SEARCH_ICON, type PageEntry } from './pages.ts'
import {
  catchLinks,
  copyableLink,
  leave,
  link,
  setParams,
  usePlace,
  type PageProps,
  type Place,
} from '../nav/router.ts'

const GROUPS = ['Work', 'History', 'Knowledge', 'Holdfast'] as const

/** The entry of the first segment; `undefined` for an address that is not of any page. */
function findPage({ segments }: Place): PageEntry | undefined {
  return PAGES.find(({ name }) => name === (segments[0] ?? ''))
}

const loaded = new Map<string, ComponentType<PageProps>>()

function PageView({ entry, place, cwd }: PageProps & { readonly entry: PageEntry }) {
  const [, setLoaded] = useState(0)
  const [error, setError] = useState<CallError | undefined>()
  const Page = loaded.get(entry.name)
  useEffect(() => {
    setError(undefined)
    if (loaded.has(entry.name)) return
    entry.load().then(
      (module) => {
        loaded.set(entry.name, module.Page)
        setLoaded((count) => count + 1)
      },
      // After an update the files of this page have other names.
      () => setError(new CallError('offline', 'This page could not be loaded.', 'Reload the browser tab.')),
    )
  }, [entry])
  if (error !== undefined) return <Problem error={error} retry={() => location.reload()} />
  return Page === undefined ? <Loading /> : <Page key={place.segments.join('/')} place={place} cwd={cwd} />
}

function ProjectPicker({ cwd }: { readonly cwd: string | undefined }) {
  const { value } = useQuery((signal) => get<{ projects: readonly ProjectRow[] }>('/api/projects', {}, signal), [], {
    isStale: ({ kind }) => kind === 'session',
    everyMs: 10_000,
  })
  const folders = (value?.projects ?? []).flatMap(({ project, worktrees }) =>
    worktrees.map((worktree) => ({
      worktree,
      label: worktrees.length > 1 ? `${formatProject(project)} (${lastSegment(worktree)})` : formatProject(project),
    })),
  )
  const isListed = cwd === undefined || folders.some(({ worktree }) => worktree === cwd)
  return (
    <label class="project-picker">
      <span>Project</span>
      <select value={cwd ?? ''} onChange={(event) => setParams({ cwd: event.currentTarget.value })}>
        <option value="">All projects</option>
        {!isListed && <option value={cwd}>{cwd}</option>}
        {folders.map(({ worktree, label }) => (
          <option key={worktree} value={worktree}>
            {label}
          </option>
        ))}
      </select>
    </label>
  )
}

function Navigation({ current, isOpen }: { readonly current: PageEntry | undefined; readonly isOpen: boolean }) {
  return (
    <nav id="navigation" class={isOpen ? 'nav open' : 'nav'} aria-label="Pages">
      {GROUPS.map((group) => (
        <div key={group}>
          <h2>{group}</h2>
          <ul>
            {PAGES.filter((page) => page.group === group).map((page) => (
              <li key={page.name}>
                <a
                  href={link(page.name === '' ? [] : [page.name])}
                  aria-current={page === current ? 'page' : undefined}
                >
                  <Icon path={page.icon} />
                  <span class="cut">{page.title}</span>
                  <kbd aria-hidden="true">g {page.letter}</kbd>
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  )
}

async function logOut(): Promise<void> {
  await post('/api/logout', {})
  leave()
  stopFollowing()
}

export function App() {
  const place = usePlace()
  const [isNavOpen, setNavOpen] = useState(false)
  const [hasHelp, setHelp] = useState(false)
  const entry = findPage(place)
  const cwd = place.params.get('cwd') ?? undefined
  const main = useRef<HTMLElement>(null)
  const address = place.segments.join('/')
  const isFirst = useRef(true)
  useEffect(
    () => listenForKeys({ showHelp: () => setHelp(true), closeAll: () => (setHelp(false), setNavOpen(false)) }),
    [],
  )
  useEffect(() => {
    setNavOpen(false)
    document.title = `${entry?.title ?? 'Not found'} · Holdfast`
    // A screen reader reads the new page; the first one is read from the document's start.
    if (isFirst.current) isFirst.current = false
    else main.current?.focus({ preventScroll: true })
  }, [address])
  return (
    <div class="frame" onClick={catchLinks}>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <button
          type="button"
          class="menu"
          aria-expanded={isNavOpen}
          aria-controls="navigation"
          onClick={() => setNavOpen(!isNavOpen)}
        >
          <span aria-hidden="true">☰</span> Pages
        </button>
        <a class="brand" aria-label="Holdfast" href={link([])}>
          <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
            <rect width="32" height="32" rx="7" />
            <path d="M10 7v18M22 7v18M10 16h12" />
          </svg>
          <span>Holdfast</span>
        </a>
        <ProjectPicker cwd={cwd} />
        <a class="top-search" aria-label="Search everything" href={link(['search'])}>
          <Icon path={SEARCH_ICON} />
          <span>Search everything</span>
          <kbd aria-hidden="true">/</kbd>
        </a>
        <div class="top-end">
          <LiveSign />
          <CopyButton
            class="quiet wide-only"
            title="A link to this page for any tab of this browser"
            text={copyableLink}
            label="Copy link"
          />
          <button type="button" class="quiet wide-only" title="Keys (?)" onClick={() => setHelp(true)}>
            Keys
          </button>
          <button type="button" class="quiet" onClick={() => void logOut()}>
            Log out
          </button>
        </div>
      </header>
      <Navigation current={entry} isOpen={isNavOpen} />
      <main id="main" ref={main} tabIndex={-1}>
        <AwayNotice />
        {entry === undefined ? (
          <Problem error={new CallError(404, `There is no page "${address}".`, 'Press ? for the list of pages.')} />
        ) : (
          <PageView entry={entry} place={place} cwd={cwd} />
        )}
      </main>
      {hasHelp && <KeyHelp close={() => setHelp(false)} />}
      <ConfirmDialog />
    </div>
  )
}
