import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { waitUntil } from '../../support/product.ts'
import type { RunningClient } from './running-client.ts'
import type { Workspace } from './workspace.ts'

/** Where a command writes the id of its process, so that a test knows it runs and can end it. */
export function toolPidFile(workspace: Pick<Workspace, 'dir'>): string {
  return join(workspace.dir, 'tool.pid')
}

/** The process of the tool, once it runs. */
export async function untilToolRuns(workspace: Pick<Workspace, 'dir'>, patienceMs = 120_000): Promise<number> {
  const pid = async () => Number(await readFile(toolPidFile(workspace), 'utf8').catch(() => ''))
  await waitUntil(async () => (await pid()) > 0, 'the tool is running', patienceMs)
  return pid()
}

export interface MidTool {
  readonly running: RunningClient
  /** What the client started may outlive it. */
  readonly endTool: () => Promise<void>
}

/** Ends a process, or with a negative number its whole group; one that ended with its client is ignored. */
export function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
