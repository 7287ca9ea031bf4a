import { readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { ROUTES } from '../../api/route-table.ts'
import type { Continuity } from '../../app/continuity.ts'
import type { ContentEntry } from '../../capture/session-content.ts'
import { renderSessionPage } from '../../capture/session-page.ts'
import type { Config } from '../../kernel/config.ts'
import { HoldfastError } from '../../kernel/errors.ts'
import type { Session } from '../../kernel/session.ts'
import type { Home } from '../../platform/base/home.ts'
import { redactOutput } from '../../redaction/redact-input.ts'
import type { ImportRun } from '../housekeeping/import-run.ts'
import type { Metrics } from '../housekeeping/metrics.ts'
import { bind } from '../http/bind.ts'
import { PlainReply } from '../http/http-errors.ts'

const CONTENT_PAGE = 500
const MAX_ENTRIES = 50_000
const MAX_FILES = 20_000

export interface OverviewPorts {
  readonly continuity: Pick<Continuity, 'getSession' | 'readSession'>
  readonly home: Home
  readonly config: Config
  readonly metrics: Pick<Metrics, 'listMinutes'>
  /** Absent: the daemon cannot start an import. */
  readonly importRun?: ImportRun
}

/** Bytes of a file; 0 if there is none. */
async function measure(path: string): Promise<number> {
  return stat(path).then(
    (facts) => facts.size,
    () => 0,
  )
}

async function measureFolder(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  let sum = 0
  for (const entry of entries.slice(0, MAX_FILES))
    if (entry.isFile()) sum += await measure(join(entry.parentPath, entry.name))
  return sum
}

/** Reads the files' sizes at each request, and stores nothing. */
export function overviewRoutes(ports: OverviewPorts) {
  const { continuity, home, config } = ports

  async function readEntries(session: Pick<Session, 'key' | 'harness'>) {
    const entries: ContentEntry[] = []
    for (let afterSeq = 0; entries.length < MAX_ENTRIES; ) {
      const { key: sessionKey, harness } = session
      const page = await continuity.readSession({ sessionKey, harness, afterSeq, limit: CONTENT_PAGE })
      entries.push(...page)
      const last = page.at(-1)
      if (last === undefined || page.length < CONTENT_PAGE) break
      afterSeq = last.seq
    }
    return entries
  }

  return {
    exportSession: bind(ROUTES.exportSession, async ({ params, query }) => {
      const session = await continuity.getSession(params.sessionKey, query.harness)
      const page = renderSessionPage(redactOutput(session), redactOutput(await readEntries(session)))
      return new PlainReply(200, page, {
        'content-type': 'text/html; charset=utf-8',
        'content-disposition': `attachment; filename="session-${session.key.replace(/[^\w.-]/g, '_').slice(0, 80)}.html"`,
      })
    }),
    daemonDetails: bind(ROUTES.daemonDetails, async () => {
      const files = [home.databaseFile, `${home.databaseFile}-wal`].map(measure)
      const storeBytes = (await Promise.all(files)).reduce((sum, bytes) => sum + bytes, 0)
      const { bavail, blocks, bsize } = await statfs(home.root)
      return {
        latencies: ports.metrics.listMinutes(),
        memoryBytes: process.memoryUsage.rss(),
        ...(storeBytes > 0 && { storeBytes }),
        homeBytes: await measureFolder(home.root),
        disk: { freeBytes: bavail * bsize, totalBytes: blocks * bsize },
        storedDays: {
          events: config.continuity.eventRetentionDays,
          checkpoints: config.continuity.retentionDays,
          archive: config.archive.retentionDays,
        },
      }
    }),
    importProgress: bind(
      ROUTES.importProgress,
      () => ports.importRun?.read() ?? { state: 'none' as const, done: 0, total: 0 },
    ),
    startImport: bind(ROUTES.startImport, () => {
      if (ports.importRun !== undefined) return ports.importRun.start()
      throw new HoldfastError('unsupported', 'This daemon cannot start an import.', { hint: 'Run `holdfast import`.' })
    }),
  }
}
