function claudeLine(n: number, session: string, message: object): string {
  const type = Reflect.get(message, 'role')
  const at = new Date(Date.UTC(2026, 0, 1, 0, 0, n)).toISOString()
  return JSON.stringify({
    uuid: `u-${session}-${n}`,
    sessionId: session,
    type,
    cwd: '/project',
    gitBranch: 'main',
    timestamp: at,
    message,
  })
}

/** A transcript of Claude Code: a prompt, then a command and a sentence for each of `turns`. */
export function claudeSession(session: string, turns = 1): string {
  const lines = [claudeLine(0, session, { role: 'user', content: `Speed up the ${session} path.` })]
  for (let turn = 0; turn < turns; turn += 1) {
    const id = `toolu_${session}_${turn}`
    const call = { type: 'tool_use', id, name: 'Bash', input: { command: `npm test -- part${turn}` } }
    const text = { type: 'text', text: `Ran part ${turn}.` }
    lines.push(claudeLine(3 * turn + 1, session, { role: 'assistant', content: [text, call] }))
    const result = { type: 'tool_result', tool_use_id: id, content: 'ok' }
    lines.push(claudeLine(3 * turn + 2, session, { role: 'user', content: [result] }))
  }
  return `${lines.join('\n')}\n`
}
