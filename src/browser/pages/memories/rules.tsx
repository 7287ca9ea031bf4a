import { useState } from 'preact/hooks'
import type { Rule } from '../../../kernel/rule.ts'
import { get, post } from '../../data/call.ts'
import { useQuery } from '../../data/use-query.ts'
import { Badge, EmptyState, Loaded, Panel, Time } from '../../parts/basics.tsx'

/** Rules that the user gave, verbatim. */
export function Rules({ cwd }: { readonly cwd: string }) {
  const [text, setText] = useState('')
  const query = useQuery(
    async (signal) => (await get<{ rules: readonly Rule[] }>('/api/rules', { cwd }, signal)).rules,
    [cwd],
  )
  const change = (id: string, state: 'active' | 'retired') =>
    void post('/api/rules/:id', { cwd, state }, { id }).then(query.reload)
  return (
    <>
      <Panel title="Add a rule">
        <form
          class="search-box"
          onSubmit={(event) => {
            event.preventDefault()
            void post('/api/rules', { cwd, text }).then(() => (setText(''), query.reload()))
          }}
        >
          <input
            aria-label="Text of the rule"
            value={text}
            maxLength={2_000}
            placeholder="Never push to main without asking"
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <button type="submit" class="primary" disabled={text.trim() === ''}>
            Add
          </button>
        </form>
      </Panel>
      <Loaded query={query}>
        {(rules) =>
          rules.length === 0 ? (
            <EmptyState title="No rule yet">
              <p>Holdfast finds rules in what you say ("never …", "always …") and repeats them at every start.</p>
            </EmptyState>
          ) : (
            <Panel>
              <ul class="plain-list">
                {rules.map((rule) => (
                  <li key={rule.id} class="rule">
                    <span class="row-title-wrap">{rule.text}</span>
                    <span class="row-sub">
                      <Badge tone={rule.state === 'active' ? 'good' : rule.state === 'proposed' ? 'warn' : 'quiet'}>
                        {rule.state}
                      </Badge>
                      <span>{rule.source === 'found' ? 'found in a message' : rule.source}</span>
                      <Time at={rule.since} />
                      {rule.state === 'proposed' && (
                        <button type="button" class="small" onClick={() => change(rule.id, 'active')}>
                          Confirm
                        </button>
                      )}
                      {rule.state !== 'retired' && (
                        <button type="button" class="small" onClick={() => change(rule.id, 'retired')}>
                          {rule.state === 'proposed' ? 'Reject' : 'Retire'}
                        </button>
                      )}
                    </span>
                  </li>
                ))}
              </ul>
            </Panel>
          )
        }
      </Loaded>
    </>
  )
}
