import { EmptyState, PageHead } from '../parts/basics.tsx'

export function Page() {
  return (
    <>
      <PageHead title="Team" lead="People, machines, shared memories and keys." />
      <EmptyState title="This Holdfast is not connected to others">
        <p>
          Everything is on this machine. To continue work on another one, run <code>holdfast handoff export</code> and
          take the file there.
        </p>
      </EmptyState>
    </>
  )
}
