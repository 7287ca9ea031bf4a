import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { foldEvent, foldNote } from '../../src/checkpoint/work/fold.ts'
import { emptyWork, type WorkState } from '../../src/checkpoint/work/state.ts'
import { readTranscriptFile } from '../../src/harness/transcripts.ts'
import { HARNESS_OF } from '../formats.ts'

/** A needed file: its whole path, and the shortest end of it that means no other. */
export type PathKey = readonly [path: string, end: string]

/** One cut point: what was known there, and what the tool calls after it needed. */
export interface TrainingCase {
  readonly id: string
  readonly repo: string
  readonly work: WorkState
  readonly names: readonly string[]
  readonly edited: readonly PathKey[]
  readonly read: readonly PathKey[]
}

interface Labelled {
  readonly id: string
  readonly repo: string
  readonly format: string
  readonly gt: { readonly ident: readonly string[] }
  readonly path_keys: { readonly edited: readonly PathKey[]; readonly read: readonly PathKey[] }
}

function isLabelled(value: unknown): value is Labelled {
  return typeof value === 'object' && value !== null && 'gt' in value && 'path_keys' in value && 'format' in value
}

async function workAt(path: string, format: string): Promise<WorkState> {
  const transcript = await readTranscriptFile(path, HARNESS_OF[format] ?? format)
  const worktree = transcript.cwd
  return transcript.items.reduce(
    (state, item) => (item.type === 'event' ? foldEvent(state, item.event, { worktree }) : foldNote(state, item.note)),
    emptyWork(),
  )
}

function python(args: readonly string[], data: string): string {
  const env = { ...process.env, EVALDATA: data, PYTHONDONTWRITEBYTECODE: '1' }
  const run = spawnSync('python3', [...args], { encoding: 'utf8', env, maxBuffer: 64_000_000 })
  if (run.status !== 0) throw new Error(run.stderr)
  return run.stdout
}

async function casesOf(lines: string, folder: string): Promise<readonly TrainingCase[]> {
  const cases: TrainingCase[] = []
  for (const line of lines.split('\n')) {
    const value: unknown = line === '' ? undefined : JSON.parse(line)
    if (!isLabelled(value)) continue
    const { id, repo, format, gt, path_keys: keys } = value
    const path = ['jsonl', 'json'].map((end) => join(folder, `${id}.prefix.${end}`)).find((file) => existsSync(file))
    if (path === undefined) continue
    cases.push({ id, repo, work: await workAt(path, format), names: gt.ident, edited: keys.edited, read: keys.read })
  }
  return cases
}

/** Every labelled cut point of a split, folded as the product folds it. `folder` takes the cut transcripts. */
export async function trainingCases(data: string, split: string, folder: string): Promise<readonly TrainingCase[]> {
  python([join(data, 'bench', 'run_nlr.py'), '--dump', folder, split], data)
  return casesOf(readFileSync(join(data, split, 'nlr', 'cases.jsonl'), 'utf8'), folder)
}

/** More places to cut the same transcripts at: to learn from, not to be judged by. */
export async function moreCases(data: string, split: string, folder: string): Promise<readonly TrainingCase[]> {
  const program = join(process.env.HOLDFAST_ROOT ?? '.', 'bench', 'train-recovery', 'more-cuts.py')
  return casesOf(python([program, data, split, folder], data), folder)
}
