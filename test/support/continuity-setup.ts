import { anEvent } from './events.ts'
import { FakePorts } from './fake-ports.ts'
import { openSqliteStore } from '../../src/storage/sqlite/engine.ts'
import type { SessionEvent } from '../../src/kernel/event.ts'
import { SessionId, SessionKey } from '../../src/kernel/id.ts'
import type { Store } from '../../src/kernel/ports/ports.ts'
import { type ContinuityApp, createContinuity } from '../../src/app/create-continuity.ts'

export const PROJECT = '/project'
export const FIRST = SessionId('claude-code/session-1')

export interface Bench extends AsyncDisposable {
  readonly ports: FakePorts
  readonly store: Store
  readonly continuity: ContinuityApp
}

/** A home with a machine and a person of its own, if they are given. */
export async function aBench(home?: { readonly machine: string; readonly person: string }): Promise<Bench> {
  const ports = new FakePorts()
  if (home !== undefined) {
    ports.machine = { ...ports.machine, id: home.machine, hostId: home.machine }
    ports.person = { ...ports.person, id: home.person }
  }
  const store = await openSqliteStore({ file: ':memory:' })
  return {
    ports,
    store,
    continuity: createContinuity(ports.deps(store)),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

export const here = { cwd: PROJECT, process: { pid: 1 } } as const

export function start(
  key: string,
  pid: number,
  source: 'startup' | 'compact' | 'resume' = 'startup',
  at?: string,
): SessionEvent {
  const sessionKey = SessionKey(key)
  return anEvent('session-started', {
    sessionKey,
    source,
    cwd: PROJECT,
    process: { pid },
    ...(at === undefined ? {} : { at }),
  })
}

/** A session with something to tell, stamped with the world's time. */
export async function work({ ports, continuity }: Bench): Promise<void> {
  const at = ports.time.now()
  await continuity.recordAll([
    { ...start('session-1', 1), at },
    anEvent('prompt-submitted', { ...here, at, prompt: 'Make the parser keep blank lines.' }),
    anEvent('tool-finished', { ...here, at }),
    anEvent('turn-ended', { ...here, at, lastMessage: 'The parser keeps blank lines now.' }),
  ])
}

export function endSession({ continuity, ports }: Bench) {
  return continuity.record(anEvent('session-ended', { ...here, at: ports.time.now() }))
}

export async function told({ continuity, ports }: Bench, event: SessionEvent): Promise<string> {
  const stamped = { ...event, at: ports.time.now() }
  await continuity.record(stamped)
  const injected = await continuity.inject({ event: stamped, maxChars: 9_500 })
  for (const injection of injected === undefined ? [] : [injected.injection, ...(injected.also ?? [])])
    await continuity.confirmInjection(injection)
  return injected?.text ?? ''
}
