import { expect, test } from 'vitest'
import { ProjectId } from '../../kernel/id.ts'
import { formatLastSeen, renderLinkPage, renderLoginPage, renderShell } from './shell.ts'
import { aSession } from '../../../test/support/daemon-setup.ts'

const now = '2026-01-01T00:10:00.000Z'
const health = {
  status: 'ok' as const,
  version: '1.0.0',
  startedAt: '2026-01-01T00:00:00.000Z',
  uptimeMs: 600_000,
  store: 'ok' as const,
  spoolBacklog: 0,
  liveSessions: 1,
  pid: 1,
}
const files = { scripts: ['/assets/main-1.js'], styles: ['/assets/main-1.css'] }
const counts = { events: 3, sessions: 1, checkpoints: 0, memories: 0 }

test('text from a repository stays text', () => {
  const hostile = '"><script>alert(1)</script><img src=x onerror=alert(1)>'
  const place = {
    projectId: ProjectId('p'),
    project: hostile,
    projectNormalized: '/p',
    worktree: '/p',
    branch: "'><svg onload=x>",
  }
  const page = renderShell({
    now,
    files,
    health,
    pageToken: undefined,
    work: { counts, sessions: [{ ...aSession(), place }], checkpoints: [] },
  })
  expect(page).not.toMatch(/<script|<img|<svg/)
  expect(page).toContain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;')
})

test('a page has no inline script or style, and loads the files of the application only', () => {
  const pages = [
    renderShell({
      now,
      files,
      health,
      pageToken: 'token-of-the-page',
      work: { counts, sessions: [aSession()], checkpoints: [] },
    }),
    renderLinkPage(files),
    renderLoginPage(files),
  ]
  for (const page of pages)
    expect(page).not.toMatch(/<script(?! type="module" src=)|javascript:|\son\w+=|style="|<style/i)
  const loaded = pages.map((page) => [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link))
  const [style, script] = ['/assets/main-1.css', '/assets/main-1.js']
  expect(loaded).toEqual([[style, script], [style, script], [style]])
  expect(pages.map((page) => page.includes('<meta name="holdfast-page" content="token-of-the-page">'))).toEqual([
    true,
    false,
    false,
  ])
})

test('the page says what to do next', () => {
  const page = (more: object) =>
    renderShell({
      now,
      files,
      health: { ...health, ...more },
      pageToken: undefined,
      work: { counts: { ...counts, sessions: 0 }, sessions: [], checkpoints: [] },
    })
  expect(page({})).toContain('holdfast init')
  expect(page({ store: 'unavailable', status: 'degraded' })).toContain('holdfast daemon logs')
  expect(page({ store: 'read-only', status: 'degraded' })).toContain('disk may be full')
  expect(renderLoginPage(files, 'Too <late>.')).toContain('Too &lt;late&gt;.')
})

test('ages are in words, and the future is now', () => {
  const ages = [
    undefined,
    '2026-01-01T00:09:30.000Z',
    '2026-01-01T00:00:00.000Z',
    '2025-12-31T20:00:00.000Z',
    '2025-12-20T00:00:00.000Z',
    '2027-01-01T00:00:00.000Z',
  ]
  expect(ages.map((at) => formatLastSeen(at, now))).toEqual([
    'never',
    '30 s ago',
    '10 min ago',
    '4 h ago',
    '12 d ago',
    'just now',
  ])
})
