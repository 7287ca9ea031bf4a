/** Programs that serve until they are stopped. */
const SERVER_COMMAND = new RegExp(
  [
    String.raw`\b(?:npm|pnpm|yarn|bun)(?:\s+(?:--?[\w-]+(?:[= ]\S+)?|-C \S+))*\s+(?:run\s+)?(?:[\w-]*:)?(?:dev|start|serve|preview|storybook)(?![\w:-])`,
    String.raw`\bpython3?\s+-m\s+http\.server\b`,
    String.raw`\bmanage\.py\s+runserver\b`,
    String.raw`\b(?:flask|rails|hugo|mkdocs|jekyll|php\s+artisan|ng|wrangler|expo|netlify|vercel)\s+(?:run|server?|dev|start)\b`,
    String.raw`\b(?:uvicorn|gunicorn|hypercorn|nodemon|http-server|live-server|json-server|webpack-dev-server|caddy|nginx|redis-server|mongod)\b`,
    String.raw`\b(?:vite|next|nuxt|astro|remix|tauri)\s+dev\b`,
    String.raw`\bnpx\s+(?:vite|serve)\b`,
    String.raw`\bphp\s+-S\b`,
    String.raw`\bdocker(?:-|\s+)compose\s+(?:-f\s+\S+\s+)?up\b`,
    String.raw`\b(?:node|deno run|bun|tsx|ruby|python3?)\s+\S*(?:server|serve|api|mock)\S*`,
  ].join('|'),
)

export function isServerCommand(command: string): boolean {
  return SERVER_COMMAND.test(command)
}

/** The part of a command line that serves, without redirections; the whole line where no part does. */
export function getServerPart(command: string): string {
  const part = command.split(/\n|;|&&|\|\||(?<![&>|])&(?![&>\d])/).find(isServerCommand) ?? command
  return part.replace(/\s*(?:\d?>&?|&>)\s*\S+/g, '').trim()
}

/** `command &`: the shell that started it has ended, the command has not. Not `&&`, `2>&1` or `&>`. */
export function isDetached(command: string): boolean {
  return /(?:^|[^&>|])&(?![&>\d])/.test(command)
}

const PORT_IN_COMMAND =
  /(?:--port[= ]|\s-p[= ]?|\bPORT=|\bhttp\.server\s+|\brunserver\s+(?:\S+:)?|\blocalhost:|\b127\.0\.0\.1:|\b0\.0\.0\.0:)(\d{2,5})\b/
const PORT_IN_OUTPUT = [
  /https?:\/\/(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):(\d{2,5})/i,
  /\b(?:listening|serving|running|started|ready|available)\b[^\n]{0,80}?(?:port |:(?=\d{4}))(\d{2,5})\b/i,
] as const

const MAX_PORT = 65_535

function toPort(digits: string | undefined): number | undefined {
  const port = Number(digits)
  return port > 0 && port <= MAX_PORT ? port : undefined
}

/** The port that a server says it listens on; else the one that its command gives it. */
export function findPort(command: string, output: string): number | undefined {
  for (const pattern of PORT_IN_OUTPUT) {
    const port = toPort(pattern.exec(output)?.[1])
    if (port !== undefined) return port
  }
  return toPort(PORT_IN_COMMAND.exec(command)?.[1])
}

/** The process id that a command printed for what it started: `echo $!`, `echo "PID=$!"`. */
export function findPid(command: string, output: string): number | undefined {
  const printed = /\b(?:echo|printf)\b[^;&\n]*\$!/.test(command)
    ? /(?<![\w.])(\d{2,7})\s*$/.exec(output)?.[1]
    : undefined
  const pid = Number(/\bPID[=: ]+(\d{2,7})\b/i.exec(output)?.[1] ?? printed)
  return pid > 1 ? pid : undefined
}

/** It outlives the shell that starts it, and no process waits for it. */
export function isLeftBehind(command: string): boolean {
  return isDetached(command) && /\b(?:nohup|setsid|disown)\b/.test(command) && !/\bwait\b/.test(command)
}

export interface StoppedServer {
  readonly ports: readonly number[]
  readonly pids: readonly number[]
  /** Parts of command lines. */
  readonly names: readonly string[]
}

/** What a command stops. */
export function findStopped(command: string): StoppedServer | undefined {
  if (!/\b(?:kill|pkill|killall|fuser)\b|\bcompose\s+(?:-f\s+\S+\s+)?(?:down|stop)\b/.test(command)) return undefined
  const numbers = (pattern: RegExp) => [...command.matchAll(pattern)].flatMap(([, digits]) => Number(digits))
  return {
    ports: [...numbers(/\blsof\b[^|;)&]*?:(\d{2,5})\b/g), ...numbers(/\bfuser\s+-k\S*\s+(\d{2,5})\/tcp/g)],
    pids: numbers(/\bkill\s+(?:-\w+\s+)*(\d{2,7})\b/g),
    names: [
      ...[
        ...command.matchAll(
          /\b(?:pkill|pgrep|killall)\s+(?:-\S+\s+)*["']?([^"'|;&\n]+?)["']?(?=\s*(?:$|[|;&)\n]|2>))/g,
        ),
      ].flatMap(([, name]) => (name === undefined || name.length < 3 ? [] : [name])),
      ...(/\bcompose\b/.test(command) ? ['compose'] : []),
    ],
  }
}
