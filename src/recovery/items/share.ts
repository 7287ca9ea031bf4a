/**
 * What saying one thing is worth, of all that will be needed of its kind: one of two files that will be changed is half of
 * what must be known, one of thirty names is little.
 */
export function shareOf(chances: readonly number[]): (chance: number) => number {
  const needed = Math.max(
    1,
    chances.reduce((sum, chance) => sum + chance, 0),
  )
  return (chance) => chance / needed
}
