import { existsSync } from 'node:fs'

export const LAUNCH_ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** The Chromium of the system, or the one that HOLDFAST_BROWSER names. */
export function findBrowser(env = process.env) {
  const candidates = [env.HOLDFAST_BROWSER, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
  return candidates.find((path) => path !== undefined && existsSync(path))
}
