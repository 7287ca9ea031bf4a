// The bundle lies in the package that this folder is part of. Without it the hook is there and does nothing.
let handler
try {
  handler = (await import('../../../dist/openclaw-hook.js')).createHook()
} catch {
  handler = () => {}
}

export default handler
