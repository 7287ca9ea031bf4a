/** Well below what either database takes in one statement (SQLite 32,766 parameters, PostgreSQL 65,535). */
const SLICE = 200

/** Runs a statement over a list of any length, in order; what it answers is put together. Nothing runs for an empty list. */
export async function inSlices<Item, Row>(
  items: readonly Item[],
  run: (slice: readonly Item[]) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (let start = 0; start < items.length; start += SLICE) rows.push(...(await run(items.slice(start, start + SLICE))))
  return rows
}

/**
 * Reads in order until `limit` sound items are found or there are no more. Without this a page of damaged rows would
 * look like the end.
 */
export async function readSound<Row, Item>(
  limit: number,
  page: (after: Row | undefined, count: number) => Promise<readonly Row[]>,
  check: (row: Row) => Item | undefined,
): Promise<readonly Item[]> {
  const sound: Item[] = []
  let last: Row | undefined
  while (sound.length < limit) {
    const wanted = limit - sound.length
    const rows = await page(last, wanted)
    for (const row of rows) {
      const item = check(row)
      if (item !== undefined) sound.push(item)
    }
    last = rows.at(-1)
    if (rows.length < wanted) break
  }
  return sound
}
