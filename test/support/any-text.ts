import fc from 'fast-check'

/** Any 16-bit units at all, lone surrogates and controls included: what a harness may really send. */
export function anyText(constraints: {
  readonly maxLength: number
  readonly minLength?: number
}): fc.Arbitrary<string> {
  const unit = fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 0x20, max: 0x7e }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 0xffff }) },
  )
  return fc.array(unit, constraints).map((units) => String.fromCharCode(...units))
}
