import { SETTINGS_BY_KEY } from '../kernel/config.ts'
import { showStoreUrl } from '../redaction/store-address.ts'

/** `continuity.promptInterval` → `HOLDFAST_CONTINUITY_PROMPT_INTERVAL`. */
export function toEnvName(key: string): string {
  return `HOLDFAST_${key
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace('.', '_')
    .toUpperCase()}`
}

/** The URL of a server may hold a user and a password, or a token in its parameters. */
function showAddress(text: string): string {
  return text.replace(/^([a-z][a-z\d+.-]*:\/\/)[^/?#]*@/i, '$1***@').replace(/\?.*$/s, '?***')
}

/** The value for display, without passwords. */
export function showSetting(key: string, value: unknown): unknown {
  if (typeof value !== 'string' || SETTINGS_BY_KEY.get(key)?.isAddress !== true) return value
  return key === 'store.url' ? showStoreUrl(value) : showAddress(value)
}
