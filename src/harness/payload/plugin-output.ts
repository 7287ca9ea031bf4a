import type { Connector } from '../contract/connector.ts'

export interface PluginOutput {
  readonly maxChars: number
  /** Hooks whose answer the plugin can put before the agent. */
  readonly answered: readonly string[]
  /** The hook before a tool: the plugin takes any answer to it for a reason not to run the tool. */
  readonly toolHook: string
}

type Output = Pick<Connector, 'canInject' | 'writeInjection' | 'writeRefusal' | 'writeStop' | 'emptyReply'>

/** How a plugin inside its harness is answered: in plain text, because how that is passed on is the plugin's affair. A turn has no other way to be ended. */
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
