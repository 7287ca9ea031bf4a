import { getChecklist } from '../../../agent-api/checklist/io/checklist-file.ts'
import { findDiscrepancies } from '../../../agent-api/checklist/io/discrepancies.ts'
import { projectReader } from '../../../agent-api/checklist/io/project-reader.ts'
import { messageOf } from '../../../kernel/errors.ts'
import { countByStatus, currentItem, type Discrepancy, ITEM_STATUSES } from '../../../kernel/checklist.ts'
import { isSet, textOption } from '../../shared/arguments.ts'
import { checklistWorld } from './checklist-ports.ts'
import type { CliCommand, CliIo } from '../../shared/command.ts'
import { colorsOf, count, oneLine, printJson, printLine, table } from '../../shared/output.ts'

function printDiscrepancies(io: CliIo, found: readonly Discrepancy[]): void {
  if (found.length === 0) return
  const { yellow, dim } = colorsOf(io)
  printLine(io)
  printLine(io, yellow(`${count(found.length, 'discrepancy', 'discrepancies')}: ticked, and something says otherwise`))
  for (const { text, reason, where, detail } of found)
    printLine(io, `  ${oneLine(text, 60)}\n    ${reason} ${dim(oneLine(`${where}  ${detail}`, 110))}`)
}

export const checklistShowCommand: CliCommand = {
  name: 'checklist show',
  summary: 'the items of CHECKLIST.md, and which ticked ones look undone',
  configure(command) {
    command.option('--file <path>', 'another file of the project').option('--all', 'also what is done and verified')
  },
  async run({ options, context }) {
    const { root, evidence } = await checklistWorld(context)
    const { path, items } = getChecklist(root, textOption(options, 'file'))
    const discrepancies = await findDiscrepancies({
      root,
      items,
      evidence: await evidence.list().catch((thrown: unknown) => {
        context.io.err(`Shown without what was verified before: ${messageOf(thrown)}\n`)
        return []
      }),
      files: projectReader(root),
    })
    const counts = countByStatus(items)
    const current = currentItem(items)
    if (isSet(options, 'json')) {
      const plain = items.map(({ id, section, text, status, line }) => ({ id, section, text, status, line }))
      printJson(context.io, { path, total: items.length, counts, currentId: current?.id, items: plain, discrepancies })
      return 0
    }
    const { bold, dim } = colorsOf(context.io)
    const said = ITEM_STATUSES.filter((status) => counts[status] > 0).map((status) => `${counts[status]} ${status}`)
    printLine(
      context.io,
      `${bold(path)}: ${count(items.length, 'item')}${said.length > 0 ? `, ${said.join(', ')}` : ''}`,
    )
    const shown = items.filter(({ status }) => isSet(options, 'all') || (status !== 'done' && status !== 'verified'))
    context.io.out(
      table(
        shown.map((item) => [
          item === current ? '>' : ' ',
          dim(item.id),
          item.status,
          dim(oneLine(item.section, 24)),
          oneLine(item.text, 70),
        ]),
      ),
    )
    printDiscrepancies(context.io, discrepancies)
    return 0
  },
}
