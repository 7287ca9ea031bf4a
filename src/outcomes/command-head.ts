import { folderOf, headOf, inFolder } from '../kernel/shell/command.ts'

/** What names a command and where it runs, as a line that tells it has it: `npm test`, `cd packages/a && npm test`. */
export function placedHeadOf(command: string): string {
  const folder = folderOf(command)
  const head = headOf(command)
  return folder === '' ? head : inFolder(folder, head).slice(1, -1)
}
