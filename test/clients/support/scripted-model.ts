import { type IncomingMessage, type Server, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { anthropicMessages } from './anthropic-messages.ts'
import { type ModelProtocol, type ProtocolReply, type ProtocolRequest, jsonReply } from './model-protocol.ts'
import { type Asked, type Step, ModelScript } from './model-script.ts'
import { geminiApi } from './gemini-api.ts'
import { openAiChat } from './openai-chat.ts'
import { openAiResponses } from './openai-responses.ts'

const protocols: readonly ModelProtocol[] = [anthropicMessages, openAiChat, openAiResponses, geminiApi]

/** One request that a model would have read, and what this one answered. */
export interface ModelTurn extends Asked {
  readonly protocol: string
  readonly body: unknown
  readonly step: Step
}

async function readRequest(incoming: IncomingMessage): Promise<ProtocolRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  const raw = Buffer.concat(chunks).toString('utf8')
  const path = (incoming.url ?? '/').split('?')[0] ?? '/'
  return { method: incoming.method ?? 'GET', path, headers: incoming.headers, body: parseJson(raw) }
}

function parseJson(raw: string): unknown {
  try {
    return JSON.parse(raw)
  } catch {
    // Not JSON is an answerable fact here: the protocol refuses the body and the test sees the 400.
    return raw
  }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const address: AddressInfo | string | null = server.address()
  if (address === null || typeof address === 'string') throw new Error('The scripted model has no port.')
  return address.port
}

/** A model server on loopback that follows its script and records every request. */
export class ScriptedModel implements AsyncDisposable {
  readonly script = new ModelScript()
  readonly turns: ModelTurn[] = []
  /** Requests no protocol knew: a client that grew a new call shows up here. */
  readonly strangers: string[] = []
  readonly #server: Server
  #url = ''

  private constructor() {
    this.#server = createServer((incoming, outgoing) => {
      readRequest(incoming)
        .then((request) => this.#answer(request))
        .catch((error: unknown) => jsonReply(500, { error: { message: String(error) } }))
        .then((reply) => {
          outgoing.writeHead(reply.status, { 'content-type': reply.contentType })
          outgoing.end(reply.body)
        })
        .catch((error: unknown) => outgoing.destroy(error instanceof Error ? error : undefined))
    })
  }

  static async start(): Promise<ScriptedModel> {
    const model = new ScriptedModel()
    model.#url = `http://127.0.0.1:${await listen(model.#server)}`
    return model
  }

  get url(): string {
    return this.#url
  }

  turnsOf(conversation: string): readonly ModelTurn[] {
    return this.turns.filter((turn) => turn.conversation === conversation && turn.purpose === 'turn')
  }

  /** The first turn that fits, once there is one; fails after the deadline with what was asked instead. */
  async waitFor(what: string, fits: (turn: ModelTurn) => boolean, deadlineMs = 120_000): Promise<ModelTurn> {
    for (let waitedMs = 0; waitedMs < deadlineMs; waitedMs += 50) {
      const turn = this.turns.find(fits)
      if (turn !== undefined) return turn
      await sleep(50)
    }
    const asked = this.turns.map((turn) => `${turn.purpose}: ${turn.userTexts.at(-1)?.slice(0, 80) ?? ''}`)
    throw new Error(`The model was never asked ${what}. It was asked:\n${asked.join('\n')}`)
  }

  #answer(request: ProtocolRequest): ProtocolReply {
    for (const protocol of protocols) {
      let step: Step | undefined
      const reply = protocol.answer(request, (asked) => (step = this.script.next(asked)))
      if (reply === undefined) continue
      if (reply.asked !== undefined && step !== undefined)
        this.turns.push({ ...reply.asked, protocol: protocol.name, body: request.body, step })
      return reply
    }
    this.strangers.push(`${request.method} ${request.path}`)
    return jsonReply(404, {
      error: { message: `No protocol of the scripted model knows ${request.method} ${request.path}.` },
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
