import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { git, gitRepository } from './temp-dir.ts'

/** Repositories in which every setting that makes git run something leaves a mark when it does. */
export interface HostileRepository {
  /** A checkout with everything in its own configuration. */
  readonly root: string
  /** A folder of it that was committed as plain files and looks like a bare repository. */
  readonly nested: string
  /** A partial clone whose remote names a command to reach it by. */
  readonly partial: string
  /** The commit that both began with. */
  readonly first: string
  /** Names of what ran since the last look. */
  readonly takeMarks: () => readonly string[]
  /** Files were touched, so that git has to read them again. */
  readonly stir: () => void
}

const HOOKS = [
  ...['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit', 'post-index-change', 'post-checkout'],
  ...['reference-transaction', 'pre-auto-gc', 'applypatch-msg', 'pre-applypatch', 'post-applypatch', 'post-merge'],
]

/** Answers a request to sign as gpg would, and says that it was asked. */
const SIGNER = String.raw`
cat >/dev/null
printf '\n[GNUPG:] SIG_CREATED \n[GNUPG:] GOODSIG 0 x\n' >&2
printf -- '-----BEGIN PGP SIGNATURE-----\n\nx\n-----END PGP SIGNATURE-----\n'
`

/** Plain git as somebody has it: what the test holds against. Its failures are its own. */
function plainGit(cwd: string, ...args: readonly string[]): void {
  try {
    git(cwd, ...args)
  } catch (thrown) {
    // A planted command that is not what git expects makes git fail after it ran.
    if (!(thrown instanceof Error) || !('status' in thrown)) throw thrown
  }
}

