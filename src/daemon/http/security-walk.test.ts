import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HEADER } from '../../wire/headers.ts'
import type { Route } from '../../api/route.ts'
import { ROUTES, type RouteName } from '../../api/route-table.ts'
import { createHttpApp } from './http-app.ts'
import { bind, type BoundRoute } from './bind.ts'
import { PlainReply } from './http-errors.ts'
import { createBrowserSessions } from './browser-sessions.ts'
import { COOKIE } from './identify.ts'
import { listenOnSocket } from './listen.ts'
import {
  fakeClock,
  memoryLog,
  type RequestParts,
  requestBytes,
  sendRaw,
  type TestHome,
  temporaryHome,
} from '../../../test/support/daemon-setup.ts'

// Every route of the table behind the real checks, with a handler that only counts: a refusal must not reach it.
let handlerCalls = 0
const counting = (route: Route): BoundRoute => {
  const { method, path, scope, summary } = route
  return bind({ method, path, scope, summary }, () => {
    handlerCalls += 1
    return new PlainReply(200, 'reached', {})
  })
}
const names = Object.keys(ROUTES).filter((name): name is RouteName => name in ROUTES)
const routes = {
  ...Object.fromEntries(names.map((name) => [name, counting(ROUTES[name])])),
} satisfies Record<string, BoundRoute>

const API_TOKEN = 'a'.repeat(43)
const HOOK_TOKEN = 'h'.repeat(43)
const clock = fakeClock()
const browsers = createBrowserSessions(clock)
const log = memoryLog()
let port = 0
let tcp: Server
let socket: Server
let home: TestHome

function isComplete(some: Record<string, BoundRoute>): some is Record<RouteName, BoundRoute> {
  return names.every((name) => name in some)
}

beforeAll(async () => {
  if (!isComplete(routes)) throw new Error('A route is missing.')
  const listen = createHttpApp({
    routes,
    credentials: { apiToken: API_TOKEN, hookToken: HOOK_TOKEN, browsers },
    clock,
    log,
    onRequest: () => undefined,
    onAnswer: () => undefined,
    rateLimit: { take: () => undefined },
  })
  tcp = createServer({ requireHostHeader: false }, listen({ kind: 'tcp', port: () => port }))
  await new Promise<void>((resolve) => {
    tcp.listen(0, '127.0.0.1', resolve)
  })
  const address = tcp.address()
  port = typeof address === 'object' && address !== null ? address.port : 0
  home = temporaryHome()
  socket = await listenOnSocket(join(home.home.runDir, 'walk.sock'), listen({ kind: 'socket', port: () => port }))
})

afterAll(async () => {
  tcp.close()
  socket.close()
  await home[Symbol.asyncDispose]()
})

type Header = readonly [string, string]
const JSON_TYPE: Header = ['Content-Type', 'application/json']
const bearer = (token: string): Header => ['Authorization', `Bearer ${token}`]
const isChange = (route: Route) => route.method !== 'GET'
const targetOf = (route: Route) => route.path.replace('/*', '/x/y').replaceAll(/:\w+/g, 'x')

/** What lets a correct request in: the credential that has the route's scope. */
function goodHeaders(route: Route): readonly Header[] {
  const token = route.scope === 'hook' ? HOOK_TOKEN : API_TOKEN
  return [...(route.scope === 'public' ? [] : [bearer(token)]), ...(isChange(route) ? [JSON_TYPE] : [])]
}

function partsOf(route: Route, headers: readonly Header[]): RequestParts {
  return { method: route.method, target: targetOf(route), headers, body: isChange(route) ? '{}' : '' }
}

async function attempt(parts: RequestParts, to: 'tcp' | 'socket' = 'tcp') {
  const before = handlerCalls
  const reply = await sendRaw(
    to === 'tcp' ? { port } : { path: join(home.home.runDir, 'walk.sock') },
    requestBytes(parts),
  )
  return { ...reply, reached: handlerCalls - before }
}

/** What a browser has that opened its page. */
function aBrowser() {
  const login = browsers.redeem(browsers.createCode().code)
  const pageToken = login === undefined ? undefined : browsers.pageToken(login)
  if (login === undefined || pageToken === undefined) throw new Error('The code did not work.')
  return { ...login, pageToken }
}

const host = (): Header => ['Host', `127.0.0.1:${port}`]
const all: readonly (readonly [string, Route])[] = Object.entries(ROUTES)
const some = (isMeant: (route: Route) => boolean) => all.filter(([, route]) => isMeant(route))
const refusedWith = (status: number) => ({ status, reached: 0 })

