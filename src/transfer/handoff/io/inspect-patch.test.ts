import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { git, gitRepository, tempDir } from '../../../../test/support/temp-dir.ts'
import { applyPatch, inspectPatch } from './apply-patch.ts'
import { isSettingsFile } from './settings-files.ts'

beforeEach(() => {
  const home = tempDir()
  process.env['HOLDFAST_HOME'] = join(home.path, 'home')
  return () => home[Symbol.dispose]()
})

function newFile(path: string, mode: string, content = '../outside'): Buffer {
  const lines = [`diff --git a/${path} b/${path}`, mode, 'index 0000000..1111111']
  return Buffer.from(
    [
      ...lines,
      '--- /dev/null',
      `+++ b/${path}`,
      '@@ -0,0 +1 @@',
      `+${content}`,
      '\\ No newline at end of file',
      '',
    ].join('\n'),
  )
}

const LINKS = ['120000', '120000 ', '120000\t', '120000\r', '0120000', '00120000 ', '120000\v', '120000\f', '120000 x']

describe('a patch that plants a link', () => {
  test.each(LINKS)('is refused with its mode spelled %j', async (mode) => {
    using dir = tempDir()
    const root = gitRepository(join(dir.path, 'repo'))
    const patch = newFile('link', `new file mode ${mode}`)
    await expect(applyPatch(root, patch, { allowsSettings: true })).rejects.toMatchObject({ code: 'invalid-input' })
    expect(lstatSync(join(root, 'link'), { throwIfNoEntry: false })).toBeUndefined()
  })

  test('plain git makes the link in every spelling that it reads', () => {
    using dir = tempDir()
    const root = gitRepository(join(dir.path, 'repo'))
    const made = LINKS.filter((mode, n) => {
      const file = dir.write(`${n}.patch`, newFile(`link-${n}`, `new file mode ${mode}`).toString('latin1'))
      try {
        git(root, 'apply', file)
      } catch {
        return false
      }
      return lstatSync(join(root, `link-${n}`)).isSymbolicLink()
    })
    expect(made).toEqual(expect.arrayContaining(['120000', '120000 ', '120000\t', '120000\r', '0120000']))
  })

  test('as a submodule, a change of mode, a rename, or through a link that is there, it is refused too', async () => {
    using dir = tempDir()
    const root = gitRepository(join(dir.path, 'repo'))
    const outside = dir.write('outside/file', 'kept\n')
    symlinkSync(join(dir.path, 'outside'), join(root, 'away'))
    symlinkSync(outside, join(root, 'turned'))
    mkdirSync(join(root, 'folder'))
    const turned = 'diff --git a/turned b/turned\n--- a/turned\n+++ b/turned\n@@ -1 +1 @@\n-x\n+y\n'
    for (const patch of [
      newFile('sub', 'new file mode 160000', `Subproject commit ${'a'.repeat(40)}`),
      newFile('sub', 'new file mode 0160000 ', `Subproject commit ${'a'.repeat(40)}`),
      Buffer.from('diff --git a/README.md b/README.md\nold mode 100644\nnew mode 120000 \n'),
      Buffer.from('diff --git a/README.md b/x\nsimilarity index 100%\nrename from README.md\nrename to x\n'),
      Buffer.from('diff --git a/README.md b/x\nsimilarity index 100%\ncopy from README.md\ncopy to x\n'),
      newFile('away/file2', 'new file mode 100644'),
      newFile('folder', 'new file mode 100644'),
      newFile('.git/hooks/pre-commit', 'new file mode 100755'),
      newFile('sub/.GIT/config', 'new file mode 100644'),
      newFile('../up', 'new file mode 100644'),
      Buffer.from(turned),
      Buffer.from('not a patch\n'),
    ])
      await expect(applyPatch(root, patch, { allowsSettings: true })).rejects.toMatchObject({ code: 'invalid-input' })
    expect(readFileSync(outside, 'utf8')).toBe('kept\n')
    expect(existsSync(join(dir.path, 'outside', 'file2'))).toBe(false)
    expect(git(root, 'status', '--porcelain')).toBe('?? away\n?? turned')
  })
})

