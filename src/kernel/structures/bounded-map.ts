/** A map of at most `maxSize` entries: setting one more drops the entry that was set longest ago. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #maxSize: number

  constructor(maxSize: number) {
    super()
    this.#maxSize = maxSize
  }

  override set(key: Key, value: Value): this {
    this.delete(key)
    super.set(key, value)
    const oldest = this.size > this.#maxSize ? this.keys().next() : undefined
    if (oldest?.done === false) this.delete(oldest.value)
    return this
  }
}
