// The bundle lies in the package that this folder is part of. Without it the plugin is there and does nothing.
let plugin
try {
  plugin = (await import('../../dist/openclaw-plugin.js')).plugin
} catch {
  plugin = { id: 'holdfast', name: 'Holdfast', description: 'Holdfast is not built.', register() {} }
}

export default plugin
