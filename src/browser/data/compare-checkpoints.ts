import type { Checkpoint } from '../../kernel/checkpoint.ts'

export interface SectionDiff {
  readonly section: string
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly { readonly item: string; readonly from: string; readonly to: string }[]
}

type Items = ReadonlyMap<string, string>

/** What is compared: each section as items by name, and the state of each. */
function listSections({ work, nextAction }: Checkpoint): Readonly<Record<string, Items>> {
  return {
    goal: new Map(work.asks.map(({ text }) => [text, ''])),
    todos: new Map(work.todos.map(({ text, status }) => [text, status])),
    checks: new Map((work.checks ?? []).map(({ command, verdict, line }) => [command, line ?? verdict])),
    files: new Map(
      work.files.map(({ path, action, edits }) => [path, edits > 0 ? `${action}, ${edits} edits` : action]),
    ),
    decisions: new Map(work.decisions.map(({ decision, rationale }) => [decision, rationale ?? ''])),
    errors: new Map(work.errors.map(({ text, count }) => [text, `${count} times`])),
    next: new Map(nextAction === undefined ? [] : [[nextAction, '']]),
  }
}

export function compareCheckpoints(from: Checkpoint, to: Checkpoint): readonly SectionDiff[] {
  const [before, after] = [listSections(from), listSections(to)]
  return Object.entries(after).map(([section, items]) => {
    const old = before[section] ?? new Map<string, string>()
    return {
      section,
      added: [...items.keys()].filter((item) => !old.has(item)),
      removed: [...old.keys()].filter((item) => !items.has(item)),
      changed: [...items].flatMap(([item, state]) => {
        const earlier = old.get(item)
        return earlier === undefined || earlier === state ? [] : [{ item, from: earlier, to: state }]
      }),
    }
  })
}
