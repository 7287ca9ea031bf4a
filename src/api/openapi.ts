import * as z from 'zod'
import { ErrorReply } from '../wire/daemon.ts'
import type { Route } from './route.ts'
import { ROUTES } from './route-table.ts'

type Json = { readonly [key: string]: unknown }

interface OpenApiDocument {
  readonly openapi: string
  readonly info: Json
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>
  readonly components: Json
}

function toJsonSchema(schema: z.ZodType): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' })
  return rest
}

function listParameters(place: 'path' | 'query', schema: z.ZodType | undefined): readonly Json[] {
  if (schema === undefined) return []
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' })
  return Object.entries(properties).map(([name, type]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: type,
  }))
}

function describeReply(route: Route): Json {
  const json = route.reply === undefined ? {} : { 'application/json': { schema: toJsonSchema(route.reply) } }
  const other = Object.fromEntries((route.produces ?? []).map((type) => [type, { schema: { type: 'string' } }]))
  const stream = route.frame === undefined ? {} : { 'text/event-stream': { schema: toJsonSchema(route.frame) } }
  return { description: 'Done.', content: { ...other, ...stream, ...json } }
}

function describeOperation(name: string, route: Route): Json {
  const parameters = [...listParameters('path', route.params), ...listParameters('query', route.query)]
  return {
    operationId: name,
    summary: route.summary,
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && {
      requestBody: { required: true, content: { 'application/json': { schema: toJsonSchema(route.body) } } },
    }),
    responses: {
      200: describeReply(route),
      default: {
        description: 'Refused or failed; `code` is the reason and `hint` the remedy.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
    security: route.scope === 'public' ? [] : [{ token: [] }],
    'x-scope': route.scope,
  }
}

/** The whole API as an OpenAPI 3.1 document, from the route table alone. */
export function openApiDocument(version: string): OpenApiDocument {
  const paths: Record<string, Record<string, Json>> = {}
  for (const [name, route] of Object.entries(ROUTES)) {
    const path = route.path.replace(/\/\*$/, '').replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeOperation(name, route) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Holdfast',
      version,
      description:
        'Served by the daemon on a Unix socket (no token: the file mode is the credential) and on loopback TCP (bearer token). Changes need `Content-Type: application/json`.',
    },
    paths,
    components: {
      schemas: { Error: toJsonSchema(ErrorReply) },
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  }
}
