/** CloudEvents 1.0; one line of `json/events.ndjson`. */
export interface CloudEvent {
  readonly specversion: '1.0'
  /** Unique with `source`; a redelivery has the same id. */
  readonly id: string
  /** Dotted lower case: `session.complete`, `agent.emergency_stop`. */
  readonly type: string
  readonly source: string
  readonly subject: string
  readonly time: string
  readonly datacontenttype: 'application/json'
  readonly data: Readonly<Record<string, unknown>>
}

export type CloudEventInput = Pick<CloudEvent, 'id' | 'type' | 'subject' | 'time' | 'data'> & { readonly slug: string }

export function createCloudEvent({ slug, ...event }: CloudEventInput): CloudEvent {
  return { specversion: '1.0', source: `urn:holdfast:task:${slug}`, datacontenttype: 'application/json', ...event }
}
