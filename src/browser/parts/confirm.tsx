import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

interface Question {
  readonly title: string
  readonly text: ComponentChildren
  /** Label of the button: the verb of the action. */
  readonly action: string
  /** A word that has to be typed before an action that cannot be undone. */
  readonly word?: string
  readonly run: () => Promise<void>
}

let show: ((question: Question) => void) | undefined

/** Asks before anything is deleted. */
export function askFirst(question: Question): void {
  show?.(question)
}

export function ConfirmDialog() {
  const [question, setQuestion] = useState<Question | undefined>()
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string | undefined>()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    show = (asked) => {
      setTyped('')
      setProblem(undefined)
      setQuestion(asked)
    }
    return () => {
      show = undefined
    }
  }, [])
  useEffect(() => {
    if (question !== undefined && dialog.current?.open === false) dialog.current.showModal()
  }, [question])
  if (question === undefined) return null
  const close = () => {
    dialog.current?.close()
    setQuestion(undefined)
  }
  const run = async () => {
    try {
      await question.run()
      close()
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <dialog ref={dialog} aria-labelledby="confirm-title" onClose={() => setQuestion(undefined)}>
      <h2 id="confirm-title">{question.title}</h2>
      <div class="dialog-text">{question.text}</div>
      {question.word !== undefined && (
        <label class="field">
          Type <code>{question.word}</code> to go on
          <input value={typed} onInput={(event) => setTyped(event.currentTarget.value)} autocomplete="off" />
        </label>
      )}
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <div class="dialog-actions">
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button
          type="button"
          class="danger"
          disabled={question.word !== undefined && typed !== question.word}
          onClick={() => void run()}
        >
          {question.action}
        </button>
      </div>
    </dialog>
  )
}
