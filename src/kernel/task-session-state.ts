import { HoldfastError } from './errors.ts'

export const TASK_SESSION_STATES = ['init', 'active', 'complete', 'suspended', 'terminated'] as const
export type TaskSessionState = (typeof TASK_SESSION_STATES)[number]

/** The legal transitions and their reasons. The diagram in the docs is generated from this table. */
const TRANSITIONS: Readonly<Record<TaskSessionState, Readonly<Partial<Record<TaskSessionState, string>>>>> = {
  init: { active: 'the startup steps passed', suspended: 'the startup steps stopped' },
  active: {
    complete: 'the shutdown steps ran',
    suspended: 'interrupted, or forked at the context budget',
    terminated: 'emergency stop',
  },
  complete: { suspended: 're-opened' },
  suspended: { active: 'resumed', terminated: 'given up' },
  terminated: {},
}

export function nextStates(from: TaskSessionState): readonly TaskSessionState[] {
  return TASK_SESSION_STATES.filter((to) => TRANSITIONS[from][to] !== undefined)
}

export function canBecome(from: TaskSessionState, to: TaskSessionState): boolean {
  return TRANSITIONS[from][to] !== undefined
}

/** The new state. Refuses an illegal step and names the legal ones. */
export function transition(from: TaskSessionState, to: TaskSessionState): TaskSessionState {
  if (canBecome(from, to)) return to
  const legal = nextStates(from)
  throw new HoldfastError('conflict', `A task session that is ${from} cannot become ${to}.`, {
    hint:
      legal.length === 0
        ? `Nothing follows ${from}: start a new session with \`holdfast session start\`.`
        : `It can become ${legal.join(' or ')}.`,
  })
}

/** The states and transitions as Mermaid text. */
export function stateDiagram(): string {
  const edges = TASK_SESSION_STATES.flatMap((from) =>
    nextStates(from).map((to) => `  ${from.toUpperCase()} --> ${to.toUpperCase()}: ${TRANSITIONS[from][to]}`),
  )
  return ['stateDiagram-v2', '  [*] --> INIT', ...edges, '  COMPLETE --> [*]', '  TERMINATED --> [*]'].join('\n')
}