describe.each(all)('%s', (_name, route) => {
  test('control: a correct request reaches the handler once, by each allowed name of the host', async () => {
    for (const name of ['127.0.0.1', 'localhost', '[::1]', 'LOCALHOST']) {
      const reply = await attempt(partsOf(route, [['Host', `${name}:${port}`], ...goodHeaders(route)]))
      expect(reply).toMatchObject({ status: 200, body: 'reached', reached: 1 })
    }
  })

  test('control: the socket needs no token, and takes the host without a port', async () => {
    const headers: readonly Header[] = [['Host', 'localhost'], ...(isChange(route) ? [JSON_TYPE] : [])]
    expect(await attempt(partsOf(route, headers), 'socket')).toMatchObject({ status: 200, reached: 1 })
  })

  test('a host that does not name this daemon is refused on both listeners', async () => {
    const bad = [
      'evil.test',
      '127.0.0.1.evil.test',
      'localhost.evil.test',
      '0.0.0.0',
      '',
      `evil.test:${port}`,
      `0.0.0.0:${port}`,
      '127.0.0.1:1',
      `127.0.0.1:${port}@evil.test`,
      `localhost.:${port}`,
    ]
    for (const value of bad) {
      for (const listener of ['tcp', 'socket'] as const) {
        const reply = await attempt(partsOf(route, [['Host', value], ...goodHeaders(route)]), listener)
        expect({ value, listener, ...reply }).toMatchObject(refusedWith(403))
      }
    }
    expect(await attempt(partsOf(route, goodHeaders(route)))).toMatchObject(refusedWith(403))
  })

  test('two hosts and an absolute target are refused', async () => {
    const twice: readonly Header[] = [host(), ['Host', 'evil.test'], ...goodHeaders(route)]
    expect(await attempt(partsOf(route, twice))).toMatchObject(refusedWith(403))
    expect(await attempt(partsOf(route, [host(), host(), ...goodHeaders(route)]))).toMatchObject(refusedWith(403))
    const absolute = {
      ...partsOf(route, [host(), ...goodHeaders(route)]),
      target: `http://127.0.0.1:${port}${targetOf(route)}`,
    }
    expect(await attempt(absolute)).toMatchObject(refusedWith(403))
  })

  test('another origin, the null origin and a foreign fetch site are refused', async () => {
    const bad: readonly Header[] = [
      ['Origin', 'http://evil.test'],
      ['Origin', 'null'],
      ['Origin', `https://127.0.0.1:${port}`],
      ['Origin', 'http://127.0.0.1:1'],
      ['Origin', `http://localhost:${port}`],
      ['Sec-Fetch-Site', 'cross-site'],
      ['Sec-Fetch-Site', 'same-site'],
    ]
    for (const header of bad) {
      const reply = await attempt(partsOf(route, [host(), header, ...goodHeaders(route)]))
      expect({ header, ...reply }).toMatchObject(refusedWith(403))
    }
    const own: readonly Header[] = [host(), ['Origin', `http://127.0.0.1:${port}`], ['Sec-Fetch-Site', 'same-origin']]
    expect(await attempt(partsOf(route, [...own, ...goodHeaders(route)]))).toMatchObject({ reached: 1 })
    const overSocket: readonly Header[] = [['Host', 'localhost'], ['Origin', 'http://localhost'], ...goodHeaders(route)]
    expect(await attempt(partsOf(route, overSocket), 'socket')).toMatchObject(refusedWith(403))
  })

  test('every answer carries the same protective headers, and none opens the daemon to other pages', async () => {
    const good = await attempt(partsOf(route, [host(), ...goodHeaders(route)]))
    const refused = await attempt(partsOf(route, [['Host', 'evil.test'], ...goodHeaders(route)]))
    for (const { head } of [good, refused]) {
      const lines = head.split('\r\n').map((line) => line.toLowerCase())
      expect(lines).toEqual(
        expect.arrayContaining([
          "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
          'cross-origin-opener-policy: same-origin',
          'cross-origin-resource-policy: same-origin',
          'referrer-policy: no-referrer',
          'x-content-type-options: nosniff',
          'x-frame-options: deny',
          'cache-control: no-store',
        ]),
      )
      expect(lines.filter((line) => line.startsWith('access-control-'))).toEqual([])
    }
  })
})

test('only a hook of ours is spared them, and nothing that a browser sent', async () => {
  const hook = ROUTES.hook
  const spared = async (extra: readonly Header[]) =>
    !(await attempt(partsOf(hook, [host(), ...goodHeaders(hook), ...extra]))).head
      .toLowerCase()
      .includes('content-security-policy')
  const client = (name: string): Header => [HEADER.client, name]
  expect(await spared([client('launcher')])).toBe(true)
  expect(await spared([client('cli')])).toBe(false)
  expect(await spared([client('launcher'), ['Sec-Fetch-Site', 'same-origin']])).toBe(false)
})

