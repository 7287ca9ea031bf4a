import type { ChildProcess } from 'node:child_process'

/** A client that was started and may be killed. */
export class RunningClient {
  readonly done: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>

  constructor(readonly child: ChildProcess) {
    let stdout = ''
    let stderr = ''
    child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
    child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
    // One that dies before it has read its prompt breaks the pipe; its end says the rest.
    child.stdin?.on('error', () => undefined)
    this.done = new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code) => resolve({ code, stdout, stderr }))
    })
  }

  /** Leaves it no moment for a last word. */
  async killHard(): Promise<void> {
    this.child.kill('SIGKILL')
    await this.done
  }
}
