/**
 * The order of a recovery: one labelled line for each section that is not empty. To move or add a
 * section, change this list; the files of `sections/` produce the items. `contradicted` and the notes stand above every
 * other section whatever their place here: `compose.ts` writes them first.
 */
export const SECTION_ORDER = [
  { key: 'contradicted', label: 'Contradicted' },
  { key: 'note', label: '' },
  { key: 'overall', label: 'The task' },
  { key: 'also', label: 'User earlier' },
  { key: 'request', label: 'User' },
  { key: 'rules', label: 'Rules' },
  { key: 'reply', label: 'User answered' },
  { key: 'stood', label: "Agent's last words" },
  { key: 'edits', label: 'Edits made' },
  { key: 'activity', label: 'Doing last' },
  { key: 'merge', label: 'Merge not concluded' },
  { key: 'in-flight', label: 'Started, not seen to end' },
  { key: 'checks', label: 'Checks' },
  { key: 'earlier', label: 'Agent earlier' },
  { key: 'before-edit', label: 'Agent, before the last edit' },
  { key: 'reported', label: 'Subagents reported' },
  { key: 'done', label: 'Done' },
  { key: 'next', label: 'Next' },
  { key: 'decisions', label: 'Decided' },
  { key: 'tried', label: 'Did not work' },
  { key: 'commands', label: 'Also run' },
  { key: 'files', label: 'Files' },
] as const

export type SectionKey = (typeof SECTION_ORDER)[number]['key']
