import type { CommitLine, GitHistory } from '../../kernel/ports/ports.ts'
import { type GitOptions, runGit } from './git.ts'

const MAX_NAMES = 60
const FIELDS = '%h%x1f%cI%x1f%s'

function commitOf(line: string): readonly CommitLine[] {
  const [id, at, ...subject] = line.split('\u001f')
  if (id === undefined || id === '' || at === undefined) return []
  return [{ id, at: new Date(at).toISOString(), subject: subject.join(' ') }]
}

/** A file name as a pathspec that means nothing but itself. */
function anywhere(baseName: string): string {
  return `:(glob)**/${baseName.replace(/[\\*?[\]]/g, String.raw`\$&`)}`
}

export function createGitHistory(options: GitOptions = {}): GitHistory {
  return {
    async log(worktree, count) {
      const args = ['log', `--max-count=${Math.max(1, Math.floor(count))}`, '--no-color', `--format=${FIELDS}`]
      const answer = await runGit(worktree, args, options)
      return answer?.exitStatus === 0 ? answer.stdout.split('\n').flatMap(commitOf) : undefined
    },

    async filesNamed(worktree, baseNames) {
      const names = baseNames.filter((name) => name !== '' && !/[\0/]/.test(name)).slice(0, MAX_NAMES)
      if (names.length === 0) return []
      const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...names.map(anywhere)]
      const answer = await runGit(worktree, args, options)
      return answer?.exitStatus === 0 ? answer.stdout.split('\0').filter((path) => path !== '') : undefined
    },
  }
}
