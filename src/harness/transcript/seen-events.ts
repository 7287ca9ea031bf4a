import type { SessionEvent } from '../../kernel/event.ts'

const MAX_REMEMBERED_IDS = 50_000

/** A transcript may tell a fact twice. Past the bound it does: the store knows an id that it has. */
export class SeenEvents {
  private readonly ids = new Set<string>()

  isNew({ id }: Pick<SessionEvent, 'id'>): boolean {
    if (this.ids.has(id)) return false
    if (this.ids.size < MAX_REMEMBERED_IDS) this.ids.add(id)
    return true
  }
}