describe('a patch that changes settings', () => {
  const paths = ['.claude/settings.json', '.mcp.json', 'packages/web/package.json', '.husky/pre-commit', 'src/a.ts']

  test('is applied only where that was allowed, and says which', async () => {
    using dir = tempDir()
    const root = gitRepository(join(dir.path, 'repo'))
    const patch = Buffer.concat(paths.map((path) => newFile(path, 'new file mode 100644', '{}')))
    expect(await inspectPatch(root, patch)).toEqual({ paths, settings: paths.slice(0, -1) })
    await expect(applyPatch(root, patch)).rejects.toMatchObject({ code: 'forbidden' })
    expect(paths.filter((path) => existsSync(join(root, path)))).toEqual([])
    await applyPatch(root, patch, { allowsSettings: true })
    expect(paths.filter((path) => existsSync(join(root, path)))).toEqual(paths)
  })

  test.each([
    ...[
      '.cursor/mcp.json',
      '.vscode/tasks.json',
      '.gitattributes',
      '.envrc',
      '.npmrc',
      'package.json',
      'sub/.mcp.json',
    ],
    ...['.github/workflows/ci.yml', 'CLAUDE.md', 'docs/AGENTS.md', '.CLAUDE/Settings.json', 'app.code-workspace'],
    ...['.agentic-governance/config.json', '.pre-commit-config.yaml', '.devcontainer/devcontainer.json'],
    ...['Makefile', 'lib/GNUmakefile', 'rules.mk', 'vite.config.ts', 'eslint.config.mjs', 'a/jest.config.cts'],
    ...['node_modules/.bin/tsc', 'web/node_modules/left-pad/index.js', '.idea/runConfigurations/a.xml'],
    ...['.gitmodules', 'pyproject.toml', 'setup.py', 'tests/conftest.py', 'sitecustomize.py', 'build.rs'],
    ...['.cargo/config', '.cargo/config.toml', 'Cargo.toml', 'Gemfile', 'Rakefile', 'justfile', 'Taskfile.yml'],
    ...['Taskfile.dist.yaml', '.yarnrc', '.yarnrc.yml', '.pnpmfile.cjs', 'tox.ini', 'noxfile.py', 'Dockerfile'],
    ...['docker/Dockerfile.web', 'web.dockerfile', 'compose.yaml', 'docker-compose.override.yml', 'package-lock.json'],
    ...['.eslintrc.cjs', 'build.gradle.kts', 'CMakeLists.txt', 'App/App.csproj', 'Directory.Build.targets', '.env'],
  ])('%s is one', (path) => expect(isSettingsFile(path)).toBe(true))

  test.each([
    ...[
      'MAKEFILE',
      'JustFile',
      'NODE_MODULES/a.js',
      'package.JSON',
      '.v\u017fcode/tasks.json',
      '.vs\u200ccode/tasks.json',
    ],
    ...['Makefile.', 'package.json ', 'package.json::$DATA', '.vscode./tasks.json', 'PACKAG~1.JSO', 'VSCODE~1/tasks'],
  ])('%j is one where a file system takes it for the name of one', (path) => expect(isSettingsFile(path)).toBe(true))

  test.each([
    ...['src/index.ts', 'README.md', 'src/hooks/use-thing.ts', 'package.json.md', 'docs/claude.txt', 'src/config.ts'],
    ...['docs/makefile.md', 'src/dockerfile-parser.ts', 'src/compose.ts', '.gitignore', '.editorconfig', 'src/rc.ts'],
  ])('%s is not', (path) => expect(isSettingsFile(path)).toBe(false))

  test.each([
    ['a new file', newFile('run', 'new file mode 100755', '#!/bin/sh')],
    [
      'a new file whose name has a line break',
      'diff --git "a/x\\ny" "b/x\\ny"\nnew file mode 100755\n--- /dev/null\n+++ "b/x\\ny"\n@@ -0,0 +1 @@\n+x\n',
    ],
    ['a change of mode', 'diff --git a/run b/run\nold mode 100644\nnew mode 100755\n'],
    ['a mode without the old one', 'diff --git a/run b/run\nnew mode 100755\n'],
    ['a mode with a wrong old one', 'diff --git a/run b/run\nold mode 100755\nnew mode 100755\n'],
  ])('%s that becomes executable is one', async (_, text) => {
    using dir = tempDir()
    const root = gitRepository(join(dir.path, 'repo'))
    if (typeof text === 'string') dir.write('repo/run', 'x\n')
    const patch = Buffer.from(text)
    const { paths, settings } = await inspectPatch(root, patch)
    expect([paths.length, settings]).toEqual([1, paths])
    await expect(applyPatch(root, patch)).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('a name that adds a line to the summary of git does not hide another file', async () => {
    using dir = tempDir()
    const root = gitRepository(join(dir.path, 'repo'))
    dir.write('repo/run', 'x\n')
    const name = String.raw`x\n create mode 100755 plain`
    const patch = [
      `diff --git "a/${name}" "b/${name}"\nnew file mode 100644\n--- /dev/null\n+++ "b/${name}"\n@@ -0,0 +1 @@\n+x\n`,
      newFile('plain', 'new file mode 100644').toString(),
      'diff --git a/run b/run\nnew mode 100755\n',
    ].join('')
    expect((await inspectPatch(root, Buffer.from(patch))).settings).toContain('run')
  })

  test('a file that stays as executable as it is, or stops to be, is not', async () => {
    using dir = tempDir()
    const root = gitRepository(join(dir.path, 'repo'))
    const patch = 'diff --git a/run b/run\nold mode 100755\nnew mode 100644\n'
    dir.write('repo/run', 'x\n')
    expect((await inspectPatch(root, Buffer.from(patch))).settings).toEqual([])
    expect((await inspectPatch(root, newFile('made', 'new file mode 100644'))).settings).toEqual([])
  })

  test('a name that git quotes is read as it is', async () => {
    using dir = tempDir()
    const root = gitRepository(join(dir.path, 'repo'))
    writeFileSync(join(root, 'tab\there é.txt'), 'x\n')
    git(root, 'add', '-N', '.')
    const patch = Buffer.from(`${git(root, 'diff')}\n`)
    git(root, 'reset', '-q')
    expect((await inspectPatch(root, patch)).paths).toEqual(['tab\there é.txt'])
  })
})
