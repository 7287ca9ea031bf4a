import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type EntryCommands, entryCommandsEdit } from '../../install/edits/launcher-hooks.ts'
import { isProgramThere } from '../../install/installed-program.ts'
import { mcpEntryEdit } from '../../install/edits/json-entry.ts'
import { rulesEdit, skillCommandEdits } from '../../install/edits/own-file.ts'
import type { HarnessSetup, Scope, SetupPorts } from '../../install/contract/setup.ts'
import { AFTER_COMPACT, CURSOR } from './events.ts'

/** Cursor's hooks with the names we give them. */
const HOOKS: EntryCommands['hooks'] = [
  ['sessionStart', ['sessionStart']],
  ['beforeSubmitPrompt', ['beforeSubmitPrompt']],
  // Only tools that can change something: a tool that only reads is never warned about or refused.
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

function getFolder(ports: SetupPorts, scope: Scope): string {
  return join(scope === 'user' ? ports.env.HOME || ports.env.USERPROFILE || homedir() : ports.cwd, '.cursor')
}

const RULE_HEAD = '---\ndescription: Where this session was, and how to keep it\nalwaysApply: true\n---\n\n'

export const setup: HarnessSetup = {
  id: CURSOR,
  name: 'Cursor',
  scopes: ['user', 'project'],
  usesHttp: false,
  isPresent: (ports) => existsSync(getFolder(ports, 'user')) || isProgramThere(ports, ['cursor', 'cursor-agent']),
  edits(ports, scope) {
    const folder = getFolder(ports, scope)
    return [
      entryCommandsEdit({
        harness: CURSOR,
        ports,
        path: join(folder, 'hooks.json'),
        hooks: HOOKS,
        extra: { timeout: TIMEOUT_S },
        defaults: { version: 1 },
      }),
      mcpEntryEdit({ ports, path: join(folder, 'mcp.json') }),
      // A user's rules are in Cursor's own database; a project's are files.
      ...(scope === 'user' ? [] : [rulesEdit({ path: join(folder, 'rules', 'holdfast.mdc'), ports, head: RULE_HEAD })]),
      ...skillCommandEdits({ folder: join(folder, 'commands'), ports }),
    ]
  },
  remainingSteps: () => ['Restart Cursor, or reload its window, so that it reads its hooks.'],
  settingsFiles: (ports) => [
    join(getFolder(ports, 'user'), 'hooks.json'),
    join(getFolder(ports, 'project'), 'hooks.json'),
  ],
  findDisablingSetting: () => undefined,
}
