const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

type Value = string | number | undefined | Html | readonly Html[]

/** Markup that needs no escaping any more. Made only by the tag below. */
export class Html {
  readonly markup: string
  private constructor(markup: string) {
    this.markup = markup
  }

  /** Every value becomes text; only other `Html` stays markup. */
  static of(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
    const shown = (value: Value): string => {
      if (value instanceof Html) return value.markup
      if (typeof value === 'object') return value.map(shown).join('')
      return String(value ?? '').replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '')
    }
    return new Html(parts.reduce((markup, part, at) => `${markup}${shown(values[at - 1])}${part}`))
  }
}

export const html = (parts: TemplateStringsArray, ...values: readonly Value[]): Html => Html.of(parts, ...values)

export function ageOf(at: string | undefined, now: string): string {
  if (at === undefined) return 'never'
  const seconds = Math.max(0, Math.round((Date.parse(now) - Date.parse(at)) / 1_000))
  if (seconds < 60) return `${seconds} s ago`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h ago`
  return `${Math.floor(seconds / 86_400)} days ago`
}
