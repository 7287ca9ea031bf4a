import { getErrorMessage, HoldfastError } from '../kernel/errors.ts'
import type { EventKind, SessionEvent } from '../kernel/event.ts'
import type { ProjectId, SessionId } from '../kernel/id.ts'
import type { AppendResult } from '../kernel/ports/ports.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'
import type { Rule } from '../kernel/rule.ts'
import { BoundedMap } from '../kernel/structures/bounded-map.ts'
import { KeyedTaskQueue } from '../kernel/structures/task-queue.ts'
import { oneLine } from '../kernel/text/text.ts'
import { isSameRule } from './compare-rules.ts'
import { hasUserWords, isInForce, learnRules, MAX_ACTIVE_RULES } from './learn-rules.ts'
import type { RuleUseCases } from './use-cases.ts'

const MAX_TEXT_CHARS = 500
const MAX_PROJECTS = 50
/** Another machine may change a shared store. */
const TRUSTED_FOR_MS = 30_000
const READ_KINDS: readonly EventKind[] = ['prompt-submitted', 'tool-finished']
const EVENT_PAGE = 500
/** A daemon that was killed had stored the message, but perhaps not yet its rules. */
const RECHECKED_SESSIONS = 3
const RECHECKED_EVENTS = 100

export interface ProjectRules extends RuleUseCases {
  readonly onEvent: (event: SessionEvent, result: AppendResult) => void
  /** Those in force, newest first. Includes what was said in every stored message. */
  listActive(projectId: ProjectId): Promise<readonly Rule[]>
  /** Reads the whole stored session, as after an import. */
  readSession(id: SessionId): Promise<void>
  drain(): Promise<void>
}

type ProjectRulesPorts = Pick<
  ContinuityPorts,
  'store' | 'clock' | 'log' | 'sha256' | 'locator' | 'redactors' | 'entropy' | 'person'
>

