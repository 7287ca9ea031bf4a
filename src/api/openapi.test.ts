import { expect, test } from 'vitest'
import { openApiDocument } from './openapi.ts'
import { ROUTES } from './route-table.ts'

test('every route is one operation with its scope', () => {
  const { paths } = openApiDocument('1.2.3')
  const operations = Object.values(paths).flatMap((item) => Object.values(item))
  expect(operations.map((operation) => [operation.operationId, operation['x-scope']])).toEqual(
    expect.arrayContaining(Object.entries(ROUTES).map(([name, route]) => [name, route.scope])),
  )
  expect(operations).toHaveLength(Object.keys(ROUTES).length)
})

test('parameters say where they go and whether they must', () => {
  const { paths } = openApiDocument('1.2.3')
  expect(paths['/api/memories/search']?.get?.parameters).toMatchObject([
    { name: 'q', in: 'query', required: true },
    { name: 'cwd', in: 'query', required: true },
    { name: 'types', in: 'query', required: false },
    { name: 'scope', in: 'query', required: false, schema: { enum: ['me', 'project', 'team'] } },
    { name: 'includeTasks', in: 'query', required: false },
    { name: 'limit', in: 'query', required: false, schema: { type: 'integer', default: 10 } },
  ])
  expect(paths['/api/checkpoints/{sessionKey}']?.get?.parameters).toMatchObject([
    { name: 'sessionKey', in: 'path', required: true },
    { name: 'limit', in: 'query', required: false },
  ])
})

test('the document is the same every time', () => {
  expect(JSON.stringify(openApiDocument('1'))).toBe(JSON.stringify(openApiDocument('1')))
})
