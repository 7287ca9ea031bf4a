const numbers = new Intl.NumberFormat('en')

export const formatNumber = (value: number): string => numbers.format(value)

/** `1.2k`, for a place with little room. */
export function formatCompact(value: number): string {
  if (value < 1_000) return String(Math.round(value))
  return value < 1_000_000
    ? `${(value / 1_000).toFixed(value < 10_000 ? 1 : 0)}k`
    : `${(value / 1_000_000).toFixed(1)}M`
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.ceil(bytes / 1_000)} KB`
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`
}

export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  const seconds = ms / 1_000
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`
  const minutes = seconds / 60
  if (minutes < 60) return `${Math.round(minutes)} min`
  const hours = minutes / 60
  return hours < 48 ? `${hours.toFixed(1)} h` : `${Math.round(hours / 24)} days`
}

export function formatAge(at: string, now: number): string {
  const seconds = Math.round((now - Date.parse(at)) / 1_000)
  if (Number.isNaN(seconds)) return at
  if (seconds < 5) return 'just now'
  if (seconds < 60) return `${seconds} s ago`
  if (seconds < 3_600) return `${Math.round(seconds / 60)} min ago`
  if (seconds < 86_400) return `${Math.round(seconds / 3_600)} h ago`
  const days = Math.round(seconds / 86_400)
  return days < 31 ? `${days} d ago` : new Date(at).toLocaleDateString('en-CA')
}

/** `2026-11-13 05:21:26`, in the time zone of the reader. */
export const formatLocal = (at: string): string => new Date(at).toLocaleString('sv-SE')

/** The exact moment, in the time zone of the reader and in UTC. */
export function formatExact(at: string): string {
  return Number.isNaN(Date.parse(at)) ? at : `${formatLocal(at)} (${at})`
}

export const formatClock = (at: string): string => new Date(at).toLocaleTimeString('sv-SE')

/** `src/api` of `/home/me/work/shop/src/api`, relative to a folder it is in. */
export function toRelative(path: string, folder: string | undefined): string {
  return folder !== undefined && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path
}

export const lastSegment = (path: string): string => path.replace(/\/+$/, '').split('/').at(-1) ?? path

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`

/** A project without a remote is named by its path: its last folder is enough. */
export const formatProject = (project: string): string => (project.startsWith('/') ? lastSegment(project) : project)

/** `failed approach` for the type `failed_approach` of a memory. */
export const formatType = (type: string): string => type.replaceAll('_', ' ')

/** A reason as a sentence. */
export const toSentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`

const SOURCES: Readonly<Record<string, string>> = {
  cli: 'from the command line',
  mcp: 'from an agent',
  observed: 'observed by Holdfast',
  checkpoint: 'from a checkpoint',
}

/** Who or what stored a memory. */
export const describeSource = (source: string): string => SOURCES[source] ?? `from ${source}`

export const describeUse = (hits: number): string => (hits === 0 ? 'never used' : `used ${plural(hits, 'time')}`)
