const MARK = /[\s*#>-]*(?:\*\*)?(?:design )?(?:decision|decided)(?:\*\*)?\s*:(?:\*\*)?\s*$/i

/** What the agent said, without what it marked as a decision and is told as one. */
export function withoutDecisions(text: string, told: readonly string[]): string {
  return told.reduce((left, decision) => {
    const at = left.indexOf(decision)
    const before = left.slice(0, Math.max(0, at))
    return at < 0 || !MARK.test(before)
      ? left
      : `${before.replace(MARK, '')} ${left.slice(at + decision.length)}`.trim()
  }, text)
}
