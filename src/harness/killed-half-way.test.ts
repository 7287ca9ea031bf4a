import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { resolveHome } from '../platform/base/home.ts'
import type { ChangePlan } from '../install/change-plan.ts'
import { setup } from './claude-code/setup.ts'
import { inspect } from '../install/inspect.ts'
import { findInstallation } from '../install/installation.ts'
import { applyInstall, applyUninstall, installSteps } from '../install/installer.ts'
import { type InstallOptions, planInstall } from '../install/plan-install.ts'
import { planUninstall } from '../install/plan-uninstall.ts'
import { removeSettingsFile, replaceSettingsFile } from '../install/edits/settings-file.ts'
import type { SetupPorts } from '../install/contract/setup.ts'

let root: string
let ports: SetupPorts
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-killed-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** A user who has settings and instructions, and nothing of ours yet. */
function createSetup(): void {
  rmSync(root, { recursive: true, force: true })
  const HOME = join(root, 'home')
  mkdirSync(join(HOME, '.claude'), { recursive: true })
  mkdirSync(join(root, 'project'))
  writeFileSync(join(HOME, '.claude', 'settings.json'), '{\n  "theme": "dark"\n}\n')
  writeFileSync(join(HOME, '.claude', 'CLAUDE.md'), 'Mine.\n')
  ports = {
    env: { HOME, PATH: '' },
    cwd: join(root, 'project'),
    home: resolveHome({ HOLDFAST_HOME: join(root, 'holdfast') }),
    distDir: '/opt/holdfast/dist',
    skillsDir: skillsOf('first'),
    platform: 'linux',
    nodePath: '/usr/bin/node',
  }
}

/** The next version: other places, other words in every skill, in the snippet and in the bootstrap lines. */
function upgrade(): void {
  ports = { ...ports, skillsDir: skillsOf('next'), distDir: '/opt/next/dist' }
}

/** As the package ships them, and fewer: every write takes its time. */
function skillsOf(version: string): string {
  const folder = join(root, version)
  for (const name of ['recall', 'remember']) {
    mkdirSync(join(folder, name), { recursive: true })
    writeFileSync(join(folder, name, 'SKILL.md'), `---\nname: ${name}\ndescription: Of ${version}.\n---\n\nDo it.\n`)
  }
  const marks = ['<!-- holdfast:session-continuity -->', '<!-- /holdfast:session-continuity -->']
  writeFileSync(join(folder, 'snippet.md'), `${marks.join(`\nAsk as of ${version}.\n`)}\n`)
  const bootstrap = ['<!-- session-continuity-bootstrap -->', '<!-- /session-continuity-bootstrap -->']
  writeFileSync(join(folder, 'bootstrap.md'), `${bootstrap.join(`\n(Holdfast) Offer as of ${version}.\n`)}\n`)
  return folder
}

function treeOf(folder: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [path, entry.isFile() ? readFileSync(path, 'utf8') : '']
    }),
  )
}

const EVERYTHING = { skills: true, commands: true, snippet: true, bootstrap: true }
const plan = (wants: InstallOptions['wants'] = EVERYTHING) =>
  planInstall(setup, ports, { scope: 'user', fixPort: false, wants })
const install = () => applyInstall(plan(), ports)
const uninstall = () => {
  const out = planUninstall(setup, ports, { scope: 'user' })
  applyUninstall(out, ports)
  return out.notices
}
const home = () => treeOf(join(root, 'home'))

/** Sets everything up, stops before each write of the install in turn, and looks at what comes of it. */
function atEveryWrite(prepare: () => ChangePlan, look: () => void): void {
  createSetup()
  const { length } = installSteps(prepare(), ports)
  expect(length).toBeGreaterThan(3)
  for (let done = 0; done < length; done += 1) {
    createSetup()
    for (const step of installSteps(prepare(), ports).slice(0, done)) step.run()
    look()
  }
}

/** Everything of this version is there. */
function expectWhole(): void {
  const record = findInstallation(setup, ports, 'user')
  const states = inspect(setup, ports, { scope: 'user', record }).map(({ state }) => state)
  expect(new Set(states)).toEqual(new Set(['installed']))
}

describe('killed between any two writes', () => {
  test('a first install is finished by the next one, and taken out by an uninstall', () => {
    atEveryWrite(plan, () => {
      install()
      expectWhole()
    })
    createSetup()
    const before = home()
    atEveryWrite(plan, () => {
      expect(uninstall()).toEqual([])
      expect(home()).toEqual(before)
    })
  })

  const toNextVersion = () => {
    install()
    upgrade()
    return plan()
  }

  test('an install of the next version is finished by another one: what it wrote before is not taken for the user’s', () => {
    atEveryWrite(toNextVersion, () => {
      expect(plan().notices).toEqual([])
      install()
      expectWhole()
    })
  })

  test('an install of the next version leaves nothing behind that an uninstall would not know', () => {
    createSetup()
    const before = home()
    atEveryWrite(toNextVersion, () => {
      expect(uninstall()).toEqual([])
      expect(home()).toEqual(before)
    })
  })

  test('an install that takes pieces out leaves nothing behind that an uninstall would not know', () => {
    createSetup()
    const before = home()
    const withoutMost = () => {
      install()
      return plan({ mcp: false, skills: false, snippet: false })
    }
    atEveryWrite(withoutMost, () => {
      expect(uninstall()).toEqual([])
      expect(home()).toEqual(before)
    })
  })

  test('an uninstall is finished by the next one, folders included', () => {
    createSetup()
    const before = home()
    install()
    const { length } = planUninstall(setup, ports, { scope: 'user' }).changes
    for (let done = 0; done <= length; done += 1) {
      createSetup()
      install()
      for (const change of planUninstall(setup, ports, { scope: 'user' }).changes.slice(0, done))
        if (change.after === undefined) removeSettingsFile(change.before)
        else replaceSettingsFile(change.before, change.after)
      expect(uninstall()).toEqual([])
      expect(home()).toEqual(before)
    }
  })
})
