import { existsSync } from 'node:fs'
import type {
  CheckedEntity,
  CompleteIntentInput,
  IntentWithLiveness,
  ProjectRef,
  RecordIntentInput,
  RegisterEntityInput,
  SaveSummaryInput,
} from '../../../kernel/agent-records.ts'
import { getErrorMessage } from '../../../kernel/errors.ts'
import type { ContextDb } from './context-db.ts'

/** The use cases that take over another installation's records. */
export interface ContextTarget {
  registerProject(input: { readonly name: string; readonly rootPath: string }): Promise<unknown>
  addProjectKeyword(input: ProjectRef & { readonly keyword: string }): Promise<unknown>
  listIntents(
    input: ProjectRef & { readonly includeCompleted?: boolean; readonly limit: number; readonly offset?: number },
  ): Promise<readonly Pick<IntentWithLiveness, 'sessionLabel' | 'intent'>[]>
  recordIntent(input: RecordIntentInput): Promise<unknown>
  completeIntent(input: CompleteIntentInput): Promise<unknown>
  saveSummary(input: SaveSummaryInput): Promise<unknown>
  recentSessions(
    input: ProjectRef & { readonly limit: number; readonly offset?: number },
  ): Promise<{ readonly summaries: readonly { readonly summary: string }[] }>
  registerEntity(input: RegisterEntityInput): Promise<CheckedEntity>
}

export interface ContextImport {
  readonly projects: number
  readonly intents: number
  readonly summaries: number
  readonly entities: number
  /** What was not taken over, and why. */
  readonly skipped: readonly string[]
}

const KNOWN_PAGE = 100

/** A page is shorter where a row is damaged, so only an empty one is the end. */
async function readPages<T>(read: (page: { limit: number; offset: number }) => Promise<readonly T[]>): Promise<T[]> {
  const all: T[] = []
  for (let offset = 0; ; offset += KNOWN_PAGE) {
    const page = await read({ limit: KNOWN_PAGE, offset })
    if (page.length === 0) return all
    all.push(...page)
  }
}

/** Takes over projects, keywords, intents, summaries and entities. What was imported before is not stored again. */
export async function importContext(
  db: ContextDb,
  target: ContextTarget,
  onDone: (done: number, total: number) => void,
): Promise<ContextImport> {
  const total = db.intents.length + db.summaries.length + db.entities.length
  let done = 0
  const step = () => onDone((done += 1), total)
  const skipped: string[] = []
  const counts = { projects: 0, intents: 0, summaries: 0, entities: 0 }
  for (const { name, rootPath, keywords } of db.projects) {
    if (!existsSync(rootPath)) {
      skipped.push(`project ${name}: ${rootPath} does not exist`)
      continue
    }
    try {
      await target.registerProject({ name, rootPath })
    } catch (thrown) {
      skipped.push(`project ${name}: ${getErrorMessage(thrown)}`)
      continue
    }
    counts.projects += 1
    for (const keyword of keywords) await target.addProjectKeyword({ project: name, keyword })
    const ofProject = <Row extends { readonly project: string }>(rows: readonly Row[]) =>
      rows.filter(({ project }) => project === name)
    const known = new Set(
      (await readPages((page) => target.listIntents({ project: name, includeCompleted: true, ...page }))).map(
        ({ sessionLabel, intent }) => `${sessionLabel} ${intent}`,
      ),
    )
    for (const [n, { intent, files, startedAt, completedAt, outcome, ...row }] of ofProject(db.intents).entries()) {
      step()
      const sessionLabel = row.sessionLabel ?? `context.db-${n}`
      if (known.has(`${sessionLabel} ${intent}`)) continue
      await target.recordIntent({ project: name, intent, files, sessionLabel })
      // It is over: no session of that installation is running here.
      const said =
        completedAt === undefined ? `not completed in context.db, started ${startedAt}` : (outcome ?? 'completed')
      await target.completeIntent({ project: name, sessionLabel, outcome: said })
      counts.intents += 1
    }
    const texts = new Set(
      (await readPages(async (page) => (await target.recentSessions({ project: name, ...page })).summaries)).map(
        ({ summary }) => summary,
      ),
    )
    for (const { summary, files, entities, savedAt, sessionLabel } of ofProject(db.summaries)) {
      step()
      const dated = `${summary}\n\n(saved ${savedAt} in context.db)`
      if (texts.has(dated)) continue
      await target.saveSummary({
        project: name,
        summary: dated,
        filesChanged: files,
        entitiesRegistered: entities,
        ...(sessionLabel !== undefined && { sessionLabel }),
      })
      counts.summaries += 1
    }
    for (const { project, ...entity } of ofProject(db.entities)) {
      step()
      await target.registerEntity({ project, ...entity })
      counts.entities += 1
    }
  }
  if (db.marks > 0) skipped.push(`${db.marks} checklist marks: CHECKLIST.md itself is what counts`)
  const names = new Set(db.projects.map(({ name }) => name))
  const orphans = [...db.intents, ...db.summaries, ...db.entities].filter(({ project }) => !names.has(project)).length
  if (orphans > 0) skipped.push(`${orphans} records of projects without a root path`)
  return { ...counts, skipped }
}
