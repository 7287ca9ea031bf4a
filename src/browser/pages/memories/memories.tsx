import { useFolder } from '../../data/use-folder.ts'
import { link, type PageProps } from '../../nav/router.ts'
import { EmptyState, Loaded, PageHead } from '../../parts/basics.tsx'
import { formatProject } from '../../parts/format.ts'
import { MemoryList } from './memory-list.tsx'
import { MemoryPage } from './memory.tsx'
import { Review } from './review.tsx'
import { Rules } from './rules.tsx'

const TABS = [
  ['', 'Memories'],
  ['review', 'Review inbox'],
  ['rules', 'Rules'],
] as const

export function Page({ place, cwd }: PageProps) {
  const chosen = useFolder(cwd)
  const [, section = ''] = place.segments
  const isTab = TABS.some(([name]) => name === section)
  return (
    <Loaded query={chosen}>
      {({ folder, projects }) => {
        if (!isTab) return <MemoryPage id={section} cwd={folder} />
        return (
          <>
            <PageHead
              title="Memories and rules"
              lead="What is stored beyond its session: decisions, preferences, facts, lessons and failed approaches, and the rules that you gave."
            />
            <nav class="tabs" aria-label="Parts of this page">
              {TABS.map(([name, title]) => (
                <a
                  key={name}
                  href={link(name === '' ? ['memories'] : ['memories', name])}
                  aria-current={name === section ? 'page' : undefined}
                >
                  {title}
                </a>
              ))}
            </nav>
            {folder === undefined ? (
              <EmptyState title="No project has been seen yet">
                <p>
                  Memories belong to a project. Connect a harness with <code>holdfast init</code> and start it in one.
                </p>
              </EmptyState>
            ) : (
              <>
                {cwd === undefined && projects.length > 1 && (
                  <p class="note">
                    Project <strong>{formatProject(folder)}</strong>, of your latest session; choose another above.
                  </p>
                )}
                {section === 'review' && <Review cwd={folder} />}
                {section === 'rules' && <Rules cwd={folder} />}
                {section === '' && <MemoryList cwd={folder} place={place} />}
              </>
            )}
          </>
        )
      }}
    </Loaded>
  )
}
