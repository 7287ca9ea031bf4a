import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type * as z from 'zod'
import { HoldfastError, messageOf } from '../../kernel/errors.ts'
import type { Redactor } from '../../kernel/ports/ports.ts'
import { redactDeep } from '../../redaction/redact-deep.ts'
import { isSlug, parseSlug } from '../model/slug.ts'
import { renderTaskJson } from '../model/task-checkpoint.ts'
import {
  listProjectFolder,
  readProjectFile,
  writeProjectFile,
  type ProjectPath,
} from '../../platform/files/project-file.ts'
import { withProjectLock } from '../../platform/files/project-lock.ts'
import { parseJson } from '../../platform/base/json.ts'
import { parse } from '../../platform/base/parse.ts'

export const TASKS_FOLDER = 'tasks'
const MAX_FILE_BYTES = 8_000_000

/** One task on disk. Every path is below `tasks/<slug>/`, every byte redacted, every file replaced as a whole. */
export interface TaskFolder {
  /** The checkout's top. */
  readonly root: string
  readonly slug: string
  readonly redactor: Redactor
  /** Relative to the root. */
  pathOf(path: string): string
  exists(): boolean
  /** Undefined when there is no such file. */
  bytes(path: string): Buffer | undefined
  text(path: string): string | undefined
  /** Undefined when there is no such file; refuses one that is not what its schema says. */
  json<Schema extends z.ZodType>(path: string, schema: Schema): z.output<Schema> | undefined
  /** The bytes as they were written. */
  writeJson(path: string, value: unknown): string
  writeText(path: string, text: string): void
  /** Adds lines to the end. */
  append(path: string, text: string): void
  /** Adds one line of JSON to the end. */
  appendJson(path: string, value: unknown): void
  list(folder: string): readonly string[]
  /** Alone among all processes that change this task; what runs inside must not wait for anything. */
  locked<T>(run: () => T): Promise<T>
}

const LOCK_TRIES = 12

/** A disk that is slow for everybody makes others wait longer than the lock itself has patience for. */
async function patiently<T>(at: ProjectPath, run: () => T, triesLeft = LOCK_TRIES): Promise<T> {
  let isEntered = false
  try {
    return await withProjectLock(at, () => {
      isEntered = true
      return run()
    })
  } catch (thrown) {
    if (isEntered || triesLeft === 0 || !(thrown instanceof HoldfastError) || thrown.code !== 'conflict') throw thrown
    return patiently(at, run, triesLeft - 1)
  }
}

export interface TaskFolderOptions {
  readonly root: string
  readonly slug: string
  readonly redactor: Redactor
}

export function openTaskFolder({ root, slug, redactor }: TaskFolderOptions): TaskFolder {
  const base = `${TASKS_FOLDER}/${parseSlug(slug)}`
  const pathOf = (path: string) => `${base}/${path}`
  const at = (path: string): ProjectPath => ({ root, path: pathOf(path) })
  const bytes = (path: string) => readProjectFile(at(path), MAX_FILE_BYTES)?.bytes
  const text = (path: string) => bytes(path)?.toString('utf8')
  const write = (path: string, content: string) => writeProjectFile(at(path), content)
  const append = (path: string, clean: string) => {
    const before = text(path) ?? ''
    write(path, `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${clean}`)
  }
  return {
    root,
    slug,
    redactor,
    pathOf,
    bytes,
    text,
    exists: () => bytes('meta/task.json') !== undefined || bytes('json/task-status.json') !== undefined,
    json(path, schema) {
      const content = text(path)
      if (content === undefined) return undefined
      try {
        return parse(schema, parseJson(content))
      } catch (cause) {
        throw new HoldfastError('conflict', `${pathOf(path)} cannot be read: ${messageOf(cause)}`, {
          hint: `If a merge left it so, run \`holdfast checkpoints verify --task ${slug} --repair\`; else get it back from git.`,
          cause,
        })
      }
    },
    writeJson(path, value) {
      const content = renderTaskJson(redactDeep(value, redactor))
      write(path, content)
      return content
    },
    writeText: (path, content) => write(path, redactor.redact(content)),
    append: (path, content) => append(path, redactor.redact(content)),
    appendJson: (path, value) => append(path, `${JSON.stringify(redactDeep(value, redactor))}\n`),
    list: (folder) => listProjectFolder(at(folder)),
    locked: (run) => patiently(at('json/checkpoint-index.json'), run),
  }
}

/** Slugs of the tasks of a checkout, sorted; empty where there is no `tasks/`. Links and strange names are passed over. */
export function listTaskSlugs(root: string): readonly string[] {
  try {
    return readdirSync(join(root, TASKS_FOLDER), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && isSlug(entry.name))
      .map(({ name }) => name)
      .sort()
  } catch {
    // No such folder, or one that cannot be read: there are no tasks for us here.
    return []
  }
}
