import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Holdfast } from './holdfast.ts'

const SLUG = 'feat-paragraphs'

/** A governed task that this session works for, degraded to reading: as after checkpoints that found its agent drifting. */
export async function sandboxSession(holdfast: Holdfast, sessionKey: string): Promise<void> {
  const { project } = holdfast.workspace
  const governance = join(project, '.agentic-governance')
  await mkdir(governance, { recursive: true })
  const options = { smokeCommand: [process.execPath, '-e', ''] }
  const config = { identity: { logPrefix: 'parser' }, packOptions: { 'session-continuity': options } }
  await writeFile(join(governance, 'config.json'), JSON.stringify(config))
  await holdfast.cli(['task', 'new', SLUG])
  await holdfast.cli(['session', 'start', '--task', SLUG, '--session', sessionKey])
  const folder = join(project, 'tasks', SLUG)
  const [file = ''] = await readdir(join(folder, 'json', 'sessions'))
  const record = {
    schema_version: 1,
    session_id: file.replace(/\.json$/, ''),
    meter: { tokens: 0, fired: [], refreshedAt: 0 },
    tokens_source: null,
    baseline_refusal_rate: null,
    sandbox: { since: '2026-11-15T18:00:00.000Z', checkpoint_id: 'cp-1', reason: 'refusals shifted' },
    fork: null,
    history: [],
  }
  await mkdir(join(folder, 'logs', 'long-context'), { recursive: true })
  await writeFile(join(folder, 'logs', 'long-context', file), JSON.stringify(record))
}
