import type { Verdict } from '../injection.ts'
import type { RecoveryView } from './fold.ts'
import { namedThingsIn } from './named-things.ts'
import type { RecheckPorts } from './recheck.ts'
import { scriptNameOf } from './script-name.ts'

const MAX_PATHS = 20
const MAX_COMMITS = 6
const MAX_LINES_BYTES = 400_000
const MAX_MANIFEST_BYTES = 200_000

/** What became of the things that sentences name, by the thing; `path:line` where a line was named. */
export type NamedVerdicts = Map<string, Verdict>

/** Sentences whose truth may hang on a file, a command or a commit. */
function sentencesOf({ written, nextAction, waitingFor, work }: RecoveryView): readonly string[] {
  return [
    ...(written === undefined
      ? []
      : [written.summary, ...(written.nextAction === undefined ? [] : [written.nextAction])]),
    ...(nextAction === undefined ? [] : [nextAction]),
    ...(waitingFor === undefined ? [] : [waitingFor]),
    ...work.todos.filter(({ status }) => status !== 'completed').map(({ text }) => text),
    ...work.decisions.map(({ decision, rationale }) => `${decision} ${rationale ?? ''}`),
    ...work.blockers,
    ...work.errors.map(({ text }) => text),
  ]
}

/** Gone only where it was seen there before: a file that nobody saw may be one that is still to be made. */
async function verdictOnPlace(
  { path, line }: { readonly path: string; readonly line?: number },
  known: ReadonlyMap<string, Verdict>,
  wasThere: boolean,
  { files, worktree }: RecheckPorts,
): Promise<Verdict> {
  const before = known.get(path)
  const facts = before === 'gone' ? undefined : await files.facts(`${worktree}/${path}`)
  if (facts === undefined) return before === 'gone' || wasThere ? 'gone' : 'cannot-tell'
  if (line === undefined) return before ?? 'holds'
  if (before === 'holds' || before === 'changed') return before
  const text = facts.size > MAX_LINES_BYTES ? undefined : await files.readText(`${worktree}/${path}`, MAX_LINES_BYTES)
  if (text === undefined) return 'cannot-tell'
  // Whether it is the same line nobody can tell without what it held then; that it cannot be there, a count tells.
  return text.split('\n').length < line ? 'changed' : 'cannot-tell'
}

/** Whether the manifest that would define a command still does; undefined where none would. */
export async function verdictOnCommand(
  command: string,
  manifests: Map<string, Promise<string | undefined>>,
  { files, worktree }: RecheckPorts,
): Promise<Verdict | undefined> {
  const script = scriptNameOf(command)
  if (script === undefined) return undefined
  const path = `${worktree}/${script.manifest}`
  const reading = manifests.get(path) ?? files.readText(path, MAX_MANIFEST_BYTES)
  manifests.set(path, reading)
  const manifest = await reading
  if (manifest === undefined) return script.isFile === true ? 'gone' : undefined
  return script.isDefinedIn(manifest) ? 'holds' : 'gone'
}

/** Fills `verdicts` as it goes: whoever runs out of time keeps what was found until then. */
export async function recheckNamed(
  view: RecoveryView,
  ports: RecheckPorts,
  {
    files,
    manifests,
    verdicts,
  }: {
    readonly files: ReadonlyMap<string, Verdict>
    readonly manifests: Map<string, Promise<string | undefined>>
    readonly verdicts: NamedVerdicts
  },
): Promise<void> {
  const things = sentencesOf(view).map(namedThingsIn)
  const wasThere = new Set(
    view.work.files
      .filter(({ action, reads, edits }) => action !== 'deleted' && reads + edits > 0)
      .map(({ path }) => path),
  )
  const deleted = new Set(view.work.files.filter(({ action }) => action === 'deleted').map(({ path }) => path))
  const places = things.flatMap((thing) => thing.places).filter(({ path }) => !deleted.has(path))
  for (const place of places.slice(0, MAX_PATHS)) {
    const key = place.line === undefined ? place.path : `${place.path}:${place.line}`
    if (!verdicts.has(key)) verdicts.set(key, await verdictOnPlace(place, files, wasThere.has(place.path), ports))
  }
  for (const command of new Set(things.flatMap((thing) => thing.commands))) {
    const verdict = await verdictOnCommand(command, manifests, ports)
    if (verdict !== undefined) verdicts.set(`\`${command}\``, verdict)
  }
  for (const commit of [...new Set(things.flatMap((thing) => thing.commits))].slice(0, MAX_COMMITS)) {
    const isHere = await ports.git.hasCommit?.(ports.worktree, commit)
    verdicts.set(commit, isHere === undefined ? 'cannot-tell' : isHere ? 'holds' : 'gone')
  }
}

const WORST: readonly Verdict[] = ['gone', 'changed', 'cannot-tell', 'holds']

/** What a sentence is worth now: as little as the worst of the things it names; undefined when nothing in it can be checked. */
export function verdictOnText(text: string, verdicts: ReadonlyMap<string, Verdict>): Verdict | undefined {
  const { places, commands, commits } = namedThingsIn(text)
  const found = [
    ...places.map(({ path, line }) => verdicts.get(line === undefined ? path : `${path}:${line}`)),
    ...commands.map((command) => verdicts.get(`\`${command}\``)),
    ...commits.map((commit) => verdicts.get(commit)),
  ]
  return WORST.find((verdict) => found.includes(verdict))
}
