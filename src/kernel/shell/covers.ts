import { keyedCommands } from './command-key.ts'
import { folderOf, headOf } from './command.ts'

/** The whole of a project or package. */
const ALL_OF_IT: ReadonlySet<string> = new Set(['.', './...', '...'])

/** The words that say what a run was about, whatever it printed. */
function aboutOf(command: string): readonly string[] {
  const keys = keyedCommands(command).flatMap(({ key }) => key.split(' '))
  return keys.filter((word) => !ALL_OF_IT.has(word))
}

/** Whether a run of one command left out nothing that a run of the other was about. */
export function covers(wider: string, narrower: string): boolean {
  if (wider === narrower) return true
  if (headOf(wider) !== headOf(narrower) || folderOf(wider) !== folderOf(narrower)) return false
  const about = new Set(aboutOf(narrower))
  return aboutOf(wider).every((word) => about.has(word))
}
