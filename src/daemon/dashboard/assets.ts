import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import * as z from 'zod'
import { parseJson } from '../../platform/base/json.ts'
import { PlainReply } from '../http/http-errors.ts'

const compress = promisify(gzip)

/** Vite's `manifest.json`; its entry is the script that the page loads, every other file follows from that one. */
const Manifest = z.record(
  z.string(),
  z.object({ file: z.string(), isEntry: z.boolean().optional(), css: z.array(z.string()).optional() }),
)

/** What the page must load, as paths of this daemon. */
export interface PageFiles {
  readonly scripts: readonly string[]
  readonly styles: readonly string[]
}

export interface Assets {
  /** Empty if the application was not built. */
  readPageFiles(): Promise<PageFiles>
  /** The file with this name, or 404. Its name contains a hash of its content. */
  respond(name: string, headers: { readonly 'accept-encoding'?: string | string[] | undefined }): Promise<PlainReply>
}

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
}
const TEXT = { 'content-type': 'text/plain; charset=utf-8' }
const NAME = /^[\w-][\w.-]*\.(\w+)$/
const NONE: PageFiles = { scripts: [], styles: [] }

/** The built browser application. Nothing is read before a browser asks, and nothing stays in memory. */
export function createAssets(dir: string | undefined): Assets {
  async function read(...path: readonly string[]): Promise<Buffer | undefined> {
    if (dir === undefined) return undefined
    try {
      return await readFile(join(dir, ...path))
    } catch {
      // Not built, or no such file: the answer says so.
      return undefined
    }
  }

  return {
    async readPageFiles() {
      const text = await read('.vite', 'manifest.json')
      const manifest = Manifest.safeParse(text === undefined ? undefined : parseJson(text.toString()))
      const entry = manifest.success ? Object.values(manifest.data).find(({ isEntry }) => isEntry === true) : undefined
      if (entry === undefined) return NONE
      return { scripts: [`/${entry.file}`], styles: (entry.css ?? []).map((file) => `/${file}`) }
    },
    async respond(name, headers) {
      const type = TYPES[NAME.exec(name)?.[1] ?? '']
      const body = type === undefined ? undefined : await read('assets', name)
      if (body === undefined || type === undefined) return new PlainReply(404, 'There is no such file.', TEXT)
      const isCompressed = String(headers['accept-encoding'] ?? '').includes('gzip') && /text|svg/.test(type)
      return new PlainReply(200, isCompressed ? await compress(body) : body, {
        'content-type': type,
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
        ...(isCompressed && { 'content-encoding': 'gzip' }),
      })
    },
  }
}
