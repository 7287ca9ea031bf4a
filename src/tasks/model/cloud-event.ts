/** CloudEvents 1.0, one line each in `json/events.ndjson`. */
export interface CloudEvent {
  readonly specversion: '1.0'
  /** Unique with `source`: who delivers again delivers the same id. */
  readonly id: string
  /** Dotted lower case: `session.complete`, `agent.emergency_stop`. */
  readonly type: string
  readonly source: string
  readonly subject: string
  readonly time: string
  readonly datacontenttype: 'application/json'
  readonly data: Readonly<Record<string, unknown>>
}

export interface CloudEventInput {
  readonly id: string
  readonly type: string
  readonly slug: string
  readonly subject: string
  readonly time: string
  readonly data: Readonly<Record<string, unknown>>
}

export function cloudEvent({ slug, ...rest }: CloudEventInput): CloudEvent {
  return { specversion: '1.0', source: `urn:holdfast:task:${slug}`, datacontenttype: 'application/json', ...rest }
}
