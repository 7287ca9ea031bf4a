import type { SessionId } from './id.ts'
import type { Session } from './session.ts'

/** The first session of the line that each of these is in, as far back as they tell. All of one line name the same one. */
export function lineagesOf(sessions: readonly Pick<Session, 'id' | 'continues'>[]): ReadonlyMap<SessionId, SessionId> {
  const before = new Map(sessions.map(({ id, continues }) => [id, continues]))
  const firstOf = (id: SessionId): SessionId => {
    const line = [id]
    for (let next = before.get(id); next !== undefined; next = before.get(next)) {
      // Two sessions that took turns are a ring, which has no first one: any will do that both name.
      if (line.includes(next)) return line.slice(line.indexOf(next)).toSorted()[0] ?? next
      line.push(next)
    }
    return line.at(-1) ?? id
  }
  return new Map(sessions.map(({ id }) => [id, firstOf(id)]))
}
