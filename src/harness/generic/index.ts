import type { Connector, Harness } from '../contract/connector.ts'
import { GENERIC, readEvent, fill, translate } from './events.ts'
import { type HarnessDescriptor, readDescriptor } from '../descriptor/descriptor.ts'
import type { HarnessEnvironment } from '../descriptor/environment.ts'
import { HARNESS_EVENT_KINDS } from '../../kernel/event.ts'
import type { Home } from '../../platform/base/home.ts'
import { watchManifest } from '../../install/manifest.ts'

/** Finds connected descriptors by name. While the manifest cannot be read, the last known ones count; throws where there are none. */
export function createDescriptorLookup(
  home: Pick<Home, 'manifestFile'>,
): (name: string) => HarnessDescriptor | undefined {
  const readDescriptors = watchManifest(home, (installations) => {
    const read = installations.map((record) => readDescriptor(record.page).descriptor)
    return new Map(
      read.flatMap((descriptor) => (descriptor === undefined ? [] : [[descriptor.name, descriptor] as const])),
    )
  })
  let known: ReadonlyMap<string, HarnessDescriptor> = new Map()
  return (name) => {
    try {
      known = readDescriptors()
    } catch (thrown) {
      if (!known.has(name)) throw thrown
    }
    return known.get(name)
  }
}

/** For a harness without code of its own: its descriptor sets these variables. */
const genericEnvironment: HarnessEnvironment = {
  harness: 'generic',
  sessionKey: ['HOLDFAST_SESSION'],
  directory: ['HOLDFAST_DIRECTORY'],
}

/** Our launcher passes on 9,500 characters; a descriptor may wrap them in JSON, with quotes and newlines. */
const MAX_CONTEXT_CHARS = 9_000
const ANSWERED = new Set(['session-started', 'prompt-submitted', 'compaction-started'])

/** `<event>`, or `<descriptor>.<event>.<the harness's own hook>` where a descriptor says what the payloads mean. */
function parseHook(hook: string): { readonly event: string; readonly descriptor?: string; readonly own?: string } {
  const [descriptor, event, own] = hook.split('.')
  if (descriptor === undefined || event === undefined) return { event: hook }
  return { event, descriptor, ...(own === undefined ? {} : { own }) }
}

/** For a harness without code of its own: it reports our events directly, or its own payloads with a descriptor that translates them. */
export function createGeneric(findDescriptor: (name: string) => HarnessDescriptor | undefined): Connector {
  const resolveHook = (hook: string) => {
    const { event, descriptor: name, own } = parseHook(hook)
    return { event, own, descriptor: name === undefined ? undefined : findDescriptor(name) }
  }

  function write(kind: 'answers' | 'refusals' | 'stops', hook: string, text: string): string | undefined {
    const { event, descriptor, own } = resolveHook(hook)
    const template = descriptor?.[kind]?.[event]
    return template === undefined ? undefined : fill(template, { text: text.toWellFormed(), hook: own ?? event })
  }

  function canInject(hook: string): boolean {
    const { event, descriptor } = resolveHook(hook)
    return descriptor?.answers === undefined ? ANSWERED.has(event) : Object.hasOwn(descriptor.answers, event)
  }

  return {
    id: GENERIC,
    name: 'Generic',
    capabilities: {
      recovery: 'at-session-start',
      promptInjection: true,
      compactionEvents: true,
      compactionHint: true,
      contextMeasured: true,
      httpHooks: true,
      maxOutputChars: MAX_CONTEXT_CHARS,
    },
    environment: genericEnvironment,
    // None is required: such a harness reports what it can.
    hooks: HARNESS_EVENT_KINDS.map((hook) => ({ hook, isRoutine: false })),
    readEvent(hook, payload, arrival) {
      const { event, descriptor, own } = resolveHook(hook)
      return readEvent(event, descriptor === undefined ? payload : translate(descriptor, own, payload), arrival)
    },
    canInject,
    /** Plain text without a template: the caller knows how to pass it to its agent. */
    writeInjection(hook, text) {
      if (!canInject(hook) || text === '' || text.length > MAX_CONTEXT_CHARS) return undefined
      return write('answers', hook, text) ?? text.toWellFormed()
    },
    writeRefusal: (hook, reason) => write('refusals', hook, reason),
    writeStop: (hook, reason) => write('stops', hook, reason),
    emptyReply: '',
  }
}

/** Without a descriptor. */
export const generic: Connector = createGeneric(() => undefined)

export const genericHarness: Harness = {
  id: generic.id,
  connector: generic,
  loadSetup: () => import('./setup.ts'),
}
