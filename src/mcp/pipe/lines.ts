const NEWLINE = 0x0a

/** Gathers bytes into whole lines, line end included; what is left over waits for the rest. */
export class LineBuffer {
  #rest: Buffer[] = []

  take(chunk: Buffer): readonly Buffer[] {
    const lines: Buffer[] = []
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      lines.push(Buffer.concat([...this.#rest, chunk.subarray(from, at + 1)]))
      this.#rest = []
      from = at + 1
    }
    if (from < chunk.length) this.#rest.push(chunk.subarray(from))
    return lines
  }

  /** What came after the last line end; undefined when that is nothing. */
  last(): Buffer | undefined {
    const rest = Buffer.concat(this.#rest)
    this.#rest = []
    return rest.length === 0 ? undefined : Buffer.concat([rest, Buffer.from('\n')])
  }

  /** Half a line of a stream that broke off is of no use to anybody. */
  drop(): void {
    this.#rest = []
  }
}
