import type { StoreOwner } from '../kernel/location.ts'
import type { Memory } from '../kernel/memory.ts'

/** Whether it may be given unasked: it is of this person, or was shared by another one. */
export function isForPerson({ origin, scope }: Memory, person: Pick<StoreOwner, 'id'>): boolean {
  return origin === undefined || origin.principal === person.id || scope === 'team'
}
