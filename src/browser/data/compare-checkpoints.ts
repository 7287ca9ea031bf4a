import type { Checkpoint } from '../../kernel/checkpoint.ts'
import type { Rule } from '../../kernel/rule.ts'

export interface SectionDiff {
  readonly section: string
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly { readonly item: string; readonly from: string; readonly to: string }[]
}

type Items = ReadonlyMap<string, string>

/** What is compared: each section as items by name, and the state of each. */
function listSections(
  { work, nextAction, createdAt }: Checkpoint,
  rules: readonly Rule[],
): Readonly<Record<string, Items>> {
  // Rules belong to the project; those in force when the checkpoint was made are compared.
  const inForce = rules.filter(
    ({ state, since, retiredAt }) =>
      state !== 'proposed' && since <= createdAt && (retiredAt === undefined || retiredAt > createdAt),
  )
  return {
    Goal: new Map(work.asks.map(({ text }) => [text, ''])),
    Rules: new Map(inForce.map(({ text }) => [text, ''])),
    Todos: new Map(work.todos.map(({ text, status }) => [text, status])),
    Checks: new Map((work.checks ?? []).map(({ command, verdict, line }) => [command, line ?? verdict])),
    Files: new Map(
      work.files.map(({ path, action, edits }) => [path, edits > 0 ? `${action}, ${edits} edits` : action]),
    ),
    Decisions: new Map(work.decisions.map(({ decision, rationale }) => [decision, rationale ?? ''])),
    Errors: new Map(work.errors.map(({ text, count }) => [text, `${count} times`])),
    'Next step': new Map(nextAction === undefined ? [] : [[nextAction, '']]),
  }
}

export function compareCheckpoints(
  from: Checkpoint,
  to: Checkpoint,
  rules: readonly Rule[] = [],
): readonly SectionDiff[] {
  const [before, after] = [listSections(from, rules), listSections(to, rules)]
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
