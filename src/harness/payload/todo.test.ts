import { expect, test } from 'vitest'
import { readForeignCall } from './tool-call.ts'
import { readChecklist, readTodos } from './todo.ts'

test('todos are read in every shape that harnesses give them', () => {
  expect(
    readTodos([
      { content: 'a', status: 'in_progress' },
      { step: 'b', status: 'completed' },
      { id: '3', title: 'c', status: 'not-started' },
      { description: 'd', status: 'blocked' },
      { content: '', status: 'pending' },
    ]),
  ).toEqual([
    { text: 'a', status: 'in_progress' },
    { text: 'b', status: 'completed' },
    { id: '3', text: 'c', status: 'pending' },
    { text: 'd', status: 'pending' },
  ])
})

test('what was given up is not open any more', () => {
  expect(readTodos([{ content: 'a', status: 'cancelled' }])).toEqual([])
})

test('a checklist is a todo list', () => {
  expect(readChecklist('# Plan\n- [x] read it\n- [-] write it\n* [ ] test it\n1. [ ] ship it\nnot an item')).toEqual([
    { text: 'read it', status: 'completed' },
    { text: 'write it', status: 'in_progress' },
    { text: 'test it', status: 'pending' },
    { text: 'ship it', status: 'pending' },
  ])
})

test.each([
  ['update_plan', { plan: [{ step: 'a', status: 'pending' }] }],
  ['write_todos', { todos: [{ description: 'a', status: 'pending' }] }],
  ['todowrite', { todos: [{ content: 'a', status: 'pending' }] }],
  ['update_todo', { todos: '- [ ] a' }],
  ['update_todo_list', { todos: '[ ] a' }],
  ['manage_todo_list', { todoList: [{ title: 'a', status: 'not-started' }] }],
])('%s says what is to be done', (name, input) => {
  expect(readForeignCall({ name, input })).toEqual({
    name,
    kind: 'todo',
    files: [],
    todo: { kind: 'list', todos: [{ text: 'a', status: 'pending' }] },
  })
})
