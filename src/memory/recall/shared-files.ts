interface WithFiles {
  readonly files?: readonly string[]
}

/** How much each item's files agree with those of the best ones, 1 for the most. A sweeping change is not relevant to everything it touched. */
export function sharedFileScores(
  items: readonly WithFiles[],
  scores: readonly number[],
  voters: number,
): readonly number[] {
  const spread = (item: WithFiles) => Math.sqrt(Math.max(1, item.files?.length ?? 0))
  const best = [...items.keys()].toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0)).slice(0, voters)
  const votes = new Map<string, number>()
  for (const index of best) {
    const item = items[index]
    for (const file of item?.files ?? []) {
      votes.set(file, (votes.get(file) ?? 0) + (scores[index] ?? 0) / (item === undefined ? 1 : spread(item)))
    }
  }
  const agreed = items.map(
    (item) => (item.files ?? []).reduce((sum, file) => sum + (votes.get(file) ?? 0), 0) / spread(item),
  )
  const most = agreed.reduce((max, score) => Math.max(max, score), 0)
  return most === 0 ? agreed : agreed.map((score) => score / most)
}
