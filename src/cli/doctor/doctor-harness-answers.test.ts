import { expect, test } from 'vitest'
import { HoldfastError } from '../../kernel/errors.ts'
import { SessionKey, toSessionId } from '../../kernel/id.ts'
import type { Injection } from '../../kernel/injection.ts'
import type { Session } from '../../kernel/session.ts'
import { resolveHome } from '../../platform/base/home.ts'
import { setup as codexSetup } from '../../harness/codex/setup.ts'
import { setup as geminiCliSetup } from '../../harness/gemini-cli/setup.ts'
import type { HarnessSetup, SetupPorts, TrustAnswer } from '../../install/contract/setup.ts'
import { checkSeen, checkInjected, checkTrust } from './harness.ts'

const world: SetupPorts = {
  env: { HOME: '/home/me', PATH: '' },
  cwd: '/p',
  home: resolveHome({ HOLDFAST_HOME: '/home/me/.holdfast' }),
  distDir: '/dist',
  skillsDir: '/skills',
  platform: 'linux',
  nodePath: '/usr/bin/node',
}

const answering = (answer: () => Promise<TrustAnswer | undefined>): HarnessSetup => ({
  ...codexSetup,
  askTrust: answer,
})
const verdictOf = async (answer: () => Promise<TrustAnswer | undefined>) => {
  const [check] = await checkTrust(answering(answer), world)
  return [check?.verdict, check?.detail]
}

test('trust is what the harness itself says, and what it cannot be asked is said', async () => {
  const given = { trusted: ['SessionStart', 'Stop'], untrusted: [], warnings: [] }
  expect(await verdictOf(async () => given)).toEqual(['ok', 'Codex CLI trusts 2 hooks'])
  expect(await verdictOf(async () => ({ ...given, untrusted: ['SessionEnd'] }))).toEqual([
    'fail',
    'not given: SessionEnd',
  ])
  expect(await verdictOf(async () => ({ trusted: [], untrusted: [], warnings: ['cannot parse'] }))).toEqual([
    'fail',
    'Codex CLI does not see the hooks; its warnings: cannot parse',
  ])
  expect(await verdictOf(async () => ({ ...given, warnings: ['clamping'] }))).toEqual([
    'warn',
    'Codex CLI trusts 2 hooks; its warnings: clamping',
  ])
  expect(await verdictOf(async () => undefined)).toEqual(['warn', 'not checked: Codex CLI is not in PATH'])
  const broken = () => Promise.reject(new HoldfastError('internal', 'no answer', { hint: 'Look.' }))
  expect(await verdictOf(broken)).toEqual(['warn', 'not checked: no answer'])
})

test('a harness that needs no trust is not asked', async () => {
  expect(await checkTrust(geminiCliSetup, world)).toEqual([])
})

const session: Session = {
  id: toSessionId('codex', SessionKey('s1')),
  key: SessionKey('s1'),
  harness: 'codex',
  phase: 'ended',
  startedAt: '2026-01-01T00:00:00.000Z',
  lastEventAt: '2026-01-01T00:00:00.000Z',
  lastEventSeq: 1,
  promptCount: 1,
  toolCount: 0,
  compactionCount: 0,
  promptsSinceCheckpoint: 0,
  hasNewWork: false,
  epoch: 1,
  recoveredEpoch: 1,
}
const injection: Injection = {
  sessionId: session.id,
  at: '2026-01-01T00:00:00.000Z',
  kind: 'recovery',
  epoch: 1,
  chars: 1_800,
  textHash: '',
  sources: [],
  reasons: [],
}

test('the last thing told is named with its size, against what arrives whole', async () => {
  const told = (injections: readonly Injection[]) =>
    checkInjected(codexSetup, {
      listSessions: async () => [session],
      explain: async () => ({ session, injections, prompts: [] }),
    })
  expect(await told([{ ...injection, chars: 0 }, injection])).toEqual([
    {
      subject: 'codex injections',
      verdict: 'ok',
      detail: 'recovery at 2026-01-01T00:00:00.000Z, 1800 of at most 9000 characters',
    },
  ])
  expect((await told([{ ...injection, chars: 9_001 }])).map(({ verdict }) => verdict)).toEqual(['warn'])
  expect((await told([])).map(({ verdict, detail }) => [verdict, detail])).toEqual([['ok', 'nothing injected yet']])
})

test('events are held against what is expected of the version in use, not of any that was here before', async () => {
  const at = (day: number) => `2026-01-0${day}T00:00:00.000Z`
  const sighting = (hook: string, harnessVersion: string, day: number) => ({
    harness: 'codex',
    harnessVersion,
    hook,
    count: 2,
    lastSeenAt: at(day),
  })
  const routine = ['SessionStart', 'UserPromptSubmit', 'Stop', 'SessionEnd']
  const old = routine.map((hook) => sighting(hook, '0.166.0', 1))
  const seen = async (sightings: readonly ReturnType<typeof sighting>[]) => {
    const [check] = await checkSeen(codexSetup, {
      sightings: async () => sightings,
      listSessions: async () => [session],
    })
    return [check?.verdict, check?.detail]
  }
  expect(await seen([])).toEqual(['warn', 'none seen yet'])
  expect(await seen([sighting('HoldfastProbe', 'unknown', 2)])).toEqual(['warn', 'none seen yet'])
  expect(await seen(old)).toEqual(['ok', '0.166.0: SessionStart 2, UserPromptSubmit 2, Stop 2, SessionEnd 2'])
  const updated = [...old, ...routine.slice(0, 3).map((hook) => sighting(hook, '0.170.0', 2))]
  expect(await seen(updated)).toEqual([
    'warn',
    '0.170.0: SessionStart 2, UserPromptSubmit 2, Stop 2; 0.166.0: SessionStart 2, UserPromptSubmit 2, Stop 2, SessionEnd 2; not with 0.170.0: SessionEnd',
  ])
  expect((await seen([...updated, sighting('SessionEnd', 'unknown', 3)]))[0]).toBe('ok')
  expect(await seen(old.slice(0, 2))).toEqual([
    'warn',
    '0.166.0: SessionStart 2, UserPromptSubmit 2; never Stop, SessionEnd',
  ])
})
