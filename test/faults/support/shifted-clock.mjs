// Preloaded into a daemon by a test: a machine whose wall clock is wrong by CLOCK_SHIFT_MS. Its monotonic clock is not.
const shiftMs = Number(process.env.CLOCK_SHIFT_MS ?? 0)
const RealDate = Date

globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + shiftMs)
    else super(...args)
  }

  static now() {
    return RealDate.now() + shiftMs
  }
}
