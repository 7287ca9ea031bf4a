import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type * as z from 'zod'
import { HoldfastError, getErrorMessage } from '../../kernel/errors.ts'
import type { Redactor } from '../../kernel/ports/ports.ts'
import { redactDeep } from '../../redaction/redact-deep.ts'
import { isSlug, parseSlug } from '../model/task.ts'
import { renderTaskJson } from '../model/task-checkpoint.ts'
import {
  listProjectFolder,
  readProjectFile,
  writeProjectFile,
  type ProjectPath,
  withProjectLock,
} from '../../platform/files/project-file.ts'
import { parseJson } from '../../platform/base/json.ts'
import { parse } from '../../platform/base/parse.ts'

export const TASKS_FOLDER = 'tasks'
const MAX_FILE_BYTES = 8_000_000

/** One task on disk. Paths are relative to `tasks/<slug>/`; content is redacted and files are replaced atomically. */
export interface TaskFolder {
  /** The checkout's top. */
  readonly root: string
  readonly slug: string
  readonly redactor: Redactor
  /** Relative to the root. */
  resolvePath(path: string): string
  exists(): boolean
  bytes(path: string): Buffer | undefined
  text(path: string): string | undefined
  /** Refuses a file that does not match the schema. */
  json<Schema extends z.ZodType>(path: string, schema: Schema): z.output<Schema> | undefined
  /** Returns the written text. */
  writeJson(path: string, value: unknown): string
  writeText(path: string, text: string): void
  append(path: string, text: string): void
  /** Appends one line of JSON. */
  appendJson(path: string, value: unknown): void
  list(folder: string): readonly string[]
  /** Excludes other processes that change this task. Synchronous: `run` must not wait. */
  locked<T>(run: () => T): Promise<T>
}

const LOCK_TRIES = 12

/** Retries, because on a slow disk others may hold the lock longer than its own timeout. */
async function withPatientLock<T>(at: ProjectPath, run: () => T, triesLeft = LOCK_TRIES): Promise<T> {
  let isEntered = false
  try {
    return await withProjectLock(at, () => {
      isEntered = true
      return run()
    })
  } catch (thrown) {
    if (isEntered || triesLeft === 0 || !(thrown instanceof HoldfastError) || thrown.code !== 'conflict') throw thrown
    return withPatientLock(at, run, triesLeft - 1)
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
    resolvePath: pathOf,
    bytes,
    text,
    exists: () => bytes('meta/task.json') !== undefined || bytes('json/task-status.json') !== undefined,
    json(path, schema) {
      const content = text(path)
      if (content === undefined) return undefined
      try {
        return parse(schema, parseJson(content))
      } catch (cause) {
        throw new HoldfastError('conflict', `${pathOf(path)} cannot be read: ${getErrorMessage(cause)}`, {
          hint: `After a merge, run \`holdfast checkpoints verify --task ${slug} --repair\`; otherwise restore it from git.`,
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
    locked: (run) => withPatientLock(at('json/checkpoint-index.json'), run),
  }
}

/** Sorted; empty if there is no `tasks/`. Skips links and invalid names. */
export function listTaskSlugs(root: string): readonly string[] {
  try {
    return readdirSync(join(root, TASKS_FOLDER), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && isSlug(entry.name))
      .map(({ name }) => name)
      .sort()
  } catch {
    // No such folder, or unreadable.
    return []
  }
}
