import type { SessionEvent } from '../kernel/event.ts'
import type { Location } from '../kernel/location.ts'

/**
 * The event with real paths below the checkout: a harness that was started through a symlink names files
 * through it too, and these could not be made relative to the worktree.
 */
export function toCanonicalPaths(event: SessionEvent, place: Location | undefined): SessionEvent {
  if (place === undefined || place.project === place.worktree) return event
  const { project, worktree } = place
  const real = (path: string) =>
    path === project || path.startsWith(`${project}/`) ? `${worktree}${path.slice(project.length)}` : path
  const optional = (path: string | undefined) => (path === undefined ? {} : { cwd: real(path) })
  const here = optional(event.cwd)
  if (event.kind !== 'tool-started' && event.kind !== 'tool-finished') return { ...event, ...here }
  const files = event.tool.files.map((file) => ({ ...file, path: real(file.path) }))
  const tool = { ...event.tool, files, ...optional(event.tool.cwd) }
  if (event.kind === 'tool-started') return { ...event, ...here, tool }
  const { paths, hits, plan } = event.outcome
  const shown = {
    ...(paths && { paths: paths.map(real) }),
    ...(plan !== undefined && { plan: plan.split('\n').map(real).join('\n') }),
    ...(hits && { hits: Object.fromEntries(Object.entries(hits).map(([path, count]) => [real(path), count])) }),
  }
  return { ...event, ...here, tool, outcome: { ...event.outcome, ...shown } }
}
