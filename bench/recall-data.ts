import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const Turn = z.object({
  dia_id: z.string(),
  speaker: z.string().optional(),
  text: z.string().optional(),
  blip_caption: z.string().nullish(),
})
const Conversations = z.array(
  z.object({
    sample_id: z.string(),
    qa: z.array(
      z.object({ question: z.unknown(), evidence: z.array(z.string()).optional(), category: z.number().optional() }),
    ),
    conversation: z.record(z.string(), z.unknown()),
  }),
)
/** LoCoMo's number for adversarial questions. */
const TRAP = 5
const Summary = z.object({ intent: z.string(), outcome: z.string(), open_items: z.array(z.string()) }).partial()
const Checkpoints = z.object({
  repo: z.string().default('a project'),
  docs: z.array(
    z.object({
      id: z.string(),
      session: z.string(),
      created_at: z.string(),
      prompts: z.array(z.string()),
      files: z.array(z.string()),
      summary: z.unknown(),
    }),
  ),
  queries: z.array(
    z.object({
      qid: z.string(),
      query: z.string(),
      before: z.string(),
      not_session: z.string(),
      relevant: z.array(z.string()),
    }),
  ),
})

export interface Question {
  readonly q: string
  readonly text: string
  /** Only for the figures after ranking. */
  readonly relevant: ReadonlySet<string>
  /** It asks of one person what another did: the evidence is next to what is asked for, and no answer. */
  readonly isTrap: boolean
}

export interface Conversation {
  readonly turns: readonly { readonly id: string; readonly session: string; readonly text: string }[]
  readonly questions: readonly Question[]
}

export interface Work {
  readonly id: string
  readonly session: string
  readonly createdAt: string
  readonly prompts: readonly string[]
  readonly files: readonly string[]
  /** What was written about it afterwards, part by part; mostly nothing. */
  readonly summary: readonly string[]
}

export interface WorkQuestion extends Question {
  /** Only what there was before this. */
  readonly before: string
  readonly notSession: string
}

/** One project: its work and its questions, each oldest first. */
export interface WorkedProject {
  readonly name: string
  readonly works: readonly Work[]
  readonly questions: readonly WorkQuestion[]
}

function jsonFiles(folder: string, start: string): readonly unknown[] {
  return readdirSync(folder)
    .filter((file) => file.startsWith(start) && file.endsWith('.json'))
    .toSorted()
    .map((file): unknown => JSON.parse(readFileSync(join(folder, file), 'utf8')))
}

/** The folder with the retrieval data of a split; nothing when it is not there. */
export function retrievalFolder(data: string, split: string): string | undefined {
  const folder = join(data, split, 'retrieval')
  return existsSync(folder) ? folder : undefined
}

export function conversationsIn(folder: string): readonly Conversation[] {
  return jsonFiles(folder, 'locomo_').flatMap((file) =>
    Conversations.parse(file).map(({ sample_id, qa, conversation }) => ({
      turns: Object.entries(conversation).flatMap(([session, said]) => {
        const turns = z.array(Turn).safeParse(said)
        return (turns.data ?? []).map((turn) => ({
          id: turn.dia_id,
          session: `${sample_id}/${session}`,
          text: [turn.speaker, turn.text, turn.blip_caption].filter(Boolean).join(' '),
        }))
      }),
      questions: qa.map(({ question, evidence = [], category }, index) => ({
        q: `${sample_id}:${index}`,
        text: String(question),
        relevant: new Set(evidence.flatMap((place) => place.match(/D\d+:\d+/g) ?? [])),
        isTrap: category === TRAP,
      })),
    })),
  )
}

function partsOf(summary: unknown): readonly string[] {
  const { intent, outcome, open_items: open = [] } = Summary.safeParse(summary).data ?? {}
  return [intent, outcome, ...open].flatMap((part) => part ?? [])
}

export function workedProjectsIn(folder: string): readonly WorkedProject[] {
  return jsonFiles(folder, 'checkpoints__').map((file) => {
    const { repo, docs, queries } = Checkpoints.parse(file)
    return {
      name: repo,
      works: docs
        .map(({ id, session, created_at: createdAt, prompts, files, summary }) => ({
          id,
          session,
          createdAt,
          prompts,
          files,
          summary: partsOf(summary),
        }))
        .toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1)),
      questions: queries
        .map(({ qid, query, before, not_session, relevant }) => ({
          q: qid,
          text: query,
          relevant: new Set(relevant),
          isTrap: false,
          before,
          notSession: not_session,
        }))
        .toSorted((a, b) => (a.before < b.before ? -1 : 1)),
    }
  })
}
