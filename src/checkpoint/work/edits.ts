import type { EditRecord } from '../../kernel/checkpoint.ts'
import type { EventOf } from '../../kernel/event.ts'
import { relativePath } from '../../kernel/paths/paths.ts'
import type { FoldLocation } from './fold-paths.ts'
import type { WorkState } from './state.ts'

/** Files whose lines may begin with a definition. */
const CODE = /\.(?:[cm]?[jt]sx?|py|go|rs|rb|php|java|kts?|swift|scala|cs|cc|cpp|h|hpp|dart|vue|svelte|astro)$/i
const MAX_EDITS = 60
const MAX_DEFINED = 6
const MAX_NAME_CHARS = 60

const DEFINITION =
  /^[ \t]*[+]?[ \t]*(?:export |default |public |private |protected |static |abstract |final |async |pub(?:\([^)]*\))? |unsafe |override |internal )*(?:func(?: \([^)]*\))?|function\*?|def|class|interface|struct|enum|trait|fn|type|module|impl)\s+([A-Za-z_$][\w$]*)/gm

/** What the text of an edit defines: functions, types and classes. */
function findDefinitions(fragment: string): readonly string[] {
  const names = new Set<string>()
  for (const [, name = ''] of fragment.matchAll(DEFINITION)) if (name.length <= MAX_NAME_CHARS) names.add(name)
  return [...names].slice(0, MAX_DEFINED)
}

/** The newest edits that succeeded, with what their text defines. */
export function withEdits(
  state: WorkState,
  { tool, outcome, subagent }: EventOf<'tool-finished'>,
  here: FoldLocation,
): WorkState {
  if (subagent !== undefined || tool.kind !== 'edit' || !outcome.ok || outcome.refused !== undefined) return state
  const defined = findDefinitions(tool.fragment ?? '')
  const added = tool.files.flatMap(({ path, action }): readonly EditRecord[] => {
    if (action === 'read') return []
    return [
      {
        path: relativePath(path, here) ?? path,
        action,
        order: state.order,
        ...(defined.length === 0 || !CODE.test(path) || action !== 'created' || tool.files.length > 1
          ? {}
          : { defined }),
      },
    ]
  })
  return added.length === 0 ? state : { ...state, edits: [...(state.edits ?? []), ...added].slice(-MAX_EDITS) }
}
