import { expect, test } from 'vitest'
import { ProjectId } from '../../kernel/id.ts'
import { formatLastSeen, loginPage, renderDashboard } from './dashboard.ts'
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
  const page = renderDashboard({
    now,
    health,
    pageToken: undefined,
    work: { counts, sessions: [{ ...aSession(), place }], checkpoints: [] },
  })
  expect(page).not.toMatch(/<script|<img|<svg/)
  expect(page).toContain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;')
})

test('the page runs no script and loads nothing but its own style', () => {
  const page = renderDashboard({
    now,
    health,
    pageToken: 'token-of-the-page',
    work: { counts, sessions: [aSession()], checkpoints: [] },
  })
  expect(page).not.toMatch(/<script|javascript:|\son\w+=|style="/i)
  expect([...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link)).toEqual(['/style.css'])
  expect(page).toContain('<meta name="holdfast-page" content="token-of-the-page">')
})

test('the page says what to do next', () => {
  const page = (more: object) =>
    renderDashboard({
      now,
      health: { ...health, ...more },
      pageToken: undefined,
      work: { counts: { ...counts, sessions: 0 }, sessions: [], checkpoints: [] },
    })
  expect(page({})).toContain('holdfast init')
  expect(page({ store: 'unavailable', status: 'degraded' })).toContain('holdfast daemon logs')
  expect(page({ store: 'read-only', status: 'degraded' })).toContain('disk may be full')
  expect(loginPage('Too <late>.')).toContain('Too &lt;late&gt;.')
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
