import type { EraseReport } from '../../kernel/archive.ts'
import { post } from '../data/call.ts'
import { askFirst } from './confirm.tsx'
import { plural } from './format.ts'

function Report({ report }: { readonly report: EraseReport }) {
  return (
    <p>
      {plural(report.sessions, 'session')}, {plural(report.events, 'event')}, {plural(report.checkpoints, 'checkpoint')}
      , {plural(report.memories, 'memory', 'memories')}, {plural(report.injections, 'injection')} and{' '}
      {plural(report.archive, 'text')} of the search are deleted, and {plural(report.backups, 'backup')} of the whole
      store. This cannot be undone.
    </p>
  )
}

/** Counts first what would be deleted, then asks for the word. */
export async function askToErase(what: string, target: object, done: () => void): Promise<void> {
  const { report } = await post<{ report: EraseReport }>('/api/erase', { ...target, isPreview: true })
  askFirst({
    title: `Forget ${what}?`,
    text: <Report report={report} />,
    action: 'Forget everything of it',
    word: 'forget',
    run: async () => {
      await post('/api/erase', target)
      done()
    },
  })
}
