import type { Connector } from '../src/harness/contract/connector.ts'
import { connectors, harnesses } from '../src/harness/registry.ts'
import { claudeCode } from '../test/clients/support/claude-code.ts'
import { codex } from '../test/clients/support/codex.ts'
import { geminiCli } from '../test/clients/support/gemini-cli.ts'
import { openClaw } from '../test/clients/support/openclaw.ts'
import { openCode } from '../test/clients/support/opencode.ts'
import { relay } from '../test/clients/support/shared-setup.ts'

/** The clients that `npm run test:clients` runs, as they are pinned there. */
const RUN = [claudeCode, codex, geminiCli, openCode, openClaw]

/** How the rest is known. A harness that is in neither list does not get a row by accident: the page is not written. */
const KNOWN_OTHERWISE: Readonly<Record<string, string>> = {
  cursor: 'vendor documentation; not run',
  windsurf: 'vendor documentation; not run',
  roo: 'vendor documentation; not run; the project is archived',
  generic: 'the descriptor in its guide, connected in the built product; refusals and answers as a descriptor says',
}

function proofOf({ id }: Connector): string {
  const client = RUN.find((pinned) => pinned.id === id)
  const proof = client === undefined ? KNOWN_OTHERWISE[id] : `run: ${client.package} ${client.version}`
  if (proof === undefined) throw new Error(`scripts/harness-matrix.ts does not say how ${id} is known to work.`)
  return proof
}

const yes = (isSo: boolean) => (isSo ? 'yes' : '–')

function rowOf(connector: Connector): string {
  const { capabilities, hooks, name, id } = connector
  const tells = (pattern: RegExp) => hooks.some(({ hook }) => pattern.test(hook))
  const cells = [
    `${name} (\`${id}\`)`,
    hooks.length === 0 ? '–' : 'yes',
    capabilities.recovery === 'at-session-start' ? 'at start' : 'on request, over MCP',
    yes(capabilities.promptInjection),
    yes(tells(/pre_?comp|compacting|before_compaction|compaction-started|preCompress|PreCompress/i)),
    yes(capabilities.compactionHint === true),
    yes(capabilities.compactionEvents),
    yes(tells(/session_?\.?end|sessionEnd|dispose|gateway_stop|session-ended|session\.deleted/i)),
    yes(capabilities.contextMeasured === true),
    yes(connector.writeRefusal !== undefined),
    capabilities.maxOutputChars === 0 ? '–' : String(capabilities.maxOutputChars),
    proofOf(connector),
  ]
  return `| ${cells.join(' | ')} |`
}

function relayed(): string {
  return relay.map(({ id, version }) => `${connectors.find((one) => one.id === id)?.name ?? id} ${version}`).join(' → ')
}

/** Harnesses without a connector. */
function listTranscriptOnly(): string {
  return harnesses.flatMap(({ id, connector }) => (connector === undefined ? [`\`${id}\``] : [])).join(', ')
}

/** What holds in which harness, from what each connector declares and what the tests run. */
export function harnessMatrix(): string {
  return `# What holds in which harness

Digests, memories, named checkpoints and the briefing are MCP tools and work wherever the MCP entry is connected. Where recovery is on request, the harness cannot be given text at a session's start: its rules and the server's instructions lead the agent to \`session_briefing\`, and \`holdfast status\` says so.

| harness | passive checkpoints | recovery | memories at a prompt | before a compaction | its summariser is advised | after a compaction | session end | how full its context is, at every turn | a tool can be refused | characters that arrive whole | proven by |
|---|---|---|---|---|---|---|---|---|---|---|---|
${connectors.map(rowOf).join('\n')}

"Run" means that \`npm run test:clients\` drives that version of the real program against a scripted model and asserts what reached the model and what is in the store.

Not connected, but their transcripts can be read by \`holdfast import --from\` and \`holdfast recover\`: ${listTranscriptOnly()} (the GitHub Copilot CLI).

## From one harness to another

One task in one worktree is passed through ${relayed()}. The first is killed during a tool call, the second is compacted; each gets a recovery of the work before it, and \`holdfast sessions timeline\` shows one lineage (\`test/clients/cross-harness.test.ts\`). What the same programs leave on the disk without Holdfast is what \`holdfast import\` reads (\`test/clients/import.test.ts\`).
`
}
