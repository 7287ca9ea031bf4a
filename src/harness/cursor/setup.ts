import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type EntryCommands, entryCommandsPiece } from '../../install/edits/entry-commands.ts'
import { isProgramThere } from '../../install/installed-program.ts'
import { listOf, objectOf } from '../../kernel/json-shape.ts'
import { jsonEntryPiece } from '../../install/edits/json-entry.ts'
import { isOurMcpServer, MCP_SERVER, mcpServer } from '../../install/edits/mcp-server.ts'
import { rulesPiece, skillCommandPieces } from '../../install/edits/rules.ts'
import type { HarnessSetup, Scope, SetupWorld } from '../../install/contract/setup.ts'
import { AFTER_COMPACT, CURSOR } from './events.ts'

/** Ours by Cursor's; in seconds, far above our own deadlines. */
const HOOKS: EntryCommands['hooks'] = [
  ['sessionStart', ['sessionStart']],
  ['beforeSubmitPrompt', ['beforeSubmitPrompt']],
  // Only what can change something: tools that read are never warned about or refused.
  ['preToolUse', ['preToolUse'], { matcher: 'Shell|Write|StrReplace|Edit|Delete|Task|MCP' }],
  ['postToolUse', ['postToolUse']],
  ['postToolUseFailure', ['postToolUseFailure']],
  ['afterAgentResponse', ['afterAgentResponse']],
  ['subagentStart', ['subagentStart']],
  ['subagentStop', ['subagentStop']],
  ['preCompact', ['preCompact', AFTER_COMPACT]],
  ['stop', ['stop']],
  ['sessionEnd', ['sessionEnd']],
]
const TIMEOUT_S = 10

function folderOf(world: SetupWorld, scope: Scope): string {
  return join(scope === 'user' ? world.env.HOME || world.env.USERPROFILE || homedir() : world.cwd, '.cursor')
}

const RULE_HEAD = '---\ndescription: Where this session was, and how to keep it\nalwaysApply: true\n---\n\n'

export const cursorSetup: HarnessSetup = {
  id: CURSOR,
  name: 'Cursor',
  scopes: ['user', 'project'],
  usesHttp: false,
  isPresent: (world) => existsSync(folderOf(world, 'user')) || isProgramThere(world, ['cursor', 'cursor-agent']),
  pieces(world, scope) {
    const folder = folderOf(world, scope)
    return [
      entryCommandsPiece({
        harness: CURSOR,
        world,
        path: join(folder, 'hooks.json'),
        hooks: HOOKS,
        extra: { timeout: TIMEOUT_S },
        defaults: { version: 1 },
      }),
      jsonEntryPiece({
        id: 'mcp',
        kind: 'mcp',
        path: join(folder, 'mcp.json'),
        at: ['mcpServers'],
        key: MCP_SERVER,
        value: mcpServer(world),
        isOurs: (value) => isOurMcpServer(objectOf(value).command, listOf(objectOf(value).args)),
      }),
      // A user's rules are kept in Cursor's own database; a project's are files.
      ...(scope === 'user'
        ? []
        : [rulesPiece({ path: join(folder, 'rules', 'holdfast.mdc'), world, head: RULE_HEAD })]),
      ...skillCommandPieces({ folder: join(folder, 'commands'), world }),
    ]
  },
  remainingSteps: () => ['Restart Cursor, or reload its window, so that it reads its hooks.'],
  settingsFiles: (world) => [
    join(folderOf(world, 'user'), 'hooks.json'),
    join(folderOf(world, 'project'), 'hooks.json'),
  ],
  findSilencer: () => undefined,
}
