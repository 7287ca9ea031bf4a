import type { Connector } from '../contract/connector.ts'
import { genericEnvironment } from './environment.ts'
import { GENERIC, readEvent } from './events.ts'
import { GENERIC_EVENTS } from '../descriptor/generic-events.ts'
import type { Page } from '../descriptor/descriptor.ts'
import { fill, translate } from './translate.ts'

/** Our launcher passes on 9,500 characters; a page may want them as JSON, with quotes and line ends. */
const MAX_CONTEXT_CHARS = 9_000
const ANSWERED = new Set(['session-started', 'prompt-submitted', 'compaction-started'])

/** `<event>`, or `<page>.<event>.<the harness's own hook>` where a page says what the harness's payloads mean. */
function partsOf(hook: string): { readonly event: string; readonly page?: string; readonly own?: string } {
  const [page, event, own] = hook.split('.')
  if (page === undefined || event === undefined) return { event: hook }
  return { event, page, ...(own === undefined ? {} : { own }) }
}

/** For any harness that we have no code for: it tells our events in our words, or in its own and a page says which are which. */
export function createGeneric(findPage: (name: string) => Page | undefined): Connector {
  const callOf = (hook: string) => {
    const { event, page: name, own } = partsOf(hook)
    return { event, own, page: name === undefined ? undefined : findPage(name) }
  }

  function write(kind: 'answers' | 'refusals' | 'stops', hook: string, text: string): string | undefined {
    const { event, page, own } = callOf(hook)
    const template = page?.[kind]?.[event]
    return template === undefined ? undefined : fill(template, { text: text.toWellFormed(), hook: own ?? event })
  }

  function canInject(hook: string): boolean {
    const { event, page } = callOf(hook)
    return page?.answers === undefined ? ANSWERED.has(event) : Object.hasOwn(page.answers, event)
  }

  return {
    id: GENERIC,
    name: 'Generic',
    capabilities: {
      recovery: 'at-session-start',
      promptInjection: true,
      compactionEvents: true,
      compactionAdvice: true,
      contextMeasured: true,
      httpHooks: true,
      maxOutputChars: MAX_CONTEXT_CHARS,
    },
    environment: genericEnvironment,
    // None is a must: what such a harness can tell, it tells.
    hooks: GENERIC_EVENTS.map((hook) => ({ hook, isRoutine: false })),
    readEvent(hook, payload, receipt) {
      const { event, page, own } = callOf(hook)
      return readEvent(event, page === undefined ? payload : translate(page, own, payload), receipt)
    },
    canInject,
    /** Plain text where no page says otherwise: whoever asked knows how its agent is told. */
    writeInjection(hook, text) {
      if (!canInject(hook) || text === '' || text.length > MAX_CONTEXT_CHARS) return undefined
      return write('answers', hook, text) ?? text.toWellFormed()
    },
    writeRefusal: (hook, reason) => write('refusals', hook, reason),
    writeStop: (hook, reason) => write('stops', hook, reason),
    emptyReply: '',
  }
}

/** Without a page. */
export const generic: Connector = createGeneric(() => undefined)
