/** Where a sign stands next, at a place or behind it; past the text's end when it does not. */
export type NextSign = (from: number) => number

/**
 * Remembers what it found, so that a text is searched about once however often it is asked. Asked for places that go up and
 * down a little, it reads what is between them again, and no more.
 */
export function createNextSign(text: string, sign: string): NextSign {
  let from = 0
  let at = -1

  function search(start: number): number {
    const found = text.indexOf(sign, start)
    return found < 0 ? Number.POSITIVE_INFINITY : found
  }

  return (start) => {
    if (start > at) at = search(start)
    else if (start < from) {
      const between = text.slice(start, from + sign.length - 1).indexOf(sign)
      if (between >= 0) at = start + between
    }
    from = start
    return at
  }
}
