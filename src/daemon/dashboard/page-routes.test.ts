import { expect, test } from 'vitest'
import { ProjectId } from '../../kernel/id.ts'
import { startDaemon } from '../start.ts'
import {
  aSession,
  daemonOptions,
  fakeBackend,
  fakeClock,
  fakeContinuityApp,
  requestBytes,
  sendRaw,
  temporaryHome,
} from '../../../test/support/daemon-setup.ts'

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

test('a link opens the dashboard once, within a minute', async () => {
  await using place = temporaryHome()
  const { home } = place
  const clock = fakeClock()
  const result = await startDaemon(daemonOptions(home, { clock }))
  if (result.kind !== 'started') throw new Error('Another daemon runs.')
  const { daemon } = result
  await using _ = { [Symbol.asyncDispose]: () => daemon.stop('the test is over') }
  const { port } = daemon.endpoint
  const newLink = async () => {
    const headers = [['Host', 'localhost'] as const, ['Content-Type', 'application/json'] as const]
    const parts = { method: 'POST', target: '/api/login-codes', headers, body: '{}' }
    const reply = await sendRaw({ path: home.socket }, requestBytes(parts))
    return new URL(String(JSON.parse(reply.body).url))
  }
  type Header = readonly [string, string]
  const send = (target: string, headers: readonly Header[], method = 'GET') =>
    sendRaw({ port }, requestBytes({ method, target, headers: [['Host', `127.0.0.1:${port}`], ...headers] }))
  const open = (target: string, cookie?: string, method?: string) =>
    send(target, cookie === undefined ? [] : [['Cookie', cookie]], method)

  const link = await newLink()
  expect((await open(link.pathname + link.search, undefined, 'HEAD')).status).toBe(405)
  const first = await open(link.pathname + link.search)
  expect(first.status).toBe(303)
  const page = /^location: (\/page\/[\w-]{43})\/\r?$/im.exec(first.head)?.[1] ?? ''
  const setCookie = /^set-cookie: (.+?)\r?$/im.exec(first.head)?.[1] ?? ''
  // A browser sends it to every port of this host, but only for this path, which no other server knows.
  expect(setCookie).toMatch(/^holdfast_session=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/page\/[\w-]{43}$/)
  expect(setCookie.endsWith(`Path=${page}`)).toBe(true)
  expect((await open(link.pathname + link.search)).status).toBe(401)

  const cookie = setCookie.split(';')[0] ?? ''
  const shown = await open(page, cookie)
  expect(shown.body).toContain('<h2>Daemon</h2>')
  const withoutData = { status: 401, body: expect.stringContaining('holdfast dashboard') }
  for (const target of [page, '/', `/page/${'x'.repeat(43)}`]) expect(await open(target)).toMatchObject(withoutData)
  // Without the path the cookie opens nothing, and with it the page alone.
  for (const target of ['/', `/page/${'x'.repeat(43)}`, `${page}x`])
    expect(await open(target, cookie)).toMatchObject(withoutData)
  expect((await open('/api/counts', cookie)).status).toBe(401)
  expect(JSON.parse((await open('/api/health', cookie)).body)).not.toHaveProperty('nonce')
  expect((await open(`${page}/sessions/claude-code/x?cwd=%2Fw`, cookie)).body).toBe(shown.body)
  expect((await open('/ui/sessions/x', cookie)).body).not.toContain('<h2>Daemon</h2>')
  const value = /<meta name="holdfast-page" content="([\w-]{43})">/.exec(shown.body)?.[1] ?? ''
  expect((await send('/api/counts', [['holdfast-page', value]])).status).toBe(200)
  expect((await send('/api/counts', [['holdfast-page', cookie.split('=')[1] ?? '']])).status).toBe(401)

  const other = await newLink()
  const otherLogin = await open(other.pathname + other.search)
  const otherPage = /^location: (.+?)\r?$/im.exec(otherLogin.head)?.[1] ?? ''
  const otherCookie = /^set-cookie: (.+?);/im.exec(otherLogin.head)?.[1] ?? ''
  const otherValue = /content="([\w-]{43})">/.exec((await open(otherPage, otherCookie)).body)?.[1] ?? ''
  const json: Header = ['Content-Type', 'application/json']
  expect((await send('/api/logout', [['holdfast-page', otherValue], json], 'POST')).body).toBe('{"ok":true}')
  expect((await open(otherPage, otherCookie)).status).toBe(401)
  expect((await send('/api/counts', [['holdfast-page', otherValue]])).status).toBe(401)
  expect((await open(page, cookie)).status).toBe(200)

  const late = await newLink()
  clock.advance(60_000)
  expect((await open(late.pathname + late.search)).status).toBe(401)
  clock.advance(12 * 3_600_000)
  expect((await open(page, cookie)).status).toBe(401)
  expect((await send('/api/counts', [['holdfast-page', value]])).status).toBe(401)
})
