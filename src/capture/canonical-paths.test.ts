import { expect, test } from 'vitest'
import type { SessionEvent } from '../kernel/event.ts'
import { EventId, ProjectId, SessionKey } from '../kernel/id.ts'
import type { Location } from '../kernel/location.ts'
import { toCanonicalPaths } from './canonical-paths.ts'

const place: Location = {
  projectId: ProjectId('p'),
  project: '/link/app',
  projectNormalized: '/real/app',
  worktree: '/real/app',
}

function reading(root: string): SessionEvent {
  return {
    kind: 'tool-finished',
    id: EventId('e'),
    harness: 'generic',
    sessionKey: SessionKey('s'),
    at: '2026-01-01T00:00:00.000Z',
    door: 'hook',
    cwd: `${root}/src`,
    tool: { name: 'read', kind: 'read', files: [{ path: `${root}/src/a.ts`, action: 'read' }], cwd: root },
    outcome: {
      ok: true,
      paths: [`${root}/src/b.ts`, '/link/apple/c.ts'],
      hits: { [`${root}/src/b.ts`]: 3 },
      plan: `# Story\n${root}/src/d.ts\n/link/apple/e.ts`,
    },
  }
}

test('what a harness names through a link is named as it really is, and a name that only begins alike is not', () => {
  expect(toCanonicalPaths(reading('/link/app'), place)).toEqual(reading('/real/app'))
})

test('where nothing is linked the event is the very same', () => {
  const event = reading('/real/app')
  expect(toCanonicalPaths(event, { ...place, project: place.worktree })).toBe(event)
  expect(toCanonicalPaths(event, undefined)).toBe(event)
})
