import { expect, test } from 'vitest'
import { ProjectId } from '../kernel/id.ts'
import { startDaemon } from './start.ts'
import {
  aSession,
  daemonOptions,
  fakeBackend,
  fakeContinuityApp,
  requestBytes,
  sendRaw,
  temporaryHome,
} from '../../test/support/daemon-setup.ts'

test('a secret in the store does not reach the dashboard', async () => {
  await using place = temporaryHome()
  const { home } = place
  const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
  const branch = `try-${secret}`
  const at = { projectId: ProjectId('p'), project: '/p', projectNormalized: '/p', worktree: '/p', branch }
  const engine = fakeContinuityApp({ listSessions: async () => [{ ...aSession(), place: at }] })
  const result = await startDaemon(daemonOptions(home, { openApp: async () => fakeBackend(engine) }))
  if (result.kind !== 'started') throw new Error('Another daemon runs.')
  try {
    const { body } = await sendRaw(
      { path: home.socket },
      requestBytes({ target: '/', headers: [['Host', 'localhost']] }),
    )
    expect(body).toContain('try-[REDACTED')
    expect(body).not.toContain(secret)
  } finally {
    await result.daemon.stop('the test is over')
  }
})
