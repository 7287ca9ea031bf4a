import type { ComponentType } from 'preact'
import type { PageProps } from '../nav/router.ts'

export interface PageEntry {
  readonly name: string
  readonly title: string
  /** Pressed after `g`. */
  readonly letter: string
  readonly group: 'Work' | 'History' | 'Knowledge' | 'Holdfast'
  readonly load: () => Promise<{ readonly Page: ComponentType<PageProps> }>
}

export const PAGES: readonly PageEntry[] = [
  { name: '', title: 'Now', letter: 'n', group: 'Work', load: () => import('../pages/now.tsx') },
  {
    name: 'start',
    title: 'If a session started',
    letter: 'i',
    group: 'Work',
    load: () => import('../pages/start.tsx'),
  },
  {
    name: 'injections',
    title: 'Injections',
    letter: 'j',
    group: 'Work',
    load: () => import('../pages/injections.tsx'),
  },
  { name: 'outcomes', title: 'Outcomes', letter: 'o', group: 'Work', load: () => import('../pages/outcomes.tsx') },
  { name: 'sessions', title: 'Sessions', letter: 's', group: 'History', load: () => import('../pages/sessions.tsx') },
  { name: 'lineage', title: 'Lineage', letter: 'l', group: 'History', load: () => import('../pages/lineage.tsx') },
  {
    name: 'checkpoints',
    title: 'Checkpoints',
    letter: 'c',
    group: 'History',
    load: () => import('../pages/checkpoints.tsx'),
  },
  { name: 'search', title: 'Search', letter: 'f', group: 'Knowledge', load: () => import('../pages/search.tsx') },
  {
    name: 'memories',
    title: 'Memories and rules',
    letter: 'm',
    group: 'Knowledge',
    load: () => import('../pages/memories/memories.tsx'),
  },
  { name: 'tasks', title: 'Tasks', letter: 't', group: 'Knowledge', load: () => import('../pages/tasks.tsx') },
  { name: 'privacy', title: 'Privacy', letter: 'p', group: 'Holdfast', load: () => import('../pages/privacy.tsx') },
  { name: 'health', title: 'Health', letter: 'h', group: 'Holdfast', load: () => import('../pages/health.tsx') },
  { name: 'cost', title: 'Cost', letter: 'k', group: 'Holdfast', load: () => import('../pages/cost.tsx') },
  {
    name: 'first-run',
    title: 'Import history',
    letter: 'r',
    group: 'Holdfast',
    load: () => import('../pages/first-run.tsx'),
  },
  { name: 'team', title: 'Team', letter: 'e', group: 'Holdfast', load: () => import('../pages/team.tsx') },
]
