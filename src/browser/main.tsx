import { render } from 'preact'
import './style/base.css'
import './style/parts.css'
import './style/pages.css'
import { App } from './app/app.tsx'
import { enter } from './nav/router.ts'
import { headers } from './data/call.ts'
import { followStream } from './data/live.ts'
import { showTextInert } from './parts/inert-text.ts'
import iconUrl from './style/icon.svg?url'

document.head.append(Object.assign(document.createElement('link'), { rel: 'icon', href: iconUrl }))

const hasToken = Object.values(headers).every((token) => token !== '')

if (enter(hasToken)) {
  showTextInert()
  // The server rendered a first view for readers without script; it is replaced as a whole.
  const root = document.createElement('div')
  document.body.replaceChildren(root)
  render(<App />, root)
  void followStream()
}
