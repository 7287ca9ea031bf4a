import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { recoverCommand } from '../src/cli/commands/inspect/recover.ts'
import { DEFAULT_CONFIG } from '../src/kernel/config.ts'
import { resolveHome } from '../src/platform/base/home.ts'

const PAGE = 'docs/recovery.md'
/** Hand-made sessions in a folder that exists on no machine: nothing in their recoveries depends on the disk. */
const SESSIONS = 'test/fixtures/recovery-examples'

/** What `holdfast recover` prints for a transcript. */
async function recover(root: string, file: string): Promise<string> {
  const unused = () => Promise.reject(new Error('recover needs no daemon'))
  let printed = ''
  await recoverCommand.run({
    args: [file],
    options: {},
    context: {
      env: {},
      cwd: root,
      home: resolveHome({ HOME: root }),
      config: DEFAULT_CONFIG,
      io: {
        out: (text) => void (printed += text),
        err: (text) => {
          throw new Error(text)
        },
        stdin: process.stdin,
        isInteractive: false,
        hasColor: false,
      },
      continuity: unused,
      sync: unused,
      agentApi: unused,
    },
  })
  return printed
}

/** The page of recoveries with the block of each made-up session between its markers, by path from the root. */
export async function recoveryExamples(root: string): Promise<Readonly<Record<string, string>>> {
  let page = readFileSync(join(root, PAGE), 'utf8')
  for (const name of readdirSync(join(root, SESSIONS)).filter((file) => file.endsWith('.jsonl'))) {
    const open = `<!-- ${SESSIONS}/${name}: \`npm run docs\` writes what \`holdfast recover\` prints -->\n`
    const start = page.indexOf(open) + open.length
    const end = page.indexOf('<!-- end -->', start)
    if (start < open.length || end < 0) throw new Error(`${PAGE} has no lines ${open}<!-- end --> for the block.`)
    const block = await recover(root, `${SESSIONS}/${name}`)
    page = `${page.slice(0, start)}\`\`\`text\n${block}\`\`\`\n${page.slice(end)}`
  }
  return { [PAGE]: page }
}
