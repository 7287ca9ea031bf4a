export interface LabelledText {
  readonly id: string
  readonly source: string
  readonly rule: string
  readonly text: string
  readonly is_secret: boolean
  readonly secrets?: readonly string[]
  readonly neg_kind?: string
}

export interface Rate {
  readonly hits: number
  readonly of: number
}

export interface Score {
  readonly rates: ReadonlyMap<string, Rate>
  readonly misses: readonly {
    readonly name: string
    readonly rule: string
    readonly before: string
    readonly after: string
  }[]
}

/** A secret leaks when half of it or more survives in one piece, and at least six characters. */
export function leaks(secret: string, output: string): boolean {
  const size = Math.max(6, Math.floor(secret.length / 2))
  if (secret.length <= size) return output.includes(secret)
  for (let start = 0; start + size <= secret.length; start += 1)
    if (output.includes(secret.slice(start, start + size))) return true
  return false
}

/** The names that one text counts under. */
function namesOf(item: LabelledText): string[] {
  if (!item.is_secret) return [`fp/${item.neg_kind}`]
  const names = ['leak/all', `leak/${item.source}`]
  return item.source === 'gitleaks' ? names : [...names, 'leak/non-gitleaks']
}

export function scoreRedaction(texts: readonly LabelledText[], redact: (text: string) => string): Score {
  const rates = new Map<string, Rate>()
  const misses: { name: string; rule: string; before: string; after: string }[] = []
  for (const item of texts) {
    const output = redact(item.text)
    const isHit = item.is_secret ? (item.secrets ?? []).some((secret) => leaks(secret, output)) : output !== item.text
    for (const name of namesOf(item)) {
      const rate = rates.get(name) ?? { hits: 0, of: 0 }
      rates.set(name, { hits: rate.hits + Number(isHit), of: rate.of + 1 })
    }
    if (isHit) misses.push({ name: namesOf(item).at(-1) ?? '', rule: item.rule, before: item.text, after: output })
  }
  return { rates: new Map([...rates].sort(([a], [b]) => (a < b ? -1 : 1))), misses }
}
