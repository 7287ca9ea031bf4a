import { describe, expect, test } from 'vitest'
import type { Todo } from '../../kernel/event.ts'
import { applyTodos, openTodos } from './plan.ts'

const write: Todo = { id: '1', text: 'write it', status: 'completed' }
const check: Todo = { id: '2', text: 'check it', status: 'pending' }
const ship: Todo = { id: '3', text: 'ship it', status: 'in_progress' }

describe('todos', () => {
  test('a list replaces what was there', () => {
    expect(applyTodos([write], { kind: 'list', todos: [check, { text: '  ', status: 'pending' }] })).toEqual([check])
  })

  test('an addition without an id is numbered as the harness will number it', () => {
    expect(applyTodos([write, check], { kind: 'add', text: 'ship it' })).toEqual([
      write,
      check,
      { id: '3', text: 'ship it', status: 'pending' },
    ])
  })

  test('a change touches one item, a deletion removes it', () => {
    expect(applyTodos([check], { kind: 'change', id: '2', status: 'completed' })).toEqual([
      { ...check, status: 'completed' },
    ])
    expect(applyTodos([check, ship], { kind: 'change', id: '2', status: 'deleted' })).toEqual([ship])
    expect(applyTodos([check], { kind: 'change', id: '99', status: 'completed' })).toEqual([check])
  })

  test('a list that is too long loses finished items first', () => {
    const finished = Array.from({ length: 80 }, (_, index): Todo => ({ text: `done ${index}`, status: 'completed' }))
    const kept = applyTodos([], { kind: 'list', todos: [check, ...finished, ship] })
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([60, check, ship])
  })

  test('what is in progress comes before what waits', () => {
    expect(openTodos([write, check, ship])).toEqual([ship, check])
  })
})
