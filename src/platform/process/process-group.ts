/** Ends a process that leads a group of its own, and everything in that group. */
export function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
  } catch {
    // It ended by itself meanwhile.
  }
}
