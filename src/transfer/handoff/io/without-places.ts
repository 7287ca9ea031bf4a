import type { Redactor } from '../../../kernel/ports.ts'
import type { Place } from '../../../kernel/project.ts'

export interface Places {
  /** Folders that the receiver's checkout stands for. */
  readonly checkouts: readonly string[]
  /** The person's own folder. */
  readonly userHome: string
}

/** Every folder by which a place names its checkout, where it was before included. */
export function foldersOf({ project, projectNormalized, worktree, formerWorktree }: Place): readonly string[] {
  return [project, projectNormalized, worktree, ...(formerWorktree === undefined ? [] : [formerWorktree])]
}

function escaped(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)
}

const ON_WINDOWS = /^([A-Za-z]):[\\/]|^\\\\/

/** However a program of Windows writes it: either separator, doubled where a text quotes it, and `/c/` in Git Bash. */
function windowsFolder(folder: string): RegExp {
  const [drive = '', ...names] = folder.split(/[\\/]+/)
  const first = drive === '' ? '' : String.raw`(?:${escaped(drive)}|\/${escaped(drive.slice(0, 1))})`
  const way = [first, ...names].map((name, n) => (n === 0 ? name : escaped(name))).join(String.raw`[\\/]{1,2}`)
  return new RegExp(String.raw`(?<![\w.-])${way}(?![\w.-])([\\/]{1,2}(?=[\w.@~-]))?`, 'gi')
}

/** Where the folder itself is meant, not one whose name begins like it. */
function asFolder(folder: string): RegExp {
  if (ON_WINDOWS.test(folder)) return windowsFolder(folder.replace(/[\\/]+$/, ''))
  return new RegExp(String.raw`(?<![\w.-])${escaped(folder)}(?![\w.-])(\/(?=[\w.@~-]))?`, 'g')
}

function byLength(a: string, b: string): number {
  return b.length - a.length
}

/** Also leaves out where on this machine things are: what was in the checkout is relative to it, the rest of a home is `~`. */
export function withoutPlaces(redactor: Redactor, { checkouts, userHome }: Places): Redactor {
  const isFolder = (path: string) => path.length > 1
  const here = [...new Set(checkouts)].filter(isFolder).toSorted(byLength).map(asFolder)
  const home = [userHome].filter(isFolder).map(asFolder)
  const clean = (text: string): string => {
    const inCheckout = here.reduce(
      (left, folder) => left.replaceAll(folder, (_, slash?: string) => (slash === undefined ? '.' : '')),
      text,
    )
    return home.reduce((left, folder) => left.replaceAll(folder, (_, slash?: string) => `~${slash ?? ''}`), inCheckout)
  }
  return {
    findings: (text) => redactor.findings(text),
    isPiece: (text) => redactor.isPiece(text),
    redact: (text) => clean(redactor.redact(text)),
    redactAll: (texts) => redactor.redactAll(texts).map(clean),
  }
}
