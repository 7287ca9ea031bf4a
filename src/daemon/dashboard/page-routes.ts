import type * as z from 'zod'
import { ROUTES } from '../../api/route-table.ts'
import type { Continuity } from '../../app/continuity.ts'
import type { Clock } from '../../kernel/ports/ports.ts'
import type { HealthReply } from '../../wire/daemon.ts'
import { HEADER } from '../../wire/headers.ts'
import { bind, type RequestEnv } from '../http/bind.ts'
import type { BrowserSessions } from '../http/browser-sessions.ts'
import { PlainReply } from '../http/http-errors.ts'
import { COOKIE, getPagePath } from '../http/identify.ts'
import type { EventStream } from '../http/sse.ts'
import { within } from '../process/timers.ts'
import { createAssets } from './assets.ts'
import { renderLinkPage, renderLoginPage, renderShell } from './shell.ts'

const PAGE_TIMEOUT_MS = 1_500

export interface PageRoutePorts {
  readonly continuity: Pick<Continuity, 'counts' | 'listSessions' | 'listCheckpoints'>
  readonly browsers: BrowserSessions
  readonly clock: Clock
  readonly health: (env: RequestEnv) => Promise<z.output<typeof HealthReply>>
  readonly stream: Pick<EventStream, 'end'>
  /** The folder of the built browser application. Absent: pages without script. */
  readonly dashboardDir?: string
}

const toPage = (body: string, status = 200) =>
  new PlainReply(status, body, { 'content-type': 'text/html; charset=utf-8' })

/** The pages of the dashboard, its files, and its login. */
export function pageRoutes(ports: PageRoutePorts) {
  const assets = createAssets(ports.dashboardDir)

  async function work() {
    const queries = Promise.all([
      ports.continuity.counts(),
      ports.continuity.listSessions({ limit: 15 }),
      ports.continuity.listCheckpoints({ limit: 10 }),
    ])
    try {
      const answered = await within(PAGE_TIMEOUT_MS, queries)
      if (!answered.isDone) return undefined
      const [counts, sessions, checkpoints] = answered.value
      return { counts, sessions, checkpoints }
    } catch {
      // The page reports that the store does not answer; the health check has logged why.
      return undefined
    }
  }

  async function showPage(env: RequestEnv) {
    const data = {
      now: ports.clock.now(),
      files: await assets.readPageFiles(),
      health: await ports.health(env),
      pageToken: env.principal.pageToken,
      work: await work(),
    }
    return toPage(renderShell(data))
  }

  async function askForLink(problem?: string) {
    return toPage(renderLoginPage(await assets.readPageFiles(), problem), 401)
  }

  return {
    homePage: bind(ROUTES.homePage, ({ env }) => (env.principal.scopes.has('read') ? showPage(env) : askForLink())),
    dashboardPage: bind(ROUTES.dashboardPage, ({ env }) =>
      env.principal.pageToken === undefined ? askForLink() : showPage(env),
    ),
    linkPage: bind(ROUTES.linkPage, async () => toPage(renderLinkPage(await assets.readPageFiles()))),
    asset: bind(ROUTES.asset, ({ params, env }) => assets.respond(params.file, env.incoming.headers)),
    logout: bind(ROUTES.logout, ({ env }) => {
      const token = env.incoming.headers[HEADER.page]
      if (typeof token === 'string') {
        ports.browsers.end(token)
        ports.stream.end(token)
      }
      return { ok: true as const }
    }),
    login: bind(ROUTES.login, ({ query, env }) => {
      // A HEAD request that only checks the link must not use it up.
      if (env.incoming.method !== 'GET') return new PlainReply(405, '', { allow: 'GET' })
      const login = ports.browsers.redeem(query.code)
      if (login === undefined) return askForLink('This link was already used or has expired.')
      const path = getPagePath(login.page)
      const cookie = `${COOKIE}=${login.cookieValue}; HttpOnly; SameSite=Strict; Path=${path}`
      return new PlainReply(303, '', { location: `${path}/`, 'set-cookie': cookie })
    }),
  }
}
