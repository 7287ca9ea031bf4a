import { StringDecoder } from 'node:string_decoder'

/** The end of what a process printed, in the order it arrived, bounded. */
export class OutputTail {
  readonly #maxChars: number
  readonly #decoders = { out: new StringDecoder('utf8'), err: new StringDecoder('utf8') }
  #text = ''
  #total = 0

  constructor(maxChars: number) {
    this.#maxChars = maxChars
  }

  /** Bytes seen so far: a sign of life. */
  get totalBytes(): number {
    return this.#total
  }

  get text(): string {
    return this.#text
  }

  add(stream: 'out' | 'err', chunk: Buffer): string {
    const text = this.#decoders[stream].write(chunk)
    this.#total += chunk.length
    this.#text += text
    // Cut rarely, and then well below the limit: cutting for every chunk would copy everything every time.
    if (this.#text.length > this.#maxChars * 2) this.#text = this.#text.slice(-this.#maxChars).toWellFormed()
    return text
  }
}
