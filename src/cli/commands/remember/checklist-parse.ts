import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseChecklist } from '../../../agent-api/checklist/parse.ts'
import { HoldfastError, messageOf } from '../../../kernel/errors.ts'
import { isSet } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { oneLine, printJson, table } from '../../shared/output.ts'

const MAX_BYTES = 16_000_000

async function readText(path: string): Promise<string> {
  try {
    const facts = await stat(path)
    if (!facts.isFile()) throw new HoldfastError('invalid-input', `${path} is not a file.`)
    if (facts.size > MAX_BYTES) throw new HoldfastError('too-large', `${path} has ${facts.size} bytes.`)
    return await readFile(path, 'utf8')
  } catch (cause) {
    if (cause instanceof HoldfastError) throw cause
    throw new HoldfastError('not-found', `Cannot read ${path}: ${messageOf(cause)}`, { cause })
  }
}

export const checklistParseCommand: CliCommand = {
  name: 'checklist parse',
  summary: 'the items of any Markdown file; needs no daemon',
  configure(command) {
    command
      .argument('<file>', 'a Markdown file')
      .addHelpText('after', '\nExample:\n  $ holdfast checklist parse CHECKLIST.md --json')
  },
  async run({ args: [file = ''], options, context }) {
    const items = parseChecklist(await readText(resolve(context.cwd, file)))
    if (isSet(options, 'json'))
      printJson(
        context.io,
        items.map(({ id, section, text, status, line }) => ({ id, section, text, status, line })),
      )
    else
      context.io.out(
        table(
          items.map(({ id, section, text, status, line }) => [
            id,
            String(line),
            status,
            oneLine(section, 24),
            oneLine(text, 70),
          ]),
        ),
      )
    return 0
  },
}