export function hostileRepository(dir: string): HostileRepository {
  const marks = join(dir, 'marks')
  const bin = join(dir, 'bin')
  for (const folder of [marks, bin]) mkdirSync(folder)

  /** A program that leaves a mark; `then` is what else it does. */
  function program(name: string, then = 'cat'): string {
    const file = join(bin, name)
    writeFileSync(file, `#!/bin/sh\n: >'${join(marks, name)}'\n${then}\n`)
    chmodSync(file, 0o755)
    return file
  }

  const clean = (name: string) => ({ clean: program(`${name}-clean`), smudge: program(`${name}-smudge`) })
  /** The settings of one configuration, each under names of their own. */
  function settingsOf(name: string): readonly (readonly [string, string])[] {
    const filter = clean(name)
    return [
      [`filter.${name}.clean`, filter.clean],
      [`filter.${name}.smudge`, filter.smudge],
      [`filter.${name}.required`, 'true'],
      [`filter.${name}.And-More.process`, program(`${name}-process`)],
      [`diff.${name}.textconv`, program(`${name}-textconv`, 'cat "$1"')],
      [`diff.${name}-command.command`, program(`${name}-command`, ':')],
      [`merge.${name}.driver`, program(`${name}-driver`, ':')],
      [`hook.${name}.command`, program(`${name}-config-hook`, ':')],
      [`hook.${name}.event`, 'pre-commit'],
    ]
  }

  const root = join(dir, 'repo')
  gitRepository(root)
  const write = (path: string, text: string) => {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const places = ['local', 'included', 'worktree', 'inattr']
  for (const name of places) {
    for (const kind of ['', '-process', '-command']) write(`src/${name}${kind}.ts`, `export const ${name} = 1\n`)
  }
  const attributes = (name: string) =>
    [
      `src/${name}.ts filter=${name} diff=${name} merge=${name}`,
      `src/${name}-process.ts filter=${name}.And-More`,
      `src/${name}-command.ts diff=${name}-command merge=${name}`,
    ].join('\n')
  write(
    '.gitattributes',
    `${places
      .filter((name) => name !== 'inattr')
      .map(attributes)
      .join('\n')}\n`,
  )

  // A bare repository as plain files, as any clone delivers it.
  const nested = join(root, 'vendor', 'lib')
  const inner = gitRepository(join(dir, 'inner'))
  writeFileSync(join(inner, 'x.txt'), 'x\n')
  writeFileSync(join(inner, '.gitattributes'), '* filter=nested\n')
  git(inner, 'add', '.')
  git(inner, 'commit', '-qm', 'x')
  cpSync(join(inner, '.git'), nested, { recursive: true })
  rmSync(join(nested, 'hooks'), { recursive: true, force: true })
  for (const [key, value] of [
    ['core.bare', 'false'],
    ['core.worktree', '.'],
    ['core.fsmonitor', program('nested-fsmonitor', 'exit 1')],
    ['filter.nested.clean', program('nested-clean')],
  ])
    git(dir, 'config', '--file', join(nested, 'config'), key ?? '', value ?? '')
  writeFileSync(join(nested, 'x.txt'), 'changed\n')
  writeFileSync(join(nested, '.gitattributes'), '* filter=nested\n')

  // A submodule that is checked out, with a configuration of its own.
  const library = gitRepository(join(dir, 'library'))
  git(root, 'submodule', '--quiet', 'add', library, 'sub')
  // Another at a path that is not valid UTF-8. Node passes arguments as UTF-8, so a shell makes the name; file systems of macOS
  // and Windows refuse it.
  const hasByteNames = process.platform === 'linux'
  const inByteSub = (command: string, ...args: readonly string[]) => {
    if (!hasByteNames) return
    const script = `name=$(printf 'sub-\\377'); ${command}`
    execFileSync('sh', ['-ec', script, 'sh', ...args], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  }
  inByteSub('git clone -q "$1" "$name"', library)
  git(root, '-c', 'advice.addEmbeddedRepo=false', 'add', '.')
  git(root, '-c', `gpg.program=${program('signer', SIGNER)}`, 'commit', '-qS', '-m', 'second')
  const first = git(root, 'rev-list', '--max-parents=0', 'HEAD')

  const sub = join(root, 'sub')
  writeFileSync(join(sub, '.gitattributes'), '* filter=sub diff=sub\n')
  const forSub = [
    ['core.fsmonitor', program('sub-fsmonitor', 'exit 1')],
    ['filter.sub.clean', program('sub-clean')],
    ['diff.sub.textconv', program('sub-textconv', 'cat "$1"')],
  ]
  for (const [key = '', value = ''] of forSub) git(sub, 'config', key, value)
  git(sub, 'commit', '-q', '--allow-empty', '-m', 'ahead')
  const byteSubClean = program('byte-sub-clean')
  inByteSub(
    String.raw`printf '* filter=sub\n' >"$name/.gitattributes"; git -C "$name" config filter.sub.clean "$1"`,
    byteSubClean,
  )

  // The configurations last: from here on, every plain git would leave marks.
  const config = (file: string, settings: readonly (readonly [string, string])[]) => {
    for (const [key, value] of settings) git(dir, 'config', '--file', file, key, value)
  }
  const hooksDir = join(dir, 'hooks')
  mkdirSync(hooksDir)
  for (const hook of HOOKS) {
    symlinkSync(program(`hook-${hook}`, ':'), join(hooksDir, hook))
    symlinkSync(program(`dot-git-hook-${hook}`, ':'), join(root, '.git', 'hooks', hook))
  }
  const local = join(root, '.git', 'config')
  writeFileSync(join(root, '.git', 'info', 'attributes'), `${attributes('inattr')}\n`)
  config(join(root, 'settings.gitconfig'), settingsOf('included'))
  config(join(root, '.git', 'config.worktree'), settingsOf('worktree'))
  config(local, [
    ...settingsOf('local'),
    ...settingsOf('inattr'),
    ['extensions.worktreeConfig', 'true'],
    ['core.repositoryFormatVersion', '1'],
    ['include.path', '../settings.gitconfig'],
    ['core.fsmonitor', program('fsmonitor', 'exit 1')],
    ['core.hooksPath', hooksDir],
    ['core.pager', program('pager')],
    ['core.editor', program('editor', ':')],
    ['sequence.editor', program('sequence-editor', ':')],
    ['core.askPass', program('askpass', 'echo x')],
    ['core.sshCommand', program('ssh', 'exit 1')],
    ['core.gitProxy', program('proxy', 'exit 1')],
    ['core.alternateRefsCommand', program('alternate-refs', ':')],
    ['credential.helper', program('credential', ':')],
    ['diff.external', program('external-diff', ':')],
    ['diff.submodule', 'diff'],
    ['submodule.sub.ignore', 'none'],
    ['submodule.recurse', 'true'],
    ['interactive.diffFilter', program('diff-filter')],
    ['gpg.program', program('gpg', SIGNER)],
    ['log.showSignature', 'true'],
    ['commit.gpgSign', 'true'],
    ['uploadpack.packObjectsHook', program('pack-objects', 'exit 1')],
    ['gc.recentObjectsHook', program('recent-objects', ':')],
    ['gc.auto', '1'],
    ['tar.tar.command', program('tar')],
    ['alias.status', `!${program('alias', ':')}`],
  ])

  // Without its blobs; reaching the remote runs what its configuration names.
  const origin = gitRepository(join(dir, 'origin'))
  mkdirSync(join(origin, 'src'))
  for (const name of ['a', 'b', 'c']) writeFileSync(join(origin, 'src', `${name}.ts`), `export const ${name} = 1\n`)
  git(origin, 'add', '.')
  git(origin, 'commit', '-qm', 'files')
  git(origin, 'config', 'uploadpack.allowFilter', 'true')
  const partial = join(dir, 'partial')
  git(dir, 'clone', '-q', '--no-local', '--no-checkout', '--filter=blob:none', `file://${origin}`, partial)
  git(partial, 'read-tree', 'HEAD')
  mkdirSync(join(partial, 'src'))
  writeFileSync(join(partial, 'src', 'a.ts'), 'export const a = 2\n')
  config(join(partial, '.git', 'config'), [
    ['protocol.file.allow', 'always'],
    ['protocol.allow', 'always'],
    ['remote.origin.uploadpack', `${program('upload-pack', ':')}; git-upload-pack`],
  ])

  let stirred = 0
  const repository: HostileRepository = {
    root,
    nested,
    partial,
    first,
    takeMarks() {
      const names = readdirSync(marks).toSorted()
      for (const name of names) rmSync(join(marks, name))
      return names
    },
    stir() {
      stirred += 1
      for (const name of places)
        for (const kind of ['', '-process', '-command'])
          writeFileSync(join(root, `src/${name}${kind}.ts`), `export const ${name} = ${10 + stirred}\n`)
      writeFileSync(join(root, 'README.md'), `hello ${stirred}\n`)
      writeFileSync(join(sub, 'README.md'), `hello ${stirred}\n`)
      // Of the size that git knows: only then it reads the file, through the filter, to see whether it changed.
      inByteSub('printf "%05d\\n" "$1" >"$name/README.md"', String(stirred))
      const time = new Date(Date.now() - 3_600_000 + stirred * 1_000)
      for (const file of ['x.txt', '.gitattributes']) utimesSync(join(nested, file), time, time)
    },
  }
  repository.stir()
  repository.takeMarks()
  return repository
}

/** What plain git runs there: a mark for each, or the fixture proves nothing. */
export function marksOfPlainGit({ root, nested, partial, takeMarks }: HostileRepository): readonly string[] {
  takeMarks()
  plainGit(root, 'status')
  plainGit(root, 'diff')
  plainGit(root, '-c', 'diff.external=', 'diff', '--no-ext-diff')
  plainGit(root, 'log', '-1')
  plainGit(root, '-c', 'core.fsmonitor=false', 'add', '--all')
  plainGit(nested, 'status')
  plainGit(partial, 'diff', 'HEAD')
  plainGit(root, 'commit', '-m', 'third')
  plainGit(root, 'checkout-index', '-f', '-a')
  return takeMarks()
}

/** Marks that plain git must leave, as far as every supported version does. */
export const EXPECTED_OF_PLAIN_GIT = [
  ...['local', 'included', 'worktree', 'inattr'].flatMap((name) => [
    ...['clean', 'process', 'smudge', 'textconv', 'command'].map((kind) => `${name}-${kind}`),
  ]),
  ...['external-diff', 'fsmonitor', 'gpg', 'hook-pre-commit', 'nested-clean', 'nested-fsmonitor', 'sub-clean'],
  ...['sub-fsmonitor', 'upload-pack'],
  ...(process.platform === 'linux' ? ['byte-sub-clean'] : []),
]
