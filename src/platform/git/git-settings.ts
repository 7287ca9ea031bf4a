/**
 * What git would run because a configuration says so, switched off. A repository's own configuration is not ours to trust,
 * and what is given here by `-c` counts before every file.
 */
const ALWAYS: readonly string[] = [
  'safe.bareRepository=explicit',
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  'core.pager=cat',
  'core.editor=:',
  'sequence.editor=:',
  'core.askPass=',
  'core.alternateRefsCommand=',
  'interactive.diffFilter=cat',
  'log.showSignature=false',
  'color.ui=false',
  'gc.auto=0',
  'gc.recentObjectsHook=',
  'maintenance.auto=false',
  'init.templateDir=',
  // Git asks a submodule by running itself in there, without these settings.
  'submodule.recurse=false',
  'diff.submodule=short',
  'diff.ignoreSubmodules=dirty',
  'status.submoduleSummary=false',
]

/** Reaching a remote starts `remote.<name>.uploadpack`, a proxy or a credential helper: nothing that Holdfast asks needs one. */
const OFFLINE: readonly string[] = [
  'protocol.allow=never',
  ...['file', 'ext', 'git', 'ssh', 'http', 'https'].map((name) => `protocol.${name}.allow=never`),
  'core.sshCommand=false',
  'core.gitProxy=',
  'credential.helper=',
  'fetch.recurseSubmodules=false',
]

const WITHOUT_HOOKS: readonly string[] = ['core.hooksPath=/dev/null', 'commit.gpgSign=false', 'tag.gpgSign=false']

/** For whom a command acts: for us, who only look; or for the owner of the repository, who asked for a commit. */
export type GitActor = 'reader' | 'owner'

export function fixedSettings(actor: GitActor): readonly string[] {
  return actor === 'owner' ? ALWAYS : [...ALWAYS, ...OFFLINE, ...WITHOUT_HOOKS]
}

/** More of them than anybody has: every one is a word of a command line. */
const MAX_NAMED = 500

/** Settings of a name that a repository chooses, as a pattern of the section and the settings that take its effect away. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  // An empty command is none; one that is required would fail for want of it.
  filter: ['clean=', 'smudge=', 'process=', 'required=false'],
  merge: ['driver=false'],
  hook: ['enabled=false'],
}

/** Why git is not asked at all. */
class UnsafeSettings extends Error {}

/**
 * The settings that switch off whatever `keys` (as `git config --list --name-only` gives them) define under a name of their own:
 * filters, merge drivers, hooks. Throws for a name that cannot be given on a command line, which nobody has by accident.
 */
export function namedSettings(keys: readonly string[]): readonly string[] {
  const settings = new Set<string>()
  for (const key of keys) {
    const [first, last] = [key.indexOf('.'), key.lastIndexOf('.')]
    const effects = NAMED[key.slice(0, first)]
    if (effects === undefined || first === last) continue
    const name = key.slice(first + 1, last)
    // U+FFFD stands for bytes that are not UTF-8: Node cannot pass them, and git would find the setting under no such name.
    // oxlint-disable-next-line no-control-regex -- exactly these cannot be passed on
    if (/[=\u0000-\u001f\ufffd]/.test(name))
      throw new UnsafeSettings(`the name ${JSON.stringify(name)} in its configuration`)
    for (const effect of effects) settings.add(`${key.slice(0, first)}.${name}.${effect}`)
  }
  if (settings.size > MAX_NAMED) throw new UnsafeSettings(`${settings.size} filters in its configuration`)
  return [...settings]
}