describe.each(some(isChange))('%s', (_name, route) => {
  test('a change without JSON as its content type is refused', async () => {
    const credential = goodHeaders(route).filter((header) => header !== JSON_TYPE)
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonp',
      '',
    ]
    for (const type of types) {
      const reply = await attempt(partsOf(route, [host(), ['Content-Type', type], ...credential]))
      expect({ type, ...reply }).toMatchObject(refusedWith(415))
    }
    expect(await attempt(partsOf(route, [host(), ...credential]))).toMatchObject(refusedWith(415))
  })
})

describe.each(some((route) => route.scope !== 'public'))('%s', (_name, route) => {
  test('no token and a wrong one get 401, one of another scope 403', async () => {
    const type = isChange(route) ? [JSON_TYPE] : []
    const wrong: readonly (readonly Header[])[] = [
      [],
      [bearer('')],
      [bearer('a'.repeat(42))],
      [bearer('b'.repeat(43))],
      [['Authorization', `Basic ${API_TOKEN}`]],
      [['Authorization', API_TOKEN]],
      [['Cookie', `${COOKIE}=${API_TOKEN}`]],
    ]
    for (const headers of wrong) {
      expect(await attempt(partsOf(route, [host(), ...headers, ...type]))).toMatchObject(refusedWith(401))
    }
    const inQuery = { ...partsOf(route, [host(), ...type]), target: `${targetOf(route)}?token=${API_TOKEN}` }
    expect(await attempt(inQuery)).toMatchObject(refusedWith(401))
    const other = route.scope === 'hook' ? API_TOKEN : HOOK_TOKEN
    expect(await attempt(partsOf(route, [host(), bearer(other), ...type]))).toMatchObject(refusedWith(403))
  })
})

describe.each(some((route) => route.scope === 'read' || route.scope === 'write'))('%s', (_name, route) => {
  test('a browser reads and changes things only with its own page’s value, never with its cookie', async () => {
    const { cookieValue, page, pageToken } = aBrowser()
    const headers: readonly Header[] = [host(), ...(isChange(route) ? [JSON_TYPE] : [])]
    const cookie: Header = ['Cookie', `other=1; ${COOKIE}=${cookieValue}`]
    for (const wrong of [[], [[HEADER.page, 'guess']], [[HEADER.page, cookieValue]], [[HEADER.page, page]]] as const)
      expect(await attempt(partsOf(route, [...headers, cookie, ...wrong]))).toMatchObject(refusedWith(401))
    const right = await attempt(partsOf(route, [...headers, [HEADER.page, pageToken]]))
    expect(right).toMatchObject({ status: 200, reached: 1 })
  })
})

describe.each(some((route) => route.scope === 'project' || route.scope === 'admin'))('%s', (_name, route) => {
  test('a browser does not get there, with its own page’s value either', async () => {
    const { cookieValue, pageToken } = aBrowser()
    const headers: readonly Header[] = [
      host(),
      ['Cookie', `${COOKIE}=${cookieValue}`],
      [HEADER.page, pageToken],
      ...(isChange(route) ? [JSON_TYPE] : []),
    ]
    expect(await attempt(partsOf(route, headers))).toMatchObject(refusedWith(403))
  })
})

test('what runs programs, or writes into a project, is not for browsers', () => {
  const reached = some(({ scope }) => scope === 'project').map(([name]) => name)
  expect(reached).toEqual([
    'recordEvents',
    'mcp',
    'mcpStream',
    'markItem',
    'keepItemRecord',
    'saveNamed',
    'deleteNamed',
    'autosave',
    'createTask',
    'enterGate',
    'taskCheckpoint',
    'blockTask',
    'unblockTask',
    'finishTask',
  ])
})

test('an unknown route is refused before and after the checks alike', async () => {
  expect(await attempt({ target: '/nope', headers: [['Host', 'evil.test']] })).toMatchObject(refusedWith(403))
  expect(await attempt({ target: '/nope', headers: [['Host', `127.0.0.1:${port}`]] })).toMatchObject(refusedWith(404))
  const options = { method: 'OPTIONS', target: '/api/memories', headers: [['Host', `127.0.0.1:${port}`]] as const }
  expect(await attempt(options)).toMatchObject(refusedWith(404))
})

test('no token was ever logged', () => {
  const text = log.lines.join('\n')
  expect([text.includes(API_TOKEN), text.includes(HOOK_TOKEN)]).toEqual([false, false])
})
