const UNITS = [
  { ms: 86_400_000, name: 'd' },
  { ms: 3_600_000, name: 'h' },
  { ms: 60_000, name: 'min' },
] as const

/** `3 h ago`. A clock that was set back gives `just now`, never a time to come. */
export function ageOf(at: string, now: string): string {
  const ms = Date.parse(now) - Date.parse(at)
  if (Number.isNaN(ms)) return 'at an unknown time'
  const unit = UNITS.find((candidate) => ms >= candidate.ms)
  return unit === undefined ? 'just now' : `${Math.floor(ms / unit.ms)} ${unit.name} ago`
}
