/** A harness has a handful under way at once. */
const MAX_OPEN = 500

/** Calls that have no result yet. */
export class OpenCalls<Call> {
  private readonly calls = new Map<string, Call>()

  begin(key: string, call: Call): void {
    this.calls.set(key, call)
    const oldest = this.calls.size > MAX_OPEN ? this.calls.keys().next().value : undefined
    if (oldest !== undefined) this.calls.delete(oldest)
  }

  /** The call of a result, once; undefined for a result without one. */
  finish(key: string): Call | undefined {
    const call = this.calls.get(key)
    this.calls.delete(key)
    return call
  }

  /** All that are left; none is, after it. */
  takeAll(): readonly (readonly [key: string, call: Call])[] {
    const left = [...this.calls]
    this.calls.clear()
    return left
  }
}
