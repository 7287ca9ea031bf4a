import { expect, test } from 'vitest'
import type { SameShape } from './json-shape.ts'

interface Core {
  readonly id: string
  readonly tags: readonly string[]
  readonly note?: string
}

test('equal shapes compare equal, and each kind of difference is seen', () => {
  const verdicts: {
    same: SameShape<{ id: string; tags: string[]; note?: string | undefined }, Core>
    missingOptional: SameShape<{ id: string; tags: string[] }, Core>
    requiredInstead: SameShape<{ id: string; tags: string[]; note: string }, Core>
    extra: SameShape<{ id: string; tags: string[]; note?: string; more?: number }, Core>
    otherType: SameShape<{ id: string; tags: number[]; note?: string }, Core>
    narrowerUnion: SameShape<'a' | 'b', 'a' | 'b' | 'c'>
  } = {
    same: true,
    missingOptional: false,
    requiredInstead: false,
    extra: false,
    otherType: false,
    narrowerUnion: false,
  }
  expect(Object.values(verdicts).filter(Boolean)).toEqual([true])
})
