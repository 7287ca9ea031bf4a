/**
 * Disables every program that git would run because of a configuration. A repository's own configuration is not trusted,
 * and `-c` overrides every file.
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
  // Git runs itself in a submodule without these settings.
  'submodule.recurse=false',
  'diff.submodule=short',
  'diff.ignoreSubmodules=dirty',
  'status.submoduleSummary=false',
]

/** Accessing a remote starts `remote.<name>.uploadpack`, a proxy or a credential helper; Holdfast never needs one. */
const OFFLINE: readonly string[] = [
  'protocol.allow=never',
  ...['file', 'ext', 'git', 'ssh', 'http', 'https'].map((name) => `protocol.${name}.allow=never`),
  'core.sshCommand=false',
  'core.gitProxy=',
  'credential.helper=',
  'fetch.recurseSubmodules=false',
]

const WITHOUT_HOOKS: readonly string[] = ['core.hooksPath=/dev/null', 'commit.gpgSign=false', 'tag.gpgSign=false']

/** `reader`: Holdfast only reads. `owner`: the owner of the repository asked for a commit. */
export type GitActor = 'reader' | 'owner'

export function fixedSettings(actor: GitActor): readonly string[] {
  return actor === 'owner' ? ALWAYS : [...ALWAYS, ...OFFLINE, ...WITHOUT_HOOKS]
}

/** More than any real configuration has: each becomes a command-line argument. */
const MAX_NAMED = 500

/** Sections whose name a repository chooses, and the settings that disable each. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  // An empty command disables the filter; a required filter would then fail.
  filter: ['clean=', 'smudge=', 'process=', 'required=false'],
  merge: ['driver=false'],
  hook: ['enabled=false'],
}

/** Why git is not run at all. */
class UnsafeSettings extends Error {}

/**
 * The settings that disable what `keys` (from `git config --list --name-only`) define under chosen names:
 * filters, merge drivers, hooks. Throws for a name that cannot be passed on a command line, which is never an accident.
 */
export function namedSettings(keys: readonly string[]): readonly string[] {
  const settings = new Set<string>()
  for (const key of keys) {
    const [first, last] = [key.indexOf('.'), key.lastIndexOf('.')]
    const effects = NAMED[key.slice(0, first)]
    if (effects === undefined || first === last) continue
    const name = key.slice(first + 1, last)
    // U+FFFD replaces bytes that are not UTF-8: Node cannot pass them, and git would not match the setting.
    // oxlint-disable-next-line no-control-regex -- exactly these cannot be passed on
    if (/[=\u0000-\u001f\ufffd]/.test(name))
      throw new UnsafeSettings(`the name ${JSON.stringify(name)} in its configuration`)
    for (const effect of effects) settings.add(`${key.slice(0, first)}.${name}.${effect}`)
  }
  if (settings.size > MAX_NAMED) throw new UnsafeSettings(`${settings.size} filters in its configuration`)
  return [...settings]
}
