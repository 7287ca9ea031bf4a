import type { ContinuityApp } from '../../app/create-continuity.ts'
import type { DigestConfig } from '../../kernel/config.ts'
import { createDigestRuns } from '../../digest/digest-runs.ts'
import { appendDigestRun, readDigestRuns } from '../../digest/io/digest-run-file.ts'
import { writeHandoff } from '../../digest/io/write-handoff.ts'
import { getWriter } from '../../digest/presets.ts'
import { getContextWindow, writerPresets } from '../../harness/registry.ts'
import { createDigestRequest, type DigestRequestPorts } from '../../injection/digest-request.ts'
import type { InjectionSource } from '../../injection/injection-policy.ts'
import type { Home } from '../../platform/base/home.ts'
import type { ContinuityPorts } from '../../kernel/ports/runtime.ts'

export interface DigestRunOptions {
  readonly home: Home
  /** For the programs that a task or a digest runs; may name another memory backend for tasks. */
  readonly env?: NodeJS.ProcessEnv
  /** As the user's own file has it: a project cannot name a program. Absent: nothing is run. */
  readonly digest?: DigestConfig
}

/** Asks agents for their own digest. */
export function openDigestRequest(ports: Omit<DigestRequestPorts, 'getContextWindow'>): InjectionSource {
  return createDigestRequest({ ...ports, getContextWindow })
}

/** Starts `digest.command` at checkpoints, if the user configured one. Returns what stops it. */
export function openDigestRuns(
  deps: ContinuityPorts,
  app: Pick<ContinuityApp, 'subscribe' | 'recordNote'>,
  { home, env = {}, digest }: DigestRunOptions,
): () => Promise<void> {
  if (digest === undefined || digest.command === '') return () => Promise.resolve()
  const runs = createDigestRuns({
    ...deps,
    write: (excerpt, options) => writeHandoff(getWriter(digest, writerPresets), excerpt, { ...options, env, home }),
    record: (event) => app.recordNote(event),
    readRuns: () => readDigestRuns(home),
    appendRun: (run) => appendDigestRun(home, run),
  })
  const unsubscribe = app.subscribe((announcement) => runs.onAnnouncement(announcement))
  return () => {
    unsubscribe()
    return runs.stop()
  }
}
