import { saidIn } from '../agent-door/said-in-summary.ts'
import type { Item } from './item.ts'
import { namedThingsIn } from './named-things.ts'
import type { CheckedView } from './recheck.ts'
import { WEIGHTS } from './weights.ts'

const MAX_SHOWN = 3

function contradiction(text: string, origin: string): Item {
  return {
    section: 'contradicted',
    text,
    value: WEIGHTS.section.contradicted,
    origin,
    reason: 'what the disk says otherwise',
  }
}

/** What was written down for the next session and is not so on this disk, now. */
export function contradictionItems({ view, named, isChecked }: CheckedView): readonly Item[] {
  if (!isChecked) return []
  const note = view.written?.summary ?? ''
  const next = view.written?.nextAction ?? view.nextAction ?? ''
  const spokenOf = new Set([...saidIn(note).paths, ...namedThingsIn(next).places.map(({ path }) => path)])
  const gone = (thing: string) => named.get(thing) === 'gone'
  const { commands, commits } = namedThingsIn(`${note}\n${next}`)
  return [
    ...[...spokenOf].filter(gone).map((path) => contradiction(`${path} is spoken of as there, but is gone`, 'files')),
    ...commits
      .filter(gone)
      .map((commit) => contradiction(`commit ${commit} is named, but this repository does not have it`, 'git')),
    ...commands
      .filter((command) => gone(`\`${command}\``))
      .map((command) => contradiction(`\`${command}\` is named, but is no longer defined`, 'commands')),
  ].slice(0, MAX_SHOWN)
}