export function createProjectRules(ports: ProjectRulesPorts): ProjectRules {
  const { store, clock, sha256 } = ports
  const queue = new KeyedTaskQueue<ProjectId>()
  const loaded = new BoundedMap<ProjectId, { readonly rules: readonly Rule[]; readonly atMs: number }>(MAX_PROJECTS)
  const rechecked = new Set<ProjectId>()

  /** Of all states. Only inside the queue. */
  async function load(projectId: ProjectId): Promise<readonly Rule[]> {
    const known = loaded.get(projectId)
    if (known !== undefined && clock.monotonicMs() - known.atMs < TRUSTED_FOR_MS) return known.rules
    const rules = await store.listRules({ projectId })
    loaded.set(projectId, { rules, atMs: clock.monotonicMs() })
    if (rechecked.has(projectId)) return rules
    rechecked.add(projectId)
    await recheck(projectId)
    return loaded.get(projectId)?.rules ?? rules
  }

  async function save(projectId: ProjectId, changed: readonly Rule[]): Promise<void> {
    if (changed.length === 0) return
    await store.saveRules(changed)
    const ids = new Set(changed.map(({ id }) => id))
    const others = (loaded.get(projectId)?.rules ?? []).filter(({ id }) => !ids.has(id))
    loaded.set(projectId, { rules: [...changed.toReversed(), ...others], atMs: clock.monotonicMs() })
  }

  async function learn(projectId: ProjectId, event: SessionEvent): Promise<void> {
    await save(projectId, learnRules(await load(projectId), event, { projectId, sha256 }))
  }

  async function recheck(projectId: ProjectId): Promise<void> {
    for (const { id, lastEventSeq } of await store.listSessions({ projectId, limit: RECHECKED_SESSIONS })) {
      const afterSeq = Math.max(0, lastEventSeq - RECHECKED_EVENTS)
      const events = await store.listEvents({ sessionId: id, kinds: READ_KINDS, afterSeq, limit: EVENT_PAGE })
      for (const { event } of events) await learn(projectId, event)
    }
  }

  async function redact(text: string, cwd: string): Promise<string> {
    const { worktree } = await ports.locator.locate(cwd)
    const clean = oneLine((await ports.redactors.forWorktree(worktree, cwd)).redact(text))
    if (clean !== '' && clean.length <= MAX_TEXT_CHARS) return clean
    throw new HoldfastError(
      'invalid-input',
      `A rule must have 1 to ${MAX_TEXT_CHARS} characters; this one has ${clean.length}.`,
      { hint: 'Give one sentence that can be understood on its own.' },
    )
  }

  function pick(rules: readonly Rule[], id: string): Rule {
    const exact = rules.find((rule) => rule.id === id)
    const matching =
      exact === undefined ? rules.filter((rule) => rule.id.startsWith(id) || rule.id.startsWith(`rule-${id}`)) : [exact]
    const [rule] = matching
    if (rule !== undefined && matching.length === 1 && id !== '') return rule
    throw new HoldfastError(
      'not-found',
      matching.length > 1 ? `Several rules of this project begin with ${id}.` : `No rule ${id} in this project.`,
      { hint: 'Run `holdfast rules list --all` to see the ids.' },
    )
  }

  const toListed = (rule: Rule, now: string): Rule =>
    rule.state === 'active' && !isInForce(rule, now) ? { ...rule, state: 'retired' } : rule

  return {
    onEvent(event, { session }) {
      const projectId = session.place?.projectId
      if (projectId === undefined || !hasUserWords(event)) return
      queue
        .run(projectId, () => learn(projectId, event))
        .catch((error: unknown) => {
          ports.log.warn('rules not found in an event', { event: event.id, error: getErrorMessage(error) })
        })
    },

    async listActive(projectId) {
      const rules = await queue.run(projectId, () => load(projectId))
      const now = clock.now()
      // The words of another person are not the words of this user.
      const isOwn = ({ origin }: Rule) => origin === undefined || origin.principal === ports.person.id
      return rules.filter((rule) => isOwn(rule) && isInForce(rule, now))
    },

    async readSession(id) {
      const projectId = (await store.findSession(id))?.place?.projectId
      if (projectId === undefined) return
      await queue.run(projectId, async () => {
        for (let afterSeq = 0; ; ) {
          const page = await store.listEvents({ sessionId: id, kinds: READ_KINDS, afterSeq, limit: EVENT_PAGE })
          for (const { event } of page) await learn(projectId, event)
          const last = page.at(-1)
          if (last === undefined || page.length < EVENT_PAGE) return
          afterSeq = last.seq
        }
      })
    },

    async listRules({ cwd, includeRetired = false }) {
      const { projectId } = await ports.locator.locate(cwd)
      const rules = await queue.run(projectId, () => load(projectId))
      const now = clock.now()
      return rules.map((rule) => toListed(rule, now)).filter(({ state }) => includeRetired || state !== 'retired')
    },

    async addRule({ text, cwd, isProposal = false }) {
      const clean = await redact(text, cwd)
      const { projectId } = await ports.locator.locate(cwd)
      return queue.run(projectId, async () => {
        const rules = await load(projectId)
        const now = clock.now()
        const bindsAlready = rules.find((rule) => isInForce(rule, now) && isSameRule(rule.text, clean))
        if (bindsAlready !== undefined) return bindsAlready
        const state = isProposal ? 'proposed' : 'active'
        const waiting = rules.find((rule) => rule.state === 'proposed' && isSameRule(rule.text, clean))
        if (waiting !== undefined && isProposal) return waiting
        if (rules.filter((rule) => toListed(rule, now).state === state).length >= MAX_ACTIVE_RULES)
          throw new HoldfastError('conflict', `The project already has ${MAX_ACTIVE_RULES} ${state} rules.`, {
            hint: 'Retire some with `holdfast rules retire <id>` first.',
          })
        const rule: Rule = {
          id: `rule-${sha256([projectId, now, clean, ...ports.entropy.bytes(8)].join('\n')).slice(0, 10)}`,
          projectId,
          text: clean,
          since: now,
          state,
          source: isProposal ? 'proposed' : 'added',
          scope: 'project',
        }
        await save(projectId, [rule])
        return rule
      })
    },

    async changeRule({ id, cwd, text, state }) {
      const clean = text === undefined ? undefined : await redact(text, cwd)
      const { projectId } = await ports.locator.locate(cwd)
      return queue.run(projectId, async () => {
        const rule = pick(await load(projectId), id)
        const { supersededBy: _, retiredAt, ...kept } = rule
        const next = state ?? rule.state
        const now = clock.now()
        const isBack = state === 'active' && toListed(rule, now).state === 'retired'
        const changed: Rule = {
          ...kept,
          state: next,
          // A rule of one piece of work ends by its age, and an older message that lifted a rule may be read again.
          ...(isBack && { since: now }),
          ...(clean !== undefined && { text: clean }),
          ...(next === 'retired' && { retiredAt: retiredAt ?? now }),
        }
        await save(projectId, [changed])
        return changed
      })
    },

    drain: () => queue.drain(),
  }
}
