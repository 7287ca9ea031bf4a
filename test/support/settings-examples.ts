import { extname } from 'node:path'

/** Files as people have them, by kind: comments, odd indentation, other tools' entries, a BOM, Windows newlines. */
const JSON_FILES: readonly string[] = [
  '{}',
  '{}\n',
  '{\n}\n',
  '',
  '\uFEFF{\n  "model": "opus"\n}\n',
  '{"numStartups":41,"mcpServers":{"github":{"command":"npx","args":["-y","server"]}},"projects":{"/a":{"history":[]}}}',
  '{\n\t"env": {"A": "b"},\n\t"mcpServers": {},\n\t"hooks": {"Stop": []}\n}',
  '{\r\n    "hooks": {\r\n        "SessionStart": [\r\n            {"hooks": [{"type": "command", "command": "other-tool start"}]}\r\n        ]\r\n    }\r\n}\r\n',
  '{\n  // mine, and it stays\n  "theme": "dark", /* so */\n  "hooks": {\n    "PreToolUse": [\n      {"matcher": "Bash", "hooks": [{"type": "command", "command": "guard"}]}, // last\n    ],\n  },\n}\n',
  '{\n   "mcpServers": {\n      "a": {\n         "url": "http://127.0.0.1:1/"\n      }\n   },\n   "mcp": {"b": {"type": "local", "command": ["b"]}},\n   "plugin": ["other-plugin"]\n}\n',
]

const TOML_FILES: readonly string[] = [
  '',
  'model = "o5"\n',
  '# mine\nmodel = "o5"\n\n[mcp_servers.github]\ncommand = "npx"\nargs = ["-y", "server"]\n',
  '\uFEFFapproval_policy = "never"\r\n[projects."/a"]\r\ntrust_level = "trusted"\r\n',
  '[tui]\nnotifications = true # no end of line',
]

const MARKDOWN_FILES: readonly string[] = [
  '',
  '# Rules\n\n- Be brief.\n',
  '# Rules\r\n\r\n- Be brief.\r\n\r\n',
  'no end of line',
  '\uFEFF# Ours\n\n```js\nconst a = 1\n```\n\n\n',
]

/** What may have stood in a file of this name before us. */
export function examplesFor(path: string): readonly string[] {
  const kind = extname(path)
  if (kind === '.toml') return TOML_FILES
  return kind === '.json' || kind === '.jsonc' || kind === '.json5' ? JSON_FILES : MARKDOWN_FILES
}

/** Edits that do not depend on what else is in the file. */
export const editsFor: Readonly<Record<string, readonly ((text: string) => string)[]>> = {
  json: [
    (text) => `${text}\n// added below\n`,
    (text) => (text.startsWith('\uFEFF') ? text.replace('\uFEFF', '\uFEFF// above\n') : `// above\n${text}`),
    (text) => text.replaceAll('dark', 'light').replaceAll('other-tool', 'another-tool'),
  ],
  toml: [
    (text) => (text.startsWith('\uFEFF') ? text : `# above\n${text}`),
    (text) => `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}[zz]\na = 1\n`,
  ],
  md: [(text) => `Above.\n\n${text}`, (text) => text.replaceAll('Be brief', 'Be short')],
}

export function kindOf(path: string): string {
  const kind = extname(path)
  return kind === '.toml' ? 'toml' : kind.startsWith('.json') ? 'json' : 'md'
}
