import type { ComponentType } from 'preact'
import type { PageProps } from '../nav/router.ts'

export interface PageEntry {
  readonly name: string
  readonly title: string
  /** Pressed after `g`. */
  readonly letter: string
  readonly group: 'Work' | 'History' | 'Knowledge' | 'Holdfast'
  /** Lines in a square of 16. */
  readonly icon: string
  readonly load: () => Promise<{ readonly Page: ComponentType<PageProps> }>
}

export const SEARCH_ICON = 'M11.5 7a4.5 4.5 0 1 1-9 0a4.5 4.5 0 1 1 9 0M10.3 10.3l4 4'

export const PAGES: readonly PageEntry[] = [
  {
    name: '',
    icon: 'M1.5 8h3l2-5 3 10 2-5h3',
    title: 'Now',
    letter: 'n',
    group: 'Work',
    load: () => import('../pages/now.tsx'),
  },
  {
    name: 'start',
    icon: 'M4 2.5v11l9-5.5z',
    title: 'If a session started',
    letter: 'i',
    group: 'Work',
    load: () => import('../pages/start.tsx'),
  },
  {
    name: 'injections',
    icon: 'M1.5 8h8M6.5 5l3 3-3 3M9.5 2.5h4v11h-4',
    title: 'Injections',
    letter: 'j',
    group: 'Work',
    load: () => import('../pages/injections.tsx'),
  },
  {
    name: 'outcomes',
    icon: 'M2.5 13.5v-4M6.2 13.5v-8M9.9 13.5v-5M13.5 13.5v-11',
    title: 'Outcomes',
    letter: 'o',
    group: 'Work',
    load: () => import('../pages/outcomes.tsx'),
  },
  {
    name: 'sessions',
    icon: 'M2 4h.01M5 4h9M2 8h.01M5 8h9M2 12h.01M5 12h9',
    title: 'Sessions',
    letter: 's',
    group: 'History',
    load: () => import('../pages/sessions.tsx'),
  },
  {
    name: 'lineage',
    icon: 'M6.5 3.5a2 2 0 1 1-4 0a2 2 0 1 1 4 0M6.5 12.5a2 2 0 1 1-4 0a2 2 0 1 1 4 0M13.5 5.5a2 2 0 1 1-4 0a2 2 0 1 1 4 0M4.5 5.5v5M11.5 7.5c0 3-3 3-5 4',
    title: 'Lineage',
    letter: 'l',
    group: 'History',
    load: () => import('../pages/lineage.tsx'),
  },
  {
    name: 'checkpoints',
    icon: 'M4 14.5v-13h8v13l-4-3.5z',
    title: 'Checkpoints',
    letter: 'c',
    group: 'History',
    load: () => import('../pages/checkpoints.tsx'),
  },
  {
    name: 'search',
    icon: SEARCH_ICON,
    title: 'Search',
    letter: 'f',
    group: 'Knowledge',
    load: () => import('../pages/search.tsx'),
  },
  {
    name: 'memories',
    icon: 'M3 2.5h8.5a1.5 1.5 0 0 1 1.5 1.5v9.5H4.5A1.5 1.5 0 0 1 3 12zM3 12a1.5 1.5 0 0 1 1.5-1.5H13M6 5.5h4',
    title: 'Memories and rules',
    letter: 'm',
    group: 'Knowledge',
    load: () => import('../pages/memories/memories.tsx'),
  },
  {
    name: 'tasks',
    icon: 'M2.5 2.5h11v11h-11zM5 8l2.2 2.2L11 6',
    title: 'Tasks',
    letter: 't',
    group: 'Knowledge',
    load: () => import('../pages/tasks.tsx'),
  },
  {
    name: 'privacy',
    icon: 'M8 1.5l5.5 2v4.2c0 3.2-2.3 5.6-5.5 6.8c-3.2-1.2-5.5-3.6-5.5-6.8V3.5z',
    title: 'Privacy',
    letter: 'p',
    group: 'Holdfast',
    load: () => import('../pages/privacy.tsx'),
  },
  {
    name: 'health',
    icon: 'M8 13.5C3 10 1.8 7.6 1.8 5.6A3.1 3.1 0 0 1 8 4.6a3.1 3.1 0 0 1 6.2 1c0 2-1.2 4.4-6.2 7.9z',
    title: 'Health',
    letter: 'h',
    group: 'Holdfast',
    load: () => import('../pages/health.tsx'),
  },
  {
    name: 'cost',
    icon: 'M13 4.5c0 1.1-2.2 2-5 2s-5-.9-5-2 2.2-2 5-2 5 .9 5 2zM3 4.5v7c0 1.1 2.2 2 5 2s5-.9 5-2v-7M3 8c0 1.1 2.2 2 5 2s5-.9 5-2',
    title: 'Cost',
    letter: 'k',
    group: 'Holdfast',
    load: () => import('../pages/cost.tsx'),
  },
  {
    name: 'first-run',
    icon: 'M8 2v7.5M4.8 6.5L8 9.7l3.2-3.2M2.5 13.5h11',
    title: 'Import history',
    letter: 'r',
    group: 'Holdfast',
    load: () => import('../pages/first-run.tsx'),
  },
  {
    name: 'team',
    icon: 'M8 5.5a2.5 2.5 0 1 1-5 0a2.5 2.5 0 1 1 5 0M1 13.5c.3-2.7 2-4 4.5-4s4.2 1.3 4.5 4M10.5 3.2a2.4 2.4 0 0 1 0 4.6M12 9.8c1.8.4 2.8 1.7 3 3.7',
    title: 'Team',
    letter: 'e',
    group: 'Holdfast',
    load: () => import('../pages/team.tsx'),
  },
]
