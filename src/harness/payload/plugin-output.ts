import type { Connector } from '../contract/connector.ts'

export interface PluginOutput {
  readonly maxChars: number
  /** Hooks whose answer the plugin can inject. */
  readonly answered: readonly string[]
  /** The hook before a tool: the plugin takes any answer to it as a refusal. */
  readonly toolHook: string
}

type Output = Pick<Connector, 'canInject' | 'writeInjection' | 'writeRefusal' | 'writeStop' | 'emptyReply'>

/** Answers to a plugin inside its harness are plain text: the plugin passes them on. A turn can only be ended by a refusal. */
export function pluginOutput({ maxChars, answered, toolHook }: PluginOutput): Output {
  const writeRefusal = (hook: string, reason: string) =>
    hook === toolHook && reason !== '' ? reason.toWellFormed() : undefined
  return {
    canInject: (hook) => hook === toolHook || answered.includes(hook),
    writeInjection: (hook, text) =>
      answered.includes(hook) && text !== '' && text.length <= maxChars ? text.toWellFormed() : undefined,
    writeRefusal,
    writeStop: writeRefusal,
    emptyReply: '',
  }
}
