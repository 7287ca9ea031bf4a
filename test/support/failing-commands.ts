import { type Bench, here, told } from './continuity-setup.ts'
import { anEvent } from './events.ts'

export const ERROR = 'TypeError: settle is not a function'

export function shell(command: string) {
  return { name: 'Bash', kind: 'shell', files: [], command } as const
}

export async function run(bench: Bench, command: string, exitStatus: number, who: object = here): Promise<void> {
  const outcome = { ok: exitStatus === 0, exitStatus, output: exitStatus === 0 ? 'fine' : ERROR }
  const at = bench.ports.time.now()
  await bench.continuity.record(anEvent('tool-finished', { ...who, at, tool: shell(command), outcome }))
}

export async function edit(bench: Bench, path: string, who: object = here): Promise<void> {
  const tool = { name: 'Edit', kind: 'edit', files: [{ path, action: 'edited' }] } as const
  await bench.continuity.record(anEvent('tool-finished', { ...who, at: bench.ports.time.now(), tool }))
}

export function aboutTo(bench: Bench, command: string, who: object): Promise<string> {
  return told(bench, anEvent('tool-started', { ...who, tool: shell(command) }))
}
