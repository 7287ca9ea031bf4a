interface Rows {
  readonly rows: number
  readonly dimensions: number
  readonly vectors: Int8Array
}

/** For each row, the `count` others with the highest cosine, best first, in two bytes each, the lower one first. */
export function findNearest({ rows, dimensions, vectors }: Rows, count: number): Uint8Array {
  const vectorOf = (row: number) => vectors.subarray(row * dimensions, (row + 1) * dimensions)
  const lengths = Float64Array.from({ length: rows }, (_, row) =>
    Math.max(1, Math.sqrt(vectorOf(row).reduce((sum, value) => sum + value ** 2, 0))),
  )
  const nearest = new Uint8Array(rows * count * 2)
  const view = new DataView(nearest.buffer)
  for (let row = 0; row < rows; row++) {
    const best: { readonly other: number; readonly similarity: number }[] = []
    for (let other = 0; other < rows; other++) {
      if (other === row) continue
      let sum = 0
      for (let at = 0; at < dimensions; at++) {
        sum += (vectors[row * dimensions + at] ?? 0) * (vectors[other * dimensions + at] ?? 0)
      }
      const similarity = sum / ((lengths[row] ?? 1) * (lengths[other] ?? 1))
      if (best.length === count && similarity <= (best.at(-1)?.similarity ?? 0)) continue
      best.splice(best.findIndex((known) => known.similarity < similarity) >>> 0, 0, { other, similarity })
      if (best.length > count) best.pop()
    }
    for (const [rank, { other }] of best.entries()) view.setUint16((row * count + rank) * 2, other, true)
  }
  return nearest
}
